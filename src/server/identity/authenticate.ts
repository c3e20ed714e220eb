/** From what a call presents to who it is. Every way ends here, so that all of them hold the same rules. */
import { type ErrorCode, fault, type IamError } from '../../contract/errors.ts';
import type { Auth } from '../../contract/operation.ts';
import { type Clock, epochSeconds } from '../clock.ts';
import type { RequestSource } from '../http/request-source.ts';
import type { Store } from '../store/store.ts';
import type { Client } from '../store/tables.ts';
import { type AccessClaims, authoritiesOf } from '../tokens/claims.ts';
import type { TokenVerifier } from '../tokens/verify.ts';
import type { ApiKeyUses } from './api-key-uses.ts';
import { hasOwner, ownerInForce, partyRole, rolesOfProvenClient } from './clients.ts';
import type { Pair, Presented } from './credentials.ts';
import type { Principal } from './principal.ts';
import { because, type Reason } from './reasons.ts';
import { hashSecret, secretMatches } from './secrets.ts';
import { levelOf, sessionInForce } from './sessions.ts';
import type { Throttles } from './throttles.ts';
import { rolesOfLevel, rolesOfUser } from './users.ts';

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
  by: Authentication,
  presented: Presented,
  { auth, source }: { readonly auth: Auth; readonly source: RequestSource },
): Promise<Principal | undefined> {
  const principal = proven(by, presented, source);
  const { clientId } = presented;
  return auth === 'client-id' && clientId !== undefined ? agreeing(by, principal, clientId) : principal;
}

/** A name beside a proof adds nothing, and must not say something else; without one it is all there is. */
async function agreeing(
  by: Authentication,
  proof: Promise<Principal | undefined>,
  clientId: string,
): Promise<Principal | undefined> {
  const principal = await proof;
  if (principal === undefined) return named(by, clientId);
  if (principal.client.clientId !== clientId)
    throw because(fault('CREDENTIALS_AMBIGUOUS', 'clientId names another client than the credentials do.'), {
      text: 'The credentials are those of this client, and clientId names another.',
      client: principal.client,
    });
  return principal;
}

function proven(by: Authentication, presented: Presented, source: RequestSource): Promise<Principal | undefined> {
  if (presented.bearer !== undefined) return fromToken(by, presented.bearer);
  if (presented.basic) return fromBasic(by, presented.basic, source);
  return presented.apiKey === undefined ? nobody : fromApiKey(by, presented.apiKey);
}

const nobody = Promise.resolve(undefined);

async function fromBasic(by: Authentication, pair: Pair, source: RequestSource): Promise<Principal> {
  return provenClient(by.store, await authenticateClient(by, pair, source), 'basic');
}

/**
 * Proves a client by its secret. Unknown id, wrong secret, and a client without one are told apart by nothing. A right
 * secret is accepted whatever others fail, or the source itself: it is random, and no one finds it by guessing.
 * @throws IamError CREDENTIALS_INVALID; TOO_MANY_ATTEMPTS for a wrong one, where the source had its fill.
 */
export async function authenticateClient(
  by: Authentication,
  { name, secret }: Pair,
  source: RequestSource,
): Promise<Client> {
  const client = await by.store.clients.get(name);
  if (!secretMatches(secret, client?.secretHash) || !client) {
    by.throttles.clientSecret.failed(source);
    throw because(unauthenticated('CREDENTIALS_INVALID'), whyNotProven(client));
  }
  if (!(await ownerInForce(by.store, client))) throw because(unauthenticated('CREDENTIALS_INVALID'), ownerless(client));
  return client;
}

function whyNotProven(client: Client | undefined): Reason {
  if (!client) return { text: 'There is no client of the id that was given.' };
  const text =
    client.secretHash === undefined ? 'The client has no secret to show.' : 'The secret is not that of the client.';
  return { text, client };
}

function ownerless(client: Client): Reason {
  return { text: 'What owns the client is gone, or is a user who is locked.', client };
}

/** A client that has proven itself, with all roles that it has now. */
export async function provenClient(store: Store, client: Client, way: 'basic' | 'api-key'): Promise<Principal> {
  const roles = await rolesOfProvenClient(store, client);
  return { way, client, subject: client.clientId, roles, scope: new Set(client.scope) };
}

async function named(by: Authentication, clientId: string): Promise<Principal> {
  const client = await by.store.clients.get(clientId);
  if (!client) throw because(unauthenticated('CREDENTIALS_INVALID'), { text: 'clientId names no client.' });
  if (!(await ownerInForce(by.store, client))) throw because(unauthenticated('CREDENTIALS_INVALID'), ownerless(client));
  const roles = new Set(['CLI-AUTH-IDENTIFIED', partyRole(client)]);
  return { way: 'client-id', client, subject: client.clientId, roles, scope: new Set(client.scope) };
}

async function fromApiKey(by: Authentication, key: string): Promise<Principal> {
  const row = await by.store.apiKeys.getBy('keyHash', hashSecret(key));
  const client = row && (await by.store.clients.get(row.clientId));
  if (!row || !client)
    throw because(unauthenticated('CREDENTIALS_INVALID'), { text: 'The server has no such API key, or no longer.' });
  if (!(await ownerInForce(by.store, client))) throw because(unauthenticated('CREDENTIALS_INVALID'), ownerless(client));
  by.apiKeyUses.note(row.apiKeyId, by.clock.now());
  return provenClient(by.store, client, 'api-key');
}

