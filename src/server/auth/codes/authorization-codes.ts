/** Authorization codes (RFC 6749, 4.1): issued for a browser session, exchanged once for a session of the client. */
import { hash } from 'node:crypto';
import { apiError } from '../../../contract/errors.ts';
import { deviceGrantType, type LoginGrantType } from '../../../contract/grant-types.ts';
import { computeLevel } from '../../directory/authentication-levels.ts';
import { assertLoginsKept, takesPartInLogins } from '../../directory/login-approval.ts';
import { type Clock, epochSeconds } from '../../lib/clock.ts';
import type { Random } from '../../lib/random.ts';
import { hashSecret, secretMatches } from '../../lib/secrets.ts';
import { hasConsented } from '../../sessions/consents.ts';
import { endSession } from '../../sessions/end-sessions.ts';
import { findActiveSession, narrowAudiences, type SessionDeps, startSession } from '../../sessions/sessions.ts';
import type { Store, Transaction } from '../../store/store.ts';
import type { Client, OneTimeToken, Session } from '../../store/tables.ts';
import { type ContentDeps, readUserContent, type UserContent } from '../../tokens/content.ts';
import { issueOneTimeToken, oneTimeTokenLifetimes } from '../../tokens/one-time-tokens.ts';

/** Seconds in which a code can be exchanged. */
const codeLifetimeSeconds = 60;

/** What is asked for, and granted by the user. */
export interface CodeGrant extends Omit<NonNullable<OneTimeToken['authorization']>, 'startedSessionId'> {
  readonly client: Client;
  readonly scope?: readonly string[] | undefined;
}

interface CodeDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
}

/** Issues a code for the user of a browser session. @throws IamError GRANT_TYPE_NOT_ALLOWED. */
export function issueCode(
  deps: CodeDeps,
  { client, scope, ...authorization }: CodeGrant,
  session: Session,
): Promise<string> {
  const row = { kind: 'authorization-code', clientId: client.clientId, scope, authorization } as const;
  return deps.store.transaction(async (tx) => {
    await assertLoginsKept(tx, client);
    return (await issueOneTimeToken(tx, { ...row, ...toGrantor(session, deps) }, deps)).value;
  });
}

/** Who grants a code, and at which level: a second factor that is confirmed afterwards is none for the client. */
export function toGrantor(
  session: Session,
  { clock }: Pick<CodeDeps, 'clock'>,
): Pick<OneTimeToken, 'userId' | 'sessionId' | 'level'> {
  const { userId, sessionId } = session;
  return { ...(userId === undefined ? {} : { userId }), sessionId, level: computeLevel(session, epochSeconds(clock)) };
}

export interface CodeExchange {
  readonly code: string;
  readonly redirectUri?: string | undefined;
  readonly codeVerifier?: string | undefined;
  /** The services that the token is for (RFC 8707, 2.2). */
  readonly resources?: readonly string[] | undefined;
}

/** The tokens to issue for a code. */
export interface ExchangedCode {
  readonly content: UserContent;
  readonly nonce?: string | undefined;
}

export type ExchangeDeps = CodeDeps & StartDeps & { recordFlow(flow: string): void };

/**
 * Exchanges a code of this client. A second use ends the session that the first one started (RFC 6749, 4.1.2); another
 * client, another redirect URI, a wrong verifier or a resource that was not granted has no effect.
 * @throws IamError GRANT_INVALID, TARGET_INVALID, TOKEN_TOO_LONG.
 */
export async function exchangeCode(deps: ExchangeDeps, client: Client, exchange: CodeExchange): Promise<ExchangedCode> {
  // Thrown after the transaction, which ends a session.
  const exchanged = await deps.store.transaction((tx) => exchangeInTransaction(tx, deps, client, exchange));
  if (typeof exchanged === 'string')
    throw apiError('GRANT_INVALID', 'The authorization code is not valid, was used or has expired.').withReason({
      text: exchanged,
    });
  return exchanged;
}

/** @returns why the code is refused, for operators, if it is */
async function exchangeInTransaction(
  tx: Transaction,
  deps: ExchangeDeps,
  client: Client,
  exchange: CodeExchange,
): Promise<ExchangedCode | string> {
  const row = await tx.tickets.get(hashSecret(exchange.code));
  const { authorization } = row ?? {};
  if (!row || !authorization) return 'The server has not issued this code, or it has expired.';
  if (row.clientId !== client.clientId) return 'The code belongs to another client.';
  if (authorization.flow !== undefined) deps.recordFlow(authorization.flow);
  const now = epochSeconds(deps.clock);
  if (authorization.startedSessionId !== undefined) {
    if (row.expiresAt > now) await endSession(tx, { sessionId: authorization.startedSessionId });
    return 'The code was used already: the session that it had started has ended.';
  }
  const issuedAt = row.expiresAt - oneTimeTokenLifetimes['authorization-code'];
  if (issuedAt + codeLifetimeSeconds <= now) return `The code has expired, ${codeLifetimeSeconds} s after the login.`;
  const mismatch = findMismatch(authorization, exchange);
  if (mismatch !== undefined) return mismatch;
  const { resources } = exchange;
  const grantType = 'authorization_code';
  const content = await startClientSession(tx, deps, { row, grantType, grant: authorization, resources });
  if (!content)
    return 'The session of the browser has ended, the user is locked, the consent was revoked, or the logins of the client were switched off.';
  const { sessionId: startedSessionId } = content.session;
  await tx.tickets.replace({ ...row, authorization: { ...authorization, startedSessionId } });
  return { content, nonce: authorization.nonce };
}

