/** Authenticates the caller from the credentials of a request. Every authentication method uses these rules. */

import { apiError, type ErrorReason, type IamError } from '../../contract/errors.ts';
import type { Auth } from '../../contract/operation.ts';
import type { ApiKeyUses } from '../directory/api-key-uses.ts';
import { computeLevel, rolesOfLevel } from '../directory/authentication-levels.ts';
import { hasOwner, isOwnerActive, partyRole, resolveAuthenticatedClientRoles } from '../directory/clients.ts';
import type { Principal } from '../directory/principal.ts';
import { findApiKey, isAccepted, matchClientSecret } from '../directory/replaced-secrets.ts';
import { listMemberIdentities, resolveUserRoles } from '../directory/user-roles.ts';
import { type Clock, epochSeconds } from '../lib/clock.ts';
import type { RequestSource } from '../lib/request-source.ts';
import type { Throttles } from '../limits/throttles.ts';
import { findActiveSession } from '../sessions/sessions.ts';
import type { Derivation } from '../store/derived-values.ts';
import type { Prefetch, Reader, Store } from '../store/store.ts';
import { type Client, memberValue, type User } from '../store/tables.ts';
import { createAuthenticationError } from '../tokens/authentication-error.ts';
import { type AccessClaims, parseAuthorities } from '../tokens/claims.ts';
import type { TokenVerifier } from '../tokens/verify.ts';
import type { BasicCredentials, RequestCredentials } from './credentials.ts';

export interface Authentication {
  readonly store: Store;
  readonly clock: Clock;
  readonly verifier: TokenVerifier;
  readonly throttles: Throttles;
  readonly apiKeyUses: ApiKeyUses;
}

interface AuthenticateOptions {
  readonly auth: Auth;
  readonly source: RequestSource;
  /** Also accepts tokens for other services only: to tell about them, never to serve a request. */
  readonly isAnyAudience?: boolean;
}

/**
 * @returns the caller; undefined if the request has no credentials.
 * @throws IamError CREDENTIALS_*, TOKEN_INVALID, TOO_MANY_ATTEMPTS.
 */
export function authenticate(
  deps: Authentication,
  credentials: RequestCredentials,
  { auth, source, isAnyAudience = false }: AuthenticateOptions,
): Promise<Principal | undefined> {
  const principal = authenticateCredentials(deps, credentials, { source, isAnyAudience });
  const { clientId } = credentials;
  return auth === 'client-id' && clientId !== undefined ? assertSameClient(deps, principal, clientId) : principal;
}

/** With credentials, clientId must name the authenticated client; without credentials, it identifies the client. */
async function assertSameClient(
  deps: Authentication,
  authentication: Promise<Principal | undefined>,
  clientId: string,
): Promise<Principal | undefined> {
  const principal = await authentication;
  if (principal === undefined) return identifyClient(deps, clientId);
  if (principal.client.clientId !== clientId)
    throw apiError('CREDENTIALS_AMBIGUOUS', 'clientId names another client than the credentials do.').withReason({
      text: 'The credentials belong to this client, but clientId names another client.',
      clientId: principal.client.clientId,
    });
  return principal;
}

