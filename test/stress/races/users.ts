/** Users whom races are about, and the ways in that they have. */
import { basicAuthorization, type IamClient } from '../../../src/client/index.ts';
import { servicePrefix } from '../../../src/contract/prefix.ts';
import { startSession } from '../../../src/server/identity/sessions.ts';
import { operations } from '../../../src/server/operations/index.ts';
import type { SeedDocument } from '../../../src/server/seed/schema.ts';
import { appClientId, type TestServer } from '../../harness.ts';

export const password = 'a pass phrase that nobody guesses';

export const alice = { userId: 'alice', userName: 'alice.a', password, userEmail: 'alice@example.com' };
export const userSeed: SeedDocument = { users: [alice] };

/** Hashes cost nothing here: what is raced for is what comes after them. */
export const fastPasswords = { 'fast-passwords': true } as const;

/** Logs in by password; the tokens of a session that is remembered. */
export async function logIn(server: TestServer, name: string = alice.userName, secret: string = password) {
  return getAnonymousClient(server).userIdentities.login({
    query: { clientId: appClientId, 'remember-me': true },
    headers: { authorization: basicAuthorization({ clientId: name, clientSecret: secret }) },
  });
}

/** One client for all calls that show no credentials of their own: a connection for each would be what takes the time. */
const anonymousClients = new WeakMap<TestServer, IamClient>();

export function getAnonymousClient(server: TestServer): IamClient {
  const known = anonymousClients.get(server) ?? server.as();
  anonymousClients.set(server, known);
  return known;
}

/** Tokens of a session that can be renewed, of a user who did not have to log in for it. */
export async function createSession(server: TestServer, userId: string) {
  const { store, issuer } = server.appContext;
  const [user, client] = [await store.users.get(userId), await store.clients.get(appClientId)];
  if (!user || !client) throw new Error(`there is no user ${userId}`);
  const start = { clientId: appClientId, userId, level: 'AUTH-BASIC', remember: true, renewable: true } as const;
  const { session: row, refreshToken = '' } = await store.transaction((tx) =>
    startSession(tx, start, server.appContext),
  );
  const { accessToken } = await issuer.issueForUser(user, row, client);
  return { accessToken, refreshToken, sessionId: row.sessionId };
}

/** Renews by each door that takes refresh tokens. @returns the new refresh token. */
export const renewalEndpoints: readonly ((server: TestServer, refreshToken: string) => Promise<string>)[] = [
  async (server, refreshToken) => {
    const query = { clientId: appClientId };
    const answer = await getAnonymousClient(server).userIdentities.renewToken({ query, body: { refreshToken } });
    return answer.refreshToken ?? '';
  },
  async (server, refreshToken) => {
    const body = { grantType: 'refresh_token', clientId: appClientId, refreshToken };
    const answer = await getAnonymousClient(server).call('generate-token.create', { body });
    return (answer.body as { refreshToken: string }).refreshToken;
  },
  async (server, refreshToken) => {
    const form = { grant_type: 'refresh_token', client_id: appClientId, refresh_token: refreshToken };
    const { status, json } = await server.send({
      method: 'POST',
      path: servicePrefix + operations['client-identities.connect-token'].path,
      headers: [['Content-Type', 'application/x-www-form-urlencoded']],
      body: new URLSearchParams(form).toString(),
    });
    if (status >= 300) throw Object.assign(new Error('refused'), { status, code: (json as { error: string }).error });
    return (json as { refreshToken: string }).refreshToken;
  },
];

/** Renews by the first of them. */
export function renew(server: TestServer, refreshToken: string): Promise<string> {
  return renewalEndpoints[0]?.(server, refreshToken) ?? Promise.resolve('');
}

/** Renews in a row, by one door after another, until that is refused or was done so often. @returns the last token. */
export async function renewRepeatedly(
  server: TestServer,
  refreshToken: string,
  first: number,
  times = 2,
): Promise<string> {
  let last = refreshToken;
  for (let turn = first; turn < first + times; turn += 1)
    last = (await renewalEndpoints[turn % renewalEndpoints.length]?.(server, last)) ?? '';
  return last;
}
