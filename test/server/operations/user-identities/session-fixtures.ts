/** Sessions of Alice, and caller tests shared by all operations of a signed-in user. */
import { expect } from 'vitest';
import { revokeUserAccess } from '../../../../src/server/auth/revoke-user-access.ts';
import { epochSeconds } from '../../../../src/server/lib/clock.ts';
import { endSession } from '../../../../src/server/sessions/end-sessions.ts';
import { type SessionOptions, startSession } from '../../../../src/server/sessions/sessions.ts';
import type { Session } from '../../../../src/server/store/tables.ts';
import { appClientId, type TestServer } from '../../../harness.ts';
import { issueForUser } from '../../tokens/issue-token.ts';
import { alice, postJson, readClaims } from './login-fixtures.ts';

export const minutes = 60;
export const hours = 60 * minutes;
export const days = 24 * hours;

export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
}

/** Creates tokens of a new session, by default a renewable session of Alice. */
export async function createTokens(
  server: TestServer,
  { clientId = appClientId, userId = alice.userId, ...start }: Partial<SessionOptions> & { clientId?: string } = {},
): Promise<Tokens> {
  const { store } = server.appContext;
  const user = await store.users.get(userId);
  const client = await store.clients.get(clientId);
  if (!user || !client) throw new Error('unknown user or client');
  const options = { level: 'AUTH-BASIC', remember: false, renewable: true, ...start, client, userId } as const;
  const { session, refreshToken = '' } = await store.transaction((tx) => startSession(tx, options, server.appContext));
  return { accessToken: (await issueForUser(server.appContext, { user, session, client })).accessToken, refreshToken };
}

/** Returns the current session of a token. */
export async function findSession(server: TestServer, token: { accessToken: string }): Promise<Session | undefined> {
  return server.appContext.store.sessions.get(readClaims(token).sid ?? '');
}

/** Changes a session in the store. */
export async function changeSession(
  server: TestServer,
  token: { accessToken: string },
  change: Partial<Session>,
): Promise<void> {
  await server.appContext.store.transaction(async (tx) => {
    const session = await tx.sessions.get(readClaims(token).sid ?? '');
    if (session) await tx.sessions.replace({ ...session, ...change });
  });
}

/** Renews with renew-token; returns undefined if the request is rejected. */
export async function renew(
  server: TestServer,
  refreshToken: string | undefined,
  clientId: string = appClientId,
): Promise<Tokens | undefined> {
  const response = await postJson(server, `/user-identities/renew-token?clientId=${clientId}`, { refreshToken });
  expect([201, 401]).toContain(response.status);
  if (response.status === 401) expect(response.json).toMatchObject([{ code: 'CREDENTIALS_INVALID' }]);
  return response.status === 201 ? (response.json as Tokens) : undefined;
}

/** Associates a device with the session of a token and returns its deviceTokenId. */
export async function associate(
  server: TestServer,
  { accessToken }: { accessToken: string },
  deviceId = 'phone',
): Promise<string> {
  const { deviceTokenId } = await server
    .as({ token: accessToken })
    .userIdentities.associateDevice({ body: { deviceId } });
  return deviceTokenId;
}

/** Events that end the session of a token. */
export const sessionEndings: Readonly<Record<string, (server: TestServer, token: Tokens) => Promise<unknown>>> = {
  'a lock': (server) => server.admin.userIdentities.lock({ body: { userId: alice.userId } }),
  'a lock and an unlock': async (server) => {
    await server.admin.userIdentities.lock({ body: { userId: alice.userId } });
    await server.admin.userIdentities.unlock({ body: { userId: alice.userId } });
  },
  'a removal': (server) => server.admin.userIdentities.remove({ params: { id: alice.userId } }),
  'a new password': ({ appContext }) => appContext.store.transaction((tx) => revokeUserAccess(tx, alice.userId)),
  'the removal of its session': ({ appContext }, token) =>
    appContext.store.transaction((tx) => endSession(tx, { sessionId: readClaims(token).sid ?? '' })),
  'its expiry': async ({ clock, appContext }, token) => {
    const session = await appContext.store.sessions.get(readClaims(token).sid ?? '');
    clock.advance((session?.endsAt ?? 0) - epochSeconds(clock));
  },
};
