/** Schemas of API keys. */
import * as z from 'zod';
import { reference } from '../entities.ts';
import { sensitive } from '../sensitive.ts';
import { exampleText, Id, optionalText } from './primitives.ts';

export const ApiKeyId = Id.meta({
  description: 'Id of the API key',
  'x-label': 'Id of the API key',
  ...reference('apiKey', ['id']),
  examples: ['64b0c0ffee00000000000004'],
});

/** Base64 of 32 bytes: 44 characters. */
export const ApiKeyValue = sensitive(
  z
    .string()
    .regex(/^[A-Za-z0-9+/]{43}=$/, 'must be base64 of 32 bytes (44 characters)')
    .meta({
      description: 'Base64 of 32 random bytes',
      examples: ['bG9uZy1yYW5kb20tdmFsdWUtb2YtMzItYnl0ZXMtISE='],
    }),
  'secret',
);

export const ApiKeySchema = z
  .strictObject({
    apiKeyId: exampleText('64b0c0ffee00000000000004'),
    appId: exampleText('billing'),
    clientId: exampleText('billing-service').meta(reference('client', ['id'])),
    hint: exampleText('a2c4', 'The last four characters of the key'),
    createdAt: exampleText('2026-03-01T12:00:00.000Z', 'ISO 8601, UTC'),
    lastUsedAt: optionalText('2026-03-01T12:00:00.000Z', 'ISO 8601, UTC; updated periodically, not on every use'),
  })
  .meta({ id: 'ApiKey', description: 'An API key without the key itself.' });
