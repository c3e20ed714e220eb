/** Schemas of the credentials of clients. */
import * as z from 'zod';
import { sensitive } from './sensitive.ts';

/** Base64 of 32 bytes: 44 characters. */
export const ApiKeyValue = sensitive(
  z
    .string()
    .regex(/^[A-Za-z0-9+/]{43}=$/, 'must be base64 of 32 bytes (44 characters)')
    .describe('Base64 of 32 random bytes'),
  'secret',
);

export const ClientCredentials = z
  .strictObject({ clientId: z.string(), clientSecret: sensitive(z.string(), 'secret').describe('Returned only once') })
  .meta({ id: 'ClientCredentials', description: 'Id and secret of a new client.' });
