/** Single-use tokens. */
import * as z from 'zod';
import { defineTable } from './define-table.ts';
import { epoch, names, secret, text } from './fields.ts';

/** A single-use token, by its hash: of generate-param, a certificate nonce, or for grant-auth-smart. */
export const OneTimeTokenRow = z
  .strictObject({
    ticketHash: secret,
    kind: z.enum(['param', 'certificate-nonce', 'auth-smart']),
    clientId: text.optional(),
    targetClientId: text.optional(),
    userId: text.optional(),
    sessionId: text.optional(),
    /** The narrowed scope of the token that it represents. */
    scope: names.optional(),
    expiresAt: epoch,
  })
  .readonly();

export type OneTimeToken = z.infer<typeof OneTimeTokenRow>;

export const oneTimeTokenTable = defineTable(OneTimeTokenRow, (row) => row.ticketHash, {
  unique: {},
  index: { userId: (row) => row.userId },
});
