/** Schemas of API keys. */
import * as z from 'zod';
import { reference } from '../entities.ts';
import { sensitive } from '../sensitive.ts';
import { Id } from './primitives.ts';

export const ApiKeyId = Id.meta({
  description: 'Id of the API key',
  'x-label': 'Id of the API key',
  ...reference('apiKey', ['id']),
});

/** Base64 of 32 bytes: 44 characters. */
export const ApiKeyValue = sensitive(
  z
    .string()
    .regex(/^[A-Za-z0-9+/]{43}=$/, 'must be base64 of 32 bytes (44 characters)')
    .describe('Base64 of 32 random bytes'),
  'secret',
);

export const ApiKeySchema = z
  .strictObject({
    apiKeyId: z.string(),
    appId: z.string(),
    clientId: z.string(),
    hint: z.string().describe('The last four characters of the key'),
    createdAt: z.string().describe('ISO 8601, UTC'),
    lastUsedAt: z.string().optional().describe('ISO 8601, UTC; updated periodically, not on every use'),
  })
  .meta({ id: 'ApiKey', description: 'An API key without the key itself.' });
