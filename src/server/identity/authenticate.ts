/** From what a call presents to who it is. Every way ends here, so that all of them hold the same rules. */
import { apiError, type ErrorCode, type IamError } from '../../contract/errors.ts';
import type { Auth } from '../../contract/operation.ts';
import { type Clock, epochSeconds } from '../clock.ts';
import type { RequestSource } from '../http/request-source.ts';
import type { Store } from '../store/store.ts';
import type { Client } from '../store/tables.ts';
import { type AccessClaims, parseAuthorities } from '../tokens/claims.ts';
import type { TokenVerifier } from '../tokens/verify.ts';
import type { ApiKeyUses } from './api-key-uses.ts';
import { hasOwner, isOwnerActive, partyRole, resolveAuthenticatedClientRoles } from './clients.ts';
import type { BasicCredentials, RequestCredentials } from './credentials.ts';
import { type ErrorReason, withReason } from './error-reasons.ts';
import type { Principal } from './principal.ts';
import { hashSecret, secretMatches } from './secrets.ts';
import { computeLevel, findActiveSession } from './sessions.ts';
import type { Throttles } from './throttles.ts';
import { resolveUserRoles, rolesOfLevel } from './user-roles.ts';

/** What of a world authentication needs. */
export interface Authentication {
  readonly store: Store;
  readonly clock: Clock;
  readonly verifier: TokenVerifier;
  readonly throttles: Throttles;
  readonly apiKeyUses: ApiKeyUses;
}

/**
 * @returns who calls; undefined where nothing is presented.
 * @throws IamError CREDENTIALS_*, TOKEN_INVALID, TOO_MANY_ATTEMPTS.
 */
export function authenticate(
  deps: Authentication,
  credentials: RequestCredentials,
  { auth, source }: { readonly auth: Auth; readonly source: RequestSource },
): Promise<Principal | undefined> {
  const principal = authenticateCredentials(deps, credentials, source);
  const { clientId } = credentials;
  return auth === 'client-id' && clientId !== undefined ? assertSameClient(deps, principal, clientId) : principal;
}

/** A name beside a proof adds nothing, and must not say something else; without one it is all there is. */
async function assertSameClient(
  deps: Authentication,
  authentication: Promise<Principal | undefined>,
  clientId: string,
): Promise<Principal | undefined> {
  const principal = await authentication;
  if (principal === undefined) return identifyClient(deps, clientId);
  if (principal.client.clientId !== clientId)
    throw withReason(apiError('CREDENTIALS_AMBIGUOUS', 'clientId names another client than the credentials do.'), {
      text: 'The credentials are those of this client, and clientId names another.',
      client: principal.client,
    });
  return principal;
}

function authenticateCredentials(
  deps: Authentication,
  credentials: RequestCredentials,
  source: RequestSource,
): Promise<Principal | undefined> {
  if (credentials.bearer !== undefined) return authenticateToken(deps, credentials.bearer);
  if (credentials.basic) return authenticateBasic(deps, credentials.basic, source);
  return credentials.apiKey === undefined ? noPrincipal : authenticateApiKey(deps, credentials.apiKey);
}

const noPrincipal = Promise.resolve(undefined);

async function authenticateBasic(
  deps: Authentication,
  pair: BasicCredentials,
  source: RequestSource,
): Promise<Principal> {
  return createClientPrincipal(deps.store, await authenticateClient(deps, pair, source), 'basic');
}

/**
 * Proves a client by its secret. Unknown id, wrong secret, and a client without one are told apart by nothing. A right
 * secret is accepted whatever others fail, or the source itself: it is random, and no one finds it by guessing.
 * @throws IamError CREDENTIALS_INVALID; TOO_MANY_ATTEMPTS for a wrong one, where the source had its fill.
 */
