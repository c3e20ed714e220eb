/** Schemas of API keys. */
import * as z from 'zod';
import { reference } from '../entities.ts';
import { sensitive } from '../sensitive.ts';
import { Id } from './primitives.ts';

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
    apiKeyId: z.string().meta({ examples: ['64b0c0ffee00000000000004'] }),
    appId: z.string().meta({ examples: ['billing'] }),
    clientId: z.string().meta({ examples: ['billing-service'] }),
    hint: z.string().meta({ description: 'The last four characters of the key', examples: ['a2c4'] }),
    createdAt: z.string().meta({ description: 'ISO 8601, UTC', examples: ['2026-03-01T12:00:00.000Z'] }),
    lastUsedAt: z
      .string()
      .optional()
      .meta({
        description: 'ISO 8601, UTC; updated periodically, not on every use',
        examples: ['2026-03-01T12:00:00.000Z'],
      }),
  })
  .meta({ id: 'ApiKey', description: 'An API key without the key itself.' });