type Authorization = NonNullable<OneTimeToken['authorization']>;

/** @returns what differs from the request for the code; undefined if nothing does */
function findMismatch(
  { redirectUri, isRedirectUriGiven, codeChallenge }: Authorization,
  exchange: CodeExchange,
): string | undefined {
  const isSameUri = exchange.redirectUri === undefined ? !isRedirectUriGiven : exchange.redirectUri === redirectUri;
  if (!isSameUri) return `redirect_uri is not that of the authorization request: ${redirectUri}`;
  // A verifier for a code without a challenge: an attacker removed the challenge (RFC 9700, 4.8.2).
  if (codeChallenge === undefined)
    return exchange.codeVerifier === undefined ? undefined : 'The authorization request had no code_challenge.';
  const isSameBrowser = exchange.codeVerifier !== undefined && isVerifierOf(exchange.codeVerifier, codeChallenge);
  return isSameBrowser ? undefined : 'code_verifier is missing, or does not match code_challenge (PKCE, RFC 7636).';
}

/** RFC 7636, 4.1 and 4.6. */
function isVerifierOf(verifier: string, challenge: string): boolean {
  if (!/^[A-Za-z0-9._~-]{43,128}$/.test(verifier)) return false;
  return secretMatches(hash('sha256', verifier, 'base64url'), hashSecret(challenge));
}

interface ClientSessionStart {
  /** The code, with the client, the user and the session of the browser. */
  readonly row: OneTimeToken;
  /** A device is another machine: its session does not end with that of the browser. */
  readonly grantType: LoginGrantType;
  readonly grant: Pick<Authorization, 'openidScopes' | 'resources'>;
  /** The part of the granted resources that the first token is for. */
  readonly resources?: readonly string[] | undefined;
}

type StartDeps = SessionDeps & ContentDeps & { readonly issuerUrl: string };

/**
 * Starts the session of a client for the user of a browser session, with which it ends unless it is of a device. Undefined
 * if that session has ended, the user is locked or has revoked the consent, or users can no longer log in to the client.
 * @throws IamError TARGET_INVALID, TOKEN_TOO_LONG.
 */
export async function startClientSession(
  tx: Transaction,
  deps: StartDeps,
  { row, grantType, grant, resources }: ClientSessionStart,
): Promise<UserContent | undefined> {
  // Not as the request read it before the transaction: its logins can have been switched off in the meantime.
  const client = await tx.clients.get(row.clientId ?? '');
  if (!client || !takesPartInLogins(client, grantType)) return undefined;
  const browserSession = await findActiveSession(tx, row.sessionId ?? '', epochSeconds(deps.clock));
  const user = await tx.users.get(row.userId ?? '');
  if (!browserSession?.browser || !user || user.locked) return undefined;
  const { clientId } = client;
  const { openidScopes } = grant;
  const isThirdParty = client.party === '3RDPARTY';
  if (isThirdParty && !hasConsented(user, clientId, [...openidScopes, ...(row.scope ?? [])])) return undefined;
  const { authenticatedAt, methods } = browserSession.browser;
  const level = row.level === 'AUTH-MFA' ? browserSession.level : (row.level ?? 'AUTH-BASIC');
  const outlives = grantType === deviceGrantType || openidScopes.includes('offline_access');
  const started = await startSession(
    tx,
    {
      ...{ client, userId: user.userId, level, remember: false },
      ...{ scope: row.scope, resources: grant.resources },
      renewable: client.grantTypes.includes('refresh_token'),
      parentSession: outlives ? { ...browserSession, endsAt: Number.MAX_SAFE_INTEGER } : browserSession,
      openid: {
        ...{ grantType, scopes: openidScopes, authenticatedAt, methods },
        ...(outlives ? {} : { browserSessionId: browserSession.sessionId }),
        ...(isThirdParty ? { isLimited: true as const } : {}),
      },
    },
    deps,
  );
  const session = narrowAudiences(started.session, client, { resources, issuer: deps.issuerUrl });
  return readUserContent(deps, { ...started, session, user, client });
}
