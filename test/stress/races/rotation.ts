/** Races for refresh tokens, and of those who renew with those who end sessions. */
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

/** @throws Error where a session or a refresh token of the user is left. */
async function assertNothingLeft({ appContext }: TestServer, userId: string): Promise<void> {
  const sessions = await appContext.store.sessions.find('userId', userId);
  const tokens = (
    await Promise.all(sessions.map(({ sessionId }) => appContext.store.refreshTokens.find('sessionId', sessionId)))
  ).flat();
  assertThat(
    sessions.length + tokens.length === 0,
    `${sessions.length} sessions and ${tokens.length} refresh tokens of the user are left`,
  );
}

/** @throws Error where one of these refresh tokens is still taken. */
async function assertRejected(server: TestServer, tokens: readonly string[]): Promise<void> {
  const outcomes = await Promise.all(tokens.map((token) => classifyOutcome(renew(server, token))));
  assertThat(!outcomes.includes('done'), 'a refresh token of a session that is over was taken');
}

/** One token by these doors at once: one wins, and since the others were a second use, nothing lives on. */
function createRotationRace(name: string, endpoints: typeof renewalEndpoints, coveredBy: string): Race {
  return {
    name,
    about: 'of many uses of one refresh token one wins, and the family is dead afterwards',
    coveredBy,
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
          await assertNothingLeft(server, alice.userId);
          await assertRejected(server, [...issued, refreshToken]);
        },
      };
    },
  };
}

/** Many renewals, each with a token of its own, and one call that ends them all. */
function createRevocationRace(name: string, about: string, end: (server: TestServer) => Promise<unknown>): Race {
  return {
    name,
    about,
    isSlow: true,
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
            `the end came after everything: ${formatTally(outcomes)}`,
          );
          await assertRevoked(server);
        },
      };
    },
  };
}

/** Nobody whose session began before the end may go on; whoever logged in before it is as much at an end. */
async function assertRevoked(server: TestServer): Promise<void> {
  const user = await server.appContext.store.users.get(alice.userId);
  if (user === undefined || user.locked) await assertNothingLeft(server, alice.userId);
}

export const rotationRaces: readonly Race[] = [
  createRotationRace(
    'refresh token, one door',
    renewalEndpoints.slice(0, 1),
    'test/server/identity/sessions-renewal.test.ts',
  ),
  createRotationRace('refresh token, all doors', renewalEndpoints, 'test/server/identity/sessions-renewal.test.ts'),
  createRevocationRace('renewals and logins against a lock', 'who is locked has no session left', (server) =>
    server.admin.userIdentities.lock({ body: { userId: alice.userId } }),
  ),
  createRevocationRace('renewals and logins against a removal', 'who is removed has no session left', (server) =>
    server.admin.userIdentities.remove({ params: { id: alice.userId } }),
  ),
  {
    name: 'renewals against a change of the password',
    about: 'what began with the old password is over, whenever it was renewed',
    isSlow: true,
    seed: userSeed,
    flags: fastPasswords,
    async setUp(server) {
      const tokens = await Promise.all(Array.from({ length: 88 }, () => createSession(server, alice.userId)));
      const mine = await logIn(server);
      const renewed: string[] = [];
      const change = () =>
        server
          .as({ token: mine.accessToken })
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
          assertThat(
            sessions.length === 1,
            `${sessions.length} sessions are left, and the one of the caller was to be`,
          );
          await assertRejected(server, renewed);
        },
      };
    },
  },
  {
    name: 'value to hand a session on',
    about: 'a value of generate-param is redeemed once',
    coveredBy: 'test/server/operations/user-identities/authenticate-by-param.test.ts',
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
