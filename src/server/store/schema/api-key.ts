/** API keys. */
import * as z from 'zod';
import { defineTable } from './define-table.ts';
import { instant, secret, text } from './fields.ts';

export const ApiKeyRow = z
  .strictObject({
    apiKeyId: text,
    appId: text,
    clientId: text,
    keyHash: secret,
    hint: text,
    createdAt: instant,
    lastUsedAt: instant.optional(),
  })
  .readonly();

export type ApiKey = z.infer<typeof ApiKeyRow>;

export const apiKeyTable = defineTable(ApiKeyRow, (row) => row.apiKeyId, {
  unique: { keyHash: (row) => row.keyHash },
  index: { clientId: (row) => row.clientId, appId: (row) => row.appId },
});
