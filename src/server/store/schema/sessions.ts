/** Sessions and tokens, and the identity providers that logins trust. */
import * as z from 'zod';
import { loginGrantTypes } from '../../../contract/grant-types.ts';
import { sensitive } from '../../../contract/sensitive.ts';
import { defineTable, epoch, names, secret, text } from './define-table.ts';

const level = z.enum(['NONE', 'AUTH-IDENTIFIED', 'AUTH-BASIC', 'AUTH-MFA']);

/**
 * A login session. Its tokens refer to it and end with it. Times are epoch seconds. A session without userId and logon
 * belongs to a client that obtained a refresh token.
 */
export const SessionRow = z
  .strictObject({
    sessionId: text,
    clientId: text,
    userId: text.optional(),
    level,
    /** When the second factor was verified: AUTH-MFA lasts 12 hours from then. */
    mfaAt: z.number().optional(),
    /** AUTH-SMART on top of the level. */
    smart: z.boolean(),
    /** The requested subset of the client's scope. */
    scope: names.optional(),
    /** The requested audiences of its tokens (RFC 8707). */
    resources: names.optional(),
    /** A remembered session: its access tokens are short-lived. */
    remember: z.boolean(),
    /** The mainframe logon it started with; without userId the logon is not bound to a user. */
    logon: text.optional(),
    /** Started with a token of another session, and not by a login. */
    derived: z.literal(true).optional(),
    /** Started with a token of less than its session, or with what such a token led to. */
    reduced: z.literal(true).optional(),
    /** The session with whose token it was started: it ends with that one. */
    startedBy: text.optional(),
    /** The device that its refresh token is bound to; only this device can renew it. */
    deviceKey: text.optional(),
    /** The token of the device when the session was bound to it: the device can get another one by its id alone. */
    deviceTokenHash: secret.optional(),
    /** Of a browser: the cookie that it is found by, and how the user logged in last. It has no tokens of its own. */
    browser: sensitive(
      z.strictObject({ cookieHash: secret, authenticatedAt: z.number(), methods: names }).readonly().optional(),
      'secret',
    ),
    /** Of a client that a browser session started: what its ID tokens say. */
    openid: z
      .strictObject({
        /** How the user logged in to it. */
        grantType: z.enum(loginGrantTypes).optional(),
        scopes: names,
        authenticatedAt: z.number(),
        methods: names,
        /** Ends with this browser session; absent for offline access, which outlives a logout. */
        browserSessionId: text.optional(),
        /** Of a third-party client: see `limitToConsent`. */
        isLimited: z.literal(true).optional(),
      })
      .readonly()
      .optional(),
    startedAt: z.number(),
    endsAt: z.number(),
  })
  .readonly();

export type Session = z.infer<typeof SessionRow>;

/** The unused refresh token of a session, by its hash. */
export const RefreshTokenRow = z
  .strictObject({
    tokenHash: secret,
    sessionId: text,
    /** The tokens of the session before this one. */
    rotations: z.number(),
    issuedAt: epoch,
  })
  .readonly();

export type RefreshToken = z.infer<typeof RefreshTokenRow>;

/**
 * The hash of a refresh token that was used, to detect reuse. Not indexed by its session: ending a session leaves these
 * rows, which mean nothing without it, and `deleteUsedTokens` deletes them later.
 */
export const UsedRefreshTokenRow = z.strictObject({ tokenHash: secret, sessionId: text, usedAt: epoch }).readonly();

/** A revoked access token without a session, retained until it expires (epoch seconds). */
export const RevokedTokenRow = z.strictObject({ tokenId: secret, expiresAt: z.number() }).readonly();

/**
 * Whose sessions are counted together: those of a user or a logon with one client, or of a client itself. Those that a token
 * started count apart, so that a service with a token of the user ends no session of a login.
 */
export function toSessionHolder({ userId, logon, clientId, derived, browser }: Session): string {
  const kind = browser ? ['browser'] : [];
  return JSON.stringify([
    ...[clientId, userId ?? null, userId === undefined ? (logon ?? null) : null, derived ?? false],
    ...kind,
  ]);
}

export const sessionTable = defineTable(SessionRow, (row) => row.sessionId, {
  unique: { cookie: (row) => row.browser?.cookieHash },
  index: {
    browserSession: (row) => row.openid?.browserSessionId,
    startedBy: (row) => row.startedBy,
    userId: (row) => row.userId,
    clientId: (row) => row.clientId,
    logon: (row) => row.logon,
    holder: toSessionHolder,
  },
});

export const refreshTokenTable = defineTable(RefreshTokenRow, (row) => row.tokenHash, {
  unique: {},
  index: { sessionId: (row) => row.sessionId },
});

