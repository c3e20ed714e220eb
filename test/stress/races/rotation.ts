/** Races for refresh tokens, and between renewals and operations that end sessions. */
import { appClientId, type TestServer } from '../../harness.ts';
import { assertThat, assertWinners, classifyOutcome, formatTally, type Race } from './race.ts';
import {
  alice,
  createSession,
  fastPasswords,
  getAnonymousClient,
  logIn,
  password,
  renew,
  renewalEndpoints,
  renewRepeatedly,
  userSeed,
} from './users.ts';

const rejections = ['401 CREDENTIALS_INVALID', '401 invalid_grant', '400 invalid_grant'];

/** @throws Error if a session or a refresh token of the user is left. */
async function assertAllRevoked({ appContext }: TestServer, userId: string): Promise<void> {
  const sessions = await appContext.store.sessions.find('userId', userId);
  const tokens = (
    await Promise.all(sessions.map(({ sessionId }) => appContext.store.refreshTokens.find('sessionId', sessionId)))
  ).flat();
  assertThat(
    sessions.length + tokens.length === 0,
    `${sessions.length} sessions and ${tokens.length} refresh tokens of the user are left`,
  );
}

/** @throws Error if one of these refresh tokens is still accepted. */
async function assertRejected(server: TestServer, tokens: readonly string[]): Promise<void> {
  const outcomes = await Promise.all(tokens.map((token) => classifyOutcome(renew(server, token))));
  assertThat(!outcomes.includes('done'), 'a refresh token of an ended session was accepted');
}

/** Uses one token at these endpoints concurrently: one request succeeds, and the reuse revokes the whole family. */
function createRotationRace(name: string, endpoints: typeof renewalEndpoints): Race {
  return {
    name,
    about: 'one of many uses of a refresh token succeeds, and the family is revoked afterwards',
    seed: userSeed,
    flags: fastPasswords,
    async setUp(server) {
      const { refreshToken } = await createSession(server, alice.userId);
      const issued: string[] = [];
      return {
        async call(at) {
          issued.push((await endpoints[at % endpoints.length]?.(server, refreshToken)) ?? '');
        },
        async verify(outcomes) {
          assertWinners(outcomes, 1, rejections);
          await assertAllRevoked(server, alice.userId);
          await assertRejected(server, [...issued, refreshToken]);
        },
      };
    },
  };
}

/** Many renewals with separate tokens, and one request that ends all sessions. */
function createRevocationRace(name: string, about: string, end: (server: TestServer) => Promise<unknown>): Race {
  return {
    name,
    about,
    seed: userSeed,
    flags: fastPasswords,
    async setUp(server) {
      const tokens = await Promise.all(Array.from({ length: 88 }, () => createSession(server, alice.userId)));
      return {
        call(at) {
          if (at === 99) return end(server);
          const { refreshToken } = tokens[at] ?? {};
          return refreshToken === undefined ? logIn(server) : renewRepeatedly(server, refreshToken, at);
        },
        async verify(outcomes) {
          assertThat(
            outcomes.some((one) => one.startsWith('401')),
            `no renewal was rejected: ${formatTally(outcomes)}`,
          );
          await assertRevoked(server);
        },
      };
    },
  };
}

/** Verifies that a locked or removed user has no session left. */
async function assertRevoked(server: TestServer): Promise<void> {
  const user = await server.appContext.store.users.get(alice.userId);
  if (user === undefined || user.locked) await assertAllRevoked(server, alice.userId);
}

export const rotationRaces: readonly Race[] = [
  createRotationRace('refresh token, one endpoint', renewalEndpoints.slice(0, 1)),
  createRotationRace('refresh token, all endpoints', renewalEndpoints),
  createRevocationRace('renewals and logins against a lock', 'a locked user has no session left', (server) =>
    server.admin.userIdentities.lock({ body: { userId: alice.userId } }),
  ),
  createRevocationRace('renewals and logins against a removal', 'a removed user has no session left', (server) =>
    server.admin.userIdentities.remove({ params: { id: alice.userId } }),
  ),
  {
    name: 'renewals against a password change',
    about: 'sessions that started with the old password end, also when they were just renewed',
    seed: userSeed,
    flags: fastPasswords,
    async setUp(server) {
      const tokens = await Promise.all(Array.from({ length: 88 }, () => createSession(server, alice.userId)));
      const ownSession = await logIn(server);
      const renewed: string[] = [];
      const change = () =>
        server
          .as({ token: ownSession.accessToken })
          .userIdentities.changePassword({ body: { password, newPassword: `${password}, another` } });
      return {
        async call(at) {
          if (at === 50 || at === 99) return change();
          const { refreshToken = '' } = tokens[at] ?? {};
          if (at < tokens.length) renewed.push(await renewRepeatedly(server, refreshToken, at));
          else renewed.push((await logIn(server)).refreshToken ?? '');
        },
        async verify() {
          const sessions = await server.appContext.store.sessions.find('userId', alice.userId);
          assertThat(sessions.length === 1, `${sessions.length} sessions are left, expected only that of the caller`);
          await assertRejected(server, renewed);
        },
      };
    },
  },
  {
    name: 'param to transfer a session',
    about: 'a value of generate-param is accepted once',
    seed: userSeed,
    flags: fastPasswords,
    async setUp(server) {
      const { accessToken } = await createSession(server, alice.userId);
      const { param } = await server.as({ token: accessToken }).userIdentities.generateParam({ body: {} });
      return {
        call: () =>
          getAnonymousClient(server).call('user-identities.authenticate-by-param', {
            query: { clientId: appClientId },
            headers: { param, ip: '10.0.0.1' },
          }),
        verify: (outcomes) => assertWinners(outcomes, 1, rejections),
      };
    },
  },
];