export async function authenticateClient(
  deps: Authentication,
  { name, secret }: BasicCredentials,
  source: RequestSource,
): Promise<Client> {
  const client = await deps.store.clients.get(name);
  if (!secretMatches(secret, client?.secretHash) || !client) {
    deps.throttles.clientSecret.recordFailure(source);
    throw withReason(createAuthenticationError('CREDENTIALS_INVALID'), explainSecretMismatch(client));
  }
  if (!(await isOwnerActive(deps.store, client)))
    throw withReason(createAuthenticationError('CREDENTIALS_INVALID'), createInactiveOwnerReason(client));
  return client;
}

function explainSecretMismatch(client: Client | undefined): ErrorReason {
  if (!client) return { text: 'There is no client of the id that was given.' };
  const text =
    client.secretHash === undefined ? 'The client has no secret to show.' : 'The secret is not that of the client.';
  return { text, client };
}

function createInactiveOwnerReason(client: Client): ErrorReason {
  return { text: 'What owns the client is gone, or is a user who is locked.', client };
}

/** A client that has proven itself, with all roles that it has now. */
export async function createClientPrincipal(
  store: Store,
  client: Client,
  authMethod: 'basic' | 'api-key',
): Promise<Principal> {
  const roles = await resolveAuthenticatedClientRoles(store, client);
  return { authMethod, client, subject: client.clientId, roles, scope: new Set(client.scope) };
}

async function identifyClient(deps: Authentication, clientId: string): Promise<Principal> {
  const client = await deps.store.clients.get(clientId);
  if (!client)
    throw withReason(createAuthenticationError('CREDENTIALS_INVALID'), { text: 'clientId names no client.' });
  if (!(await isOwnerActive(deps.store, client)))
    throw withReason(createAuthenticationError('CREDENTIALS_INVALID'), createInactiveOwnerReason(client));
  const roles = new Set(['CLI-AUTH-IDENTIFIED', partyRole(client)]);
  return { authMethod: 'client-id', client, subject: client.clientId, roles, scope: new Set(client.scope) };
}

async function authenticateApiKey(deps: Authentication, key: string): Promise<Principal> {
  const row = await deps.store.apiKeys.getBy('keyHash', hashSecret(key));
  const client = row && (await deps.store.clients.get(row.clientId));
  if (!row || !client)
    throw withReason(createAuthenticationError('CREDENTIALS_INVALID'), {
      text: 'The server has no such API key, or no longer.',
    });
  if (!(await isOwnerActive(deps.store, client)))
    throw withReason(createAuthenticationError('CREDENTIALS_INVALID'), createInactiveOwnerReason(client));
  deps.apiKeyUses.record(row.apiKeyId, deps.clock.now());
  return createClientPrincipal(deps.store, client, 'api-key');
}

/** A token says who and what; the store says what of it still holds. */
async function authenticateToken(deps: Authentication, token: string): Promise<Principal> {
  const claims = await deps.verifier.verify(token);
  if (!claims)
    throw withReason(createAuthenticationError('TOKEN_INVALID'), () => ({ text: deps.verifier.explain(token) }));
  const client = await deps.store.clients.get(claims.client_id);
  if (!client) throw createTokenError('The client that the token was issued to is gone.');
  if (claims.iat < (client.tokensValidFrom ?? 0))
    throw createTokenError('The client was changed since the token was issued; it has to log in again.', { client });
  if (hasOwner(client) && !(await isOwnerActive(deps.store, client)))
    throw withReason(createAuthenticationError('TOKEN_INVALID'), createInactiveOwnerReason(client));
  // Awaited here: a promise that an async function returns is waited for in three turns, not one.
  if (claims.user_id !== undefined) return await resolveUserToken(deps, claims, client);
  if (claims.logon !== undefined) return await resolveLogonToken(deps, claims, client, claims.logon);
  return await resolveClientToken(deps, claims, client);
}

/** A client that calls with a token of its own. */
async function resolveClientToken(deps: Authentication, claims: AccessClaims, client: Client): Promise<Principal> {
  if (await isRevoked(deps, claims))
    throw createTokenError(claims.sid === undefined ? 'The token was revoked.' : 'The session of the token is over.', {
      client,
    });
  if (claims.sub !== client.clientId)
    throw createTokenError('The token names another subject than its client.', { client });
  const cached = principalCache.get(claims);
  if (cached?.client === client) return cached;
  const principal = createTokenPrincipal(claims, client, await resolveAuthenticatedClientRoles(deps.store, client));
  if (client.serviceAccountId === undefined) principalCache.set(claims, principal);
  return principal;
}