export const usedRefreshTokenTable = defineTable(UsedRefreshTokenRow, (row) => row.tokenHash, {
  unique: {},
  index: {},
});

export const revokedTokenTable = defineTable(RevokedTokenRow, (row) => row.tokenId, { unique: {}, index: {} });

/**
 * A single-use token, by its hash: of generate-param, a certificate nonce, for grant-auth-smart, an authorization code, the
 * reference to a pushed authorization request, or the codes of a device.
 */
export const OneTimeTokenRow = z
  .strictObject({
    ticketHash: secret,
    kind: z.enum([
      'param',
      'certificate-nonce',
      'auth-smart',
      'authorization-code',
      'pushed-request',
      'device-code',
      'user-code',
      'provider-login',
    ]),
    clientId: text.optional(),
    targetClientId: text.optional(),
    userId: text.optional(),
    sessionId: text.optional(),
    /** The narrowed scope of the token that it represents. */
    scope: names.optional(),
    /** The narrowed audiences of that token. */
    resources: names.optional(),
    /** Whether that token has less than its session. */
    reduced: z.literal(true).optional(),
    /** Of a code: the level of the user at the decision, which its session has at most. */
    level: level.optional(),
    /** What an authorization code is bound to (RFC 6749, 4.1.3; RFC 7636). */
    authorization: sensitive(
      z
        .strictObject({
          redirectUri: text,
          /** Whether the request named it: the token request must repeat it then. */
          isRedirectUriGiven: z.boolean(),
          codeChallenge: text.optional(),
          nonce: text.optional(),
          /** The requests of this login, in the request log. */
          flow: text.optional(),
          openidScopes: names,
          resources: names.optional(),
          /** The session that the first use started: a second use ends it. */
          startedSessionId: text.optional(),
        })
        .readonly()
        .optional(),
      'secret',
    ),
    /** What a device asks for, and what its user decided (RFC 8628). */
    device: z
      .strictObject({
        openidScopes: names,
        resources: names.optional(),
        /** Seconds between two polls. */
        interval: z.number(),
        polledAt: z.number().optional(),
        decision: z.enum(['allowed', 'denied']).optional(),
      })
      .readonly()
      .optional(),
    /** Of a user code: its device code. */
    deviceCodeHash: secret.optional(),
    /** The parameters of a pushed authorization request, as a query, encrypted (RFC 9126). */
    pushedRequest: sensitive(text.optional(), 'secret'),
    /** A login at an OpenID provider: the browser that started it, and the query of its request, encrypted. */
    providerLogin: sensitive(
      z.strictObject({ provider: text, cookieHash: secret, sealedQuery: secret }).readonly().optional(),
      'secret',
    ),
    expiresAt: epoch,
  })
  .readonly();

export type OneTimeToken = z.infer<typeof OneTimeTokenRow>;

export const oneTimeTokenTable = defineTable(OneTimeTokenRow, (row) => row.ticketHash, {
  unique: {},
  index: { userId: (row) => row.userId, clientId: (row) => row.clientId },
});

/** An opaque product token, by its hash. */
export const OpaqueTokenRow = z
  .strictObject({
    tokenHash: secret,
    userId: text.optional(),
    clientId: text,
    productId: text,
    billingType: text.optional(),
    expiresAt: epoch,
  })
  .readonly();

export const opaqueTokenTable = defineTable(OpaqueTokenRow, (row) => row.tokenHash, {
  unique: {},
  index: { userId: (row) => row.userId },
});

/** A trusted identity provider or certificate authority. Certificates are PEM or base64 DER. */
export const ProviderRow = z.discriminatedUnion('kind', [
  z
    .strictObject({
      kind: z.literal('oidc'),
      name: text,
      issuer: text,
      clientId: text,
      jwksUri: text,
      /** With the next one, for logins by the browser; without, only its ID tokens are accepted. */
      authorizationEndpoint: text.optional(),
      tokenEndpoint: text.optional(),
      emailDomains: names,
    })
    .readonly(),
  z
    .strictObject({
      kind: z.literal('saml'),
      name: text,
      entityId: text,
      certificates: names,
      audience: text,
      emailDomains: names,
    })
    .readonly(),
  z.strictObject({ kind: z.literal('certificateAuthority'), name: text, certificate: text }).readonly(),
]);

export type Provider = z.infer<typeof ProviderRow>;

/** The hash of an accepted SAML assertion or ID token, to reject a replay. */
export const UsedAssertionRow = z.strictObject({ proofHash: secret, expiresAt: epoch }).readonly();

export const providerTable = defineTable(ProviderRow, (row) => row.name, {
  unique: {},
  index: { kind: (row) => row.kind },
});

export const usedAssertionTable = defineTable(UsedAssertionRow, (row) => row.proofHash, { unique: {}, index: {} });
