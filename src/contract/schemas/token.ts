/** Schemas of token responses. */
import * as z from 'zod';
import { sensitive } from '../sensitive.ts';

export const Token = z
  .strictObject({
    accessToken: sensitive(z.string().describe('JWT (RFC 9068)'), 'secret'),
    tokenType: z.literal('Bearer'),
    refreshToken: sensitive(z.string(), 'secret')
      .optional()
      .describe('Opaque refresh token; absent if the session has none'),
    expiresIn: z.string().regex(/^\d+$/).describe('Remaining lifetime in seconds, as a string of digits'),
    scope: z.array(z.string()),
  })
  .meta({ id: 'Token', description: 'Token response.' });
