/** Users of the races, and requests that log in and renew sessions. */
import { basicAuthorization, type IamClient } from '../../../src/client/index.ts';
import { servicePrefix } from '../../../src/contract/prefix.ts';
import { operations } from '../../../src/server/operations/index.ts';
import type { SeedDocument } from '../../../src/server/seed/schema.ts';
import { startSession } from '../../../src/server/sessions/sessions.ts';
import { appClientId, type TestServer } from '../../harness.ts';
import { issueForUser } from '../../server/tokens/issue-token.ts';

export const password = 'a pass phrase for tests only';

export const alice = { userId: 'alice', userName: 'alice.a', password, userEmail: 'alice@example.com' };
export const userSeed: SeedDocument = { users: [alice] };

/** Fast password hashes: the races are about the steps after them. */
export const fastPasswords = { 'fast-passwords': true } as const;

/** Logs in by password and returns the tokens of a remembered session. */
export async function logIn(server: TestServer, name: string = alice.userName, secret: string = password) {
  return getAnonymousClient(server).userIdentities.login({
    query: { clientId: appClientId, 'remember-me': true },
    headers: { authorization: basicAuthorization({ clientId: name, clientSecret: secret }) },
  });
}

/** One client for all requests without credentials, because separate connections would dominate the time. */
const anonymousClients = new WeakMap<TestServer, IamClient>();

export function getAnonymousClient(server: TestServer): IamClient {
  const client = anonymousClients.get(server) ?? server.as();
  anonymousClients.set(server, client);
  return client;
}

/** Creates a renewable session without a login and returns its tokens. */
export async function createSession(server: TestServer, userId: string) {
  const { store } = server.appContext;
  const [user, client] = [await store.users.get(userId), await store.clients.get(appClientId)];
  if (!user || !client) throw new Error(`the user ${userId} or the app client is missing`);
  const start = { client, userId, level: 'AUTH-BASIC', remember: true, renewable: true } as const;
  const { session: row, refreshToken = '' } = await store.transaction((tx) =>
    startSession(tx, start, server.appContext),
  );
  const { accessToken } = await issueForUser(server.appContext, { user, session: row, client });
  return { accessToken, refreshToken, sessionId: row.sessionId };
}

/** The endpoints that accept refresh tokens. @returns the new refresh token. */
export const renewalEndpoints: readonly ((server: TestServer, refreshToken: string) => Promise<string>)[] = [
  async (server, refreshToken) => {
    const query = { clientId: appClientId };
    const response = await getAnonymousClient(server).userIdentities.renewToken({ query, body: { refreshToken } });
    return response.refreshToken ?? '';
  },
  async (server, refreshToken) => {
    const body = { grantType: 'refresh_token', clientId: appClientId, refreshToken };
    const response = await getAnonymousClient(server).call('generate-token.create', { body });
    return (response.body as { refreshToken: string }).refreshToken;
  },
  async (server, refreshToken) => {
    const form = { grant_type: 'refresh_token', client_id: appClientId, refresh_token: refreshToken };
    const { status, json } = await server.send({
      method: 'POST',
      path: servicePrefix + operations['client-identities.connect-token'].path,
      headers: [['Content-Type', 'application/x-www-form-urlencoded']],
      body: new URLSearchParams(form).toString(),
    });
    if (status >= 300) throw Object.assign(new Error('rejected'), { status, code: (json as { error: string }).error });
    return (json as { refreshToken: string }).refreshToken;
  },
];

/** Renews at the first endpoint. */
export function renew(server: TestServer, refreshToken: string): Promise<string> {
  return renewalEndpoints[0]?.(server, refreshToken) ?? Promise.resolve('');
}

/** Renews `times` times, at alternating endpoints. @returns the last token. @throws when a renewal is rejected. */
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
