/** Login sessions, their refresh tokens, and revoked access tokens. */
import * as z from 'zod';
import { defineTable } from './define-table.ts';
import { names, secret, text } from './fields.ts';

/**
 * A login session. Its tokens refer to it and end with it. Times are epoch seconds. A session without userId and logon
 * belongs to a client that obtained a refresh token.
 */
export const SessionRow = z
  .strictObject({
    sessionId: text,
    clientId: text,
    userId: text.optional(),
    level: z.enum(['NONE', 'AUTH-IDENTIFIED', 'AUTH-BASIC', 'AUTH-MFA']),
    /** When the second factor was verified: AUTH-MFA lasts 12 hours from then. */
    mfaAt: z.number().optional(),
    /** AUTH-SMART on top of the level. */
    smart: z.boolean(),
    /** The requested subset of the client's scope. */
    scope: names.optional(),
    /** A remembered session: its access tokens are short-lived. */
    remember: z.boolean(),
    /** The mainframe logon it started with; without userId the logon is not bound to a user. */
    logon: text.optional(),
    /** The device that its refresh token is bound to; only this device can renew it. */
    deviceKey: text.optional(),
    startedAt: z.number(),
    endsAt: z.number(),
  })
  .readonly();

export type Session = z.infer<typeof SessionRow>;

/** A refresh token, by its hash. Used ones are retained until their session ends, to detect reuse. */
export const RefreshTokenRow = z
  .strictObject({ tokenHash: secret, sessionId: text, used: z.boolean(), issuedAt: z.number() })
  .readonly();

/** A revoked access token without a session, retained until it expires (epoch seconds). */
export const RevokedTokenRow = z.strictObject({ tokenId: secret, expiresAt: z.number() }).readonly();

export const sessionTable = defineTable(SessionRow, (row) => row.sessionId, {
  unique: {},
  index: { userId: (row) => row.userId, clientId: (row) => row.clientId, logon: (row) => row.logon },
});

export const refreshTokenTable = defineTable(RefreshTokenRow, (row) => row.tokenHash, {
  unique: {},
  index: { sessionId: (row) => row.sessionId },
});

export const revokedTokenTable = defineTable(RevokedTokenRow, (row) => row.tokenId, { unique: {}, index: {} });