/** A token says who and what; the store says what of it still holds. */
async function fromToken(by: Authentication, token: string): Promise<Principal> {
  const claims = await by.verifier.verify(token);
  if (!claims) throw because(unauthenticated('TOKEN_INVALID'), () => ({ text: by.verifier.explain(token) }));
  const client = await by.store.clients.get(claims.client_id);
  if (!client) throw notTaken('The client that the token was issued to is gone.');
  if (claims.iat < (client.tokensValidFrom ?? 0))
    throw notTaken('The client was changed since the token was issued; it has to log in again.', { client });
  if (hasOwner(client) && !(await ownerInForce(by.store, client)))
    throw because(unauthenticated('TOKEN_INVALID'), ownerless(client));
  // Awaited here: a promise that an async function returns is waited for in three turns, not one.
  if (claims.user_id !== undefined) return await userOf(by, claims, client);
  if (claims.logon !== undefined) return await logonOf(by, claims, client, claims.logon);
  return await clientOf(by, claims, client);
}

/** A client that calls with a token of its own. */
async function clientOf(by: Authentication, claims: AccessClaims, client: Client): Promise<Principal> {
  if (await isEnded(by, claims))
    throw notTaken(claims.sid === undefined ? 'The token was revoked.' : 'The session of the token is over.', {
      client,
    });
  if (claims.sub !== client.clientId) throw notTaken('The token names another subject than its client.', { client });
  const known = holders.get(claims);
  if (known?.client === client) return known;
  const holder = holderOf(claims, client, await rolesOfProvenClient(by.store, client));
  if (client.serviceAccountId === undefined) holders.set(claims, holder);
  return holder;
}

/** A client's token ends with its session; one that has none can be revoked by itself. */
async function isEnded({ store, clock }: Authentication, { sid, jti }: AccessClaims): Promise<boolean> {
  if (sid !== undefined) return !(await sessionInForce(store, sid, epochSeconds(clock)));
  return (await store.revokedTokens.get(jti)) !== undefined;
}

/** What tokens gave to clients that have no groups. Claims and rows do not change in place, so the same two give the same. */
const holders = new WeakMap<AccessClaims, Principal>();

/** What both the token says and the store grants now. */
function holderOf(claims: AccessClaims, client: Client, granted: ReadonlySet<string>): Principal {
  const roles = new Set(authoritiesOf(claims).filter((role) => granted.has(role)));
  const scope = new Set(claims.scope.filter((name) => client.scope.includes(name)));
  return { way: 'bearer', client, subject: claims.sub, roles, scope };
}

/** A client that calls on behalf of a user in its session. Of its client such a token carries no more than the party. */
async function userOf(by: Authentication, claims: AccessClaims, client: Client): Promise<Principal> {
  const now = epochSeconds(by.clock);
  const session = await sessionInForce(by.store, claims.sid ?? '', now);
  const user = await by.store.users.get(claims.user_id ?? '');
  if (!session) throw notTaken('The session of the token is over.', { client, user });
  if (!user) throw notTaken('The user of the token is gone.', { client });
  if (user.locked) throw notTaken('The user is locked.', { client, user });
  if (session.userId !== user.userId) throw notTaken('The session of the token is of another user.', { client, user });
  const granted = await rolesOfUser(by.store, user, levelOf(session, now));
  if (session.smart) granted.add('AUTH-SMART');
  for (const role of ['CLI-AUTH-IDENTIFIED', partyRole(client)]) granted.add(role);
  return { ...holderOf(claims, client, granted), user, session };
}

/** A client that calls on behalf of a mainframe logon that is bound to no user. */
async function logonOf(by: Authentication, claims: AccessClaims, client: Client, logon: string): Promise<Principal> {
  const now = epochSeconds(by.clock);
  const session = await sessionInForce(by.store, claims.sid ?? '', now);
  if (!session) throw notTaken('The session of the token is over.', { client });
  if (session.logon !== logon || session.userId !== undefined)
    throw notTaken('The session began with another logon, or the logon belongs to a user by now.', { client });
  const granted = new Set([...rolesOfLevel(levelOf(session, now)), 'CLI-AUTH-IDENTIFIED', partyRole(client)]);
  return { ...holderOf(claims, client, granted), session, logon };
}

function notTaken(text: string, about: Omit<Reason, 'text'> = {}): IamError {
  return because(unauthenticated('TOKEN_INVALID'), { text, ...about });
}

type AuthenticationFault = Extract<ErrorCode, 'CREDENTIALS_MISSING' | 'CREDENTIALS_INVALID' | 'TOKEN_INVALID'>;

/** A 401 with the challenge that fits it (RFC 6750, 3.1; RFC 7617). */
export function unauthenticated(code: AuthenticationFault, challenge = challenges[code]): IamError {
  return fault(code, undefined, { 'WWW-Authenticate': challenge });
}

/** Asks for id and secret (RFC 7617). */
export const basicChallenge = 'Basic realm="iam", charset="UTF-8"';

const challenges = {
  CREDENTIALS_MISSING: 'Bearer realm="iam"',
  CREDENTIALS_INVALID: basicChallenge,
  TOKEN_INVALID: 'Bearer realm="iam", error="invalid_token"',
};