/** A client's token ends with its session; one that has none can be revoked by itself. */
async function isRevoked({ store, clock }: Authentication, { sid, jti }: AccessClaims): Promise<boolean> {
  if (sid !== undefined) return !(await findActiveSession(store, sid, epochSeconds(clock)));
  return (await store.revokedTokens.get(jti)) !== undefined;
}

/** What tokens gave to clients that have no groups. Claims and rows do not change in place, so the same two give the same. */
const principalCache = new WeakMap<AccessClaims, Principal>();

/** What both the token says and the store grants now. */
function createTokenPrincipal(claims: AccessClaims, client: Client, granted: ReadonlySet<string>): Principal {
  const roles = new Set(parseAuthorities(claims).filter((role) => granted.has(role)));
  const scope = new Set(claims.scope.filter((name) => client.scope.includes(name)));
  return { authMethod: 'bearer', client, subject: claims.sub, roles, scope };
}

/** A client that calls on behalf of a user in its session. Of its client such a token carries no more than the party. */
async function resolveUserToken(deps: Authentication, claims: AccessClaims, client: Client): Promise<Principal> {
  const now = epochSeconds(deps.clock);
  const session = await findActiveSession(deps.store, claims.sid ?? '', now);
  const user = await deps.store.users.get(claims.user_id ?? '');
  if (!session) throw createTokenError('The session of the token is over.', { client, user });
  if (!user) throw createTokenError('The user of the token is gone.', { client });
  if (user.locked) throw createTokenError('The user is locked.', { client, user });
  if (session.userId !== user.userId)
    throw createTokenError('The session of the token is of another user.', { client, user });
  const granted = await resolveUserRoles(deps.store, user, computeLevel(session, now));
  if (session.smart) granted.add('AUTH-SMART');
  for (const role of ['CLI-AUTH-IDENTIFIED', partyRole(client)]) granted.add(role);
  return { ...createTokenPrincipal(claims, client, granted), user, session };
}

/** A client that calls on behalf of a mainframe logon that is bound to no user. */
async function resolveLogonToken(
  deps: Authentication,
  claims: AccessClaims,
  client: Client,
  logon: string,
): Promise<Principal> {
  const now = epochSeconds(deps.clock);
  const session = await findActiveSession(deps.store, claims.sid ?? '', now);
  if (!session) throw createTokenError('The session of the token is over.', { client });
  if (session.logon !== logon || session.userId !== undefined)
    throw createTokenError('The session began with another logon, or the logon belongs to a user by now.', { client });
  const granted = new Set([...rolesOfLevel(computeLevel(session, now)), 'CLI-AUTH-IDENTIFIED', partyRole(client)]);
  return { ...createTokenPrincipal(claims, client, granted), session, logon };
}

function createTokenError(text: string, about: Omit<ErrorReason, 'text'> = {}): IamError {
  return withReason(createAuthenticationError('TOKEN_INVALID'), { text, ...about });
}

type AuthenticationErrorCode = Extract<ErrorCode, 'CREDENTIALS_MISSING' | 'CREDENTIALS_INVALID' | 'TOKEN_INVALID'>;

/** A 401 with the challenge that fits it (RFC 6750, 3.1; RFC 7617). */
export function createAuthenticationError(code: AuthenticationErrorCode, challenge = challenges[code]): IamError {
  return apiError(code, undefined, { 'WWW-Authenticate': challenge });
}

/** Asks for id and secret (RFC 7617). */
export const basicChallenge = 'Basic realm="iam", charset="UTF-8"';

const challenges = {
  CREDENTIALS_MISSING: 'Bearer realm="iam"',
  CREDENTIALS_INVALID: basicChallenge,
  TOKEN_INVALID: 'Bearer realm="iam", error="invalid_token"',
};