function authenticateCredentials(
  deps: Authentication,
  credentials: RequestCredentials,
  { source, isAnyAudience }: Required<Omit<AuthenticateOptions, 'auth'>>,
): Promise<Principal | undefined> {
  if (credentials.bearer !== undefined) return authenticateToken(deps, credentials.bearer, isAnyAudience);
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
 * Authenticates a client by its secret. The response does not distinguish an unknown id, a wrong secret and a client
 * without a secret. A correct secret is accepted regardless of failures, by other sources or by this one: it is random
 * and cannot be found by guessing.
 * @throws IamError CREDENTIALS_INVALID; TOO_MANY_ATTEMPTS for a wrong secret if the source has reached its limit.
 */
export async function authenticateClient(
  deps: Authentication,
  { name, secret }: BasicCredentials,
  source: RequestSource,
): Promise<Client> {
  const client = await deps.store.clients.get(name);
  const match = matchClientSecret(secret, client, deps.clock.now());
  if (!isAccepted(match) || !client) {
    deps.throttles.clientSecret.recordFailure(source);
    throw createAuthenticationError('CREDENTIALS_INVALID').withReason(explainSecretMismatch(client, match === 'ended'));
  }
  if (!(await isOwnerActive(deps.store, client)))
    throw createAuthenticationError('CREDENTIALS_INVALID').withReason(createInactiveOwnerReason(client));
  return client;
}

function explainSecretMismatch(client: Client | undefined, hasEnded: boolean): ErrorReason {
  if (!client) return { text: 'No client has the given id.' };
  const { clientId, secretHash, previousSecret, secretRotatedAt } = client;
  if (hasEnded) return { text: explainRotation('secret', secretRotatedAt, previousSecret?.endsAt), clientId };
  return { text: secretHash === undefined ? 'The client has no secret.' : 'The secret does not match.', clientId };
}

function explainRotation(what: string, rotatedAt = 'an unknown time', endsAt = rotatedAt): string {
  return `The ${what} was replaced at ${rotatedAt}, and was valid until ${endsAt}.`;
}

function createInactiveOwnerReason(client: Client): ErrorReason {
  return { text: 'The owner of the client was removed, or is a locked user.', clientId: client.clientId };
}

async function createClientPrincipal(
  store: Store,
  client: Client,
  authMethod: 'basic' | 'api-key',
): Promise<Principal> {
  const roles = await resolveAuthenticatedClientRoles(store, client);
  return { authMethod, client, subject: client.clientId, roles, scope: new Set(client.scope) };
}

async function identifyClient(deps: Authentication, clientId: string): Promise<Principal> {
  const client = await deps.store.clients.get(clientId);
  if (!client) throw createAuthenticationError('CREDENTIALS_INVALID').withReason({ text: 'clientId names no client.' });
  if (!(await isOwnerActive(deps.store, client)))
    throw createAuthenticationError('CREDENTIALS_INVALID').withReason(createInactiveOwnerReason(client));
  const roles = new Set(['CLI-AUTH-IDENTIFIED', partyRole(client)]);
  return { authMethod: 'client-id', client, subject: client.clientId, roles, scope: new Set(client.scope) };
}

async function authenticateApiKey(deps: Authentication, key: string): Promise<Principal> {
  const now = deps.clock.now();
  const { row, match } = await findApiKey(deps.store, key, now);
  const client = row && (await deps.store.clients.get(row.clientId));
  if (!row || !client || !isAccepted(match))
    throw createAuthenticationError('CREDENTIALS_INVALID').withReason(
      row && match === 'ended'
        ? { text: explainRotation('API key', row.rotatedAt, row.previousKey?.endsAt), clientId: row.clientId }
        : { text: 'The API key does not exist or was deleted.' },
    );
  if (!(await isOwnerActive(deps.store, client)))
    throw createAuthenticationError('CREDENTIALS_INVALID').withReason(createInactiveOwnerReason(client));
  deps.apiKeyUses.record(row.apiKeyId, now);
  return createClientPrincipal(deps.store, client, 'api-key');
}

/** The token contains subject, roles and scope; the store decides which of them are still valid. */
async function authenticateToken(
  { verifier, clock, store }: Authentication,
  token: string,
  isAnyAudience: boolean,
): Promise<Principal> {
  const claims = await (isAnyAudience ? verifier.verifyForAnyAudience(token) : verifier.verify(token));
  if (!claims) throw createAuthenticationError('TOKEN_INVALID').withReason(() => ({ text: verifier.explain(token) }));
  const deps: TokenReading = { clock, store: store.prefetch ? await store.prefetch(listReads(claims)) : store };
  const client = await deps.store.clients.get(claims.client_id);
  if (!client) throw createTokenError('The client that the token was issued to no longer exists.');
  if (hasOwner(client) && !(await isOwnerActive(deps.store, client)))
    throw createAuthenticationError('TOKEN_INVALID').withReason(createInactiveOwnerReason(client));
  // `return await`: returning a promise from an async function costs two extra microtask turns.
  if (claims.user_id !== undefined) return await resolveUserToken(deps, claims, client);
  if (claims.logon !== undefined) return await resolveLogonToken(deps, claims, client, claims.logon);
  return await resolveClientToken(deps, claims, client);
}

interface TokenReading {
  readonly clock: Clock;
  readonly store: Reader;
}

/** The rows that the claims refer to. Others, such as the owner of a service, are read afterwards. */
function listReads(claims: AccessClaims): Prefetch {
  const { client_id, sid, jti, user_id, business_id, service_id, narrowed } = claims;
  const user = user_id === undefined ? undefined : listMemberIdentities({ userId: user_id, businessId: business_id });
  const service = service_id === undefined ? undefined : [{ kind: 'service', memberId: service_id } as const];
  return {
    keys: {
      clients: client_id,
      ...(sid === undefined || narrowed ? { revokedTokens: jti } : {}),
      ...(sid === undefined ? {} : { sessions: sid }),
      ...(user_id === undefined ? {} : { users: user_id }),
      ...(user_id !== undefined || business_id === undefined ? {} : { businesses: business_id }),
    },
    members: (user ?? service)?.map(memberValue),
  };
}

async function resolveClientToken(deps: TokenReading, claims: AccessClaims, client: Client): Promise<Principal> {
  if ((claims.generation ?? 0) !== (client.tokenGeneration ?? 0))
    throw createTokenError('The client was changed after the token was issued. It must log in again.', {
      client,
    });
  if (await isRevoked(deps, claims))
    throw createTokenError(claims.sid === undefined ? 'The token was revoked.' : 'The session of the token ended.', {
      client,
    });
  if (claims.sub !== client.clientId)
    throw createTokenError('The token names a subject other than its client.', { client });
  const cache = deps.store.clients.rowCache(clientPrincipals);
  const principals = cache.get(client) ?? new WeakMap<AccessClaims, Principal>();
  const cached = principals.get(claims);
  if (cached) return cached;
  const principal = createTokenPrincipal(claims, client, await resolveAuthenticatedClientRoles(deps.store, client));
  if (client.serviceAccountId === undefined) cache.set(client, principals.set(claims, principal));
  return principal;
}

/** A client's token ends with its session; a token without a session can be revoked individually. */
async function isRevoked({ store, clock }: TokenReading, { sid, jti }: AccessClaims): Promise<boolean> {
  if (sid !== undefined) return !(await findActiveSession(store, sid, epochSeconds(clock)));
  return (await store.revokedTokens.get(jti)) !== undefined;
}

/** Principals of clients without groups, by the claims of the token: claims are immutable, as rows are. */
const clientPrincipals: Derivation<WeakMap<AccessClaims, Principal>> = { name: 'client principals' };

/** Limits roles and scope to those that both the token contains and the store currently grants. */
function createTokenPrincipal(
  claims: AccessClaims,
  client: Client,
  granted: ReadonlySet<string>,
  openidScopes: readonly string[] = [],
): Principal {
  const roles = new Set(parseAuthorities(claims).filter((role) => granted.has(role)));
  const scope = new Set(claims.scope.filter((name) => client.scope.includes(name) || openidScopes.includes(name)));
  return { authMethod: 'bearer', client, subject: claims.sub, roles, scope };
}

/** A client acting for a user in its session. Of the client's roles, such a token carries only identification and party. */
async function resolveUserToken(deps: TokenReading, claims: AccessClaims, client: Client): Promise<Principal> {
  const now = epochSeconds(deps.clock);
  const session = await findActiveSession(deps.store, claims.sid ?? '', now);
  const user = await deps.store.users.get(claims.user_id ?? '');
  if (!session) throw createTokenError('The session of the token ended.', { client, user });
  if (claims.narrowed && (await deps.store.revokedTokens.get(claims.jti)))
    throw createTokenError('The token was revoked.', { client, user });
  if (!user) throw createTokenError('The user of the token no longer exists.', { client });
  if (user.locked) throw createTokenError('The user is locked.', { client, user });
  if (session.userId !== user.userId)
    throw createTokenError('The session of the token belongs to another user.', { client, user });
  if (claims.sub !== user.userId)
    throw createTokenError('The token names a subject other than its user.', { client, user });
  const granted = await resolveUserRoles(deps.store, user, computeLevel(session, now));
  if (session.smart) granted.add('AUTH-SMART');
  for (const role of ['CLI-AUTH-IDENTIFIED', partyRole(client)]) granted.add(role);
  const principal = createTokenPrincipal(claims, client, granted, session.openid?.scopes);
  const { narrowed, aud } = claims;
  return { ...principal, user, session, narrowed, resources: narrowed?.includes('aud') ? [aud].flat() : undefined };
}

/** A client acting for a mainframe logon that is linked to no user. */
async function resolveLogonToken(
  deps: TokenReading,
  claims: AccessClaims,
  client: Client,
  logon: string,
): Promise<Principal> {
  const now = epochSeconds(deps.clock);
  const session = await findActiveSession(deps.store, claims.sid ?? '', now);
  if (!session) throw createTokenError('The session of the token ended.', { client });
  if (session.logon !== logon || session.userId !== undefined)
    throw createTokenError('The session was started with another logon, or the logon now belongs to a user.', {
      client,
    });
  const granted = new Set([...rolesOfLevel(computeLevel(session, now)), 'CLI-AUTH-IDENTIFIED', partyRole(client)]);
  return { ...createTokenPrincipal(claims, client, granted), session, logon };
}

function createTokenError(text: string, { client, user }: { client?: Client; user?: User | undefined } = {}): IamError {
  return createAuthenticationError('TOKEN_INVALID').withReason({
    text,
    clientId: client?.clientId,
    userId: user?.userId,
  });
}
