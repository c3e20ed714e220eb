/** Schemas of token responses. */

import * as z from 'zod';
import { sensitive } from '../sensitive.ts';
import { lifetimeText } from './primitives.ts';

export const Token = z
  .strictObject({
    accessToken: sensitive(z.string().describe('JWT (RFC 9068)'), 'secret').meta({
      examples: ['eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiJhbGljZSJ9.c2lnbmF0dXJl'],
    }),
    tokenType: z.literal('Bearer'),
    refreshToken: sensitive(z.string(), 'secret')
      .optional()
      .meta({ description: 'Opaque refresh token; absent if the session has none', examples: ['cmVmcmVzaC10b2tlbg'] }),
    expiresIn: lifetimeText('Remaining lifetime in seconds, as a string of digits', 3600),
    scope: z.array(z.string()).meta({ examples: [['reports.read']] }),
  })
  .meta({ id: 'Token', description: 'Token response.' });
