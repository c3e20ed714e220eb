/** Races for refresh tokens, and of those who renew with those who end sessions. */
import { appClientId, type TestServer } from '../../test/harness.ts';
import { alice, anybody, cheap, doors, logIn, password, people, renew, renewOn, session } from './people.ts';
import { outcomeOf, type Race, requireThat, requireWinners, tally } from './race.ts';

const refused = ['401 CREDENTIALS_INVALID', '401 invalid_grant', '400 invalid_grant'];

/** @throws Error where a session or a refresh token of the user is left. */
async function requireNothingLeft({ world }: TestServer, userId: string): Promise<void> {
  const sessions = await world.store.sessions.find('userId', userId);
  const tokens = (
    await Promise.all(sessions.map(({ sessionId }) => world.store.refreshTokens.find('sessionId', sessionId)))
  ).flat();
  requireThat(
    sessions.length + tokens.length === 0,
    `${sessions.length} sessions and ${tokens.length} refresh tokens of the user are left`,
  );
}

/** @throws Error where one of these refresh tokens is still taken. */
async function requireDead(server: TestServer, tokens: readonly string[]): Promise<void> {
  const outcomes = await Promise.all(tokens.map((token) => outcomeOf(renew(server, token))));
  requireThat(!outcomes.includes('done'), 'a refresh token of a session that is over was taken');
}

/** One token by these doors at once: one wins, and since the others were a second use, nothing lives on. */
function rotation(name: string, used: typeof doors, tested: string): Race {
  return {
    name,
    about: 'of many uses of one refresh token one wins, and the family is dead afterwards',
    tested,
    seed: people,
    flags: cheap,
    async begin(server) {
      const { refreshToken } = await session(server, alice.userId);
      const given: string[] = [];
      return {
        async call(at) {
          given.push((await used[at % used.length]?.(server, refreshToken)) ?? '');
        },
        async judge(outcomes) {
          requireWinners(outcomes, 1, refused);
          await requireNothingLeft(server, alice.userId);
          await requireDead(server, [...given, refreshToken]);
        },
      };
    },
  };
}

/** Many renewals, each with a token of its own, and one call that ends them all. */
function ending(name: string, about: string, end: (server: TestServer) => Promise<unknown>): Race {
  return {
    name,
    about,
    costly: true,
    seed: people,
    flags: cheap,
    async begin(server) {
      const tokens = await Promise.all(Array.from({ length: 88 }, () => session(server, alice.userId)));
      return {
        call(at) {
          if (at === 99) return end(server);
          const { refreshToken } = tokens[at] ?? {};
          return refreshToken === undefined ? logIn(server) : renewOn(server, refreshToken, at);
        },
        async judge(outcomes) {
          requireThat(
            outcomes.some((one) => one.startsWith('401')),
            `the end came after everything: ${tally(outcomes)}`,
          );
          await judgeEnd(server);
        },
      };
    },
  };
}

/** Nobody whose session began before the end may go on; whoever logged in before it is as much at an end. */
async function judgeEnd(server: TestServer): Promise<void> {
  const user = await server.world.store.users.get(alice.userId);
  if (user === undefined || user.locked) await requireNothingLeft(server, alice.userId);
}

export const rotations: readonly Race[] = [
  rotation('refresh token, one door', doors.slice(0, 1), 'test/server/identity/sessions-renewal.test.ts'),
  rotation('refresh token, all doors', doors, 'test/server/identity/sessions-renewal.test.ts'),
  ending('renewals and logins against a lock', 'who is locked has no session left', (server) =>
    server.admin.userIdentities.lock({ body: { userId: alice.userId } }),
  ),
  ending('renewals and logins against a removal', 'who is removed has no session left', (server) =>
    server.admin.userIdentities.remove({ params: { id: alice.userId } }),
  ),
  {
    name: 'renewals against a change of the password',
    about: 'what began with the old password is over, whenever it was renewed',
    costly: true,
    seed: people,
    flags: cheap,
    async begin(server) {
      const tokens = await Promise.all(Array.from({ length: 88 }, () => session(server, alice.userId)));
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
          if (at < tokens.length) renewed.push(await renewOn(server, refreshToken, at));
          else renewed.push((await logIn(server)).refreshToken ?? '');
        },
        async judge() {
          const sessions = await server.world.store.sessions.find('userId', alice.userId);
          requireThat(
            sessions.length === 1,
            `${sessions.length} sessions are left, and the one of the caller was to be`,
          );
          await requireDead(server, renewed);
        },
      };
    },
  },
  {
    name: 'value to hand a session on',
    about: 'a value of generate-param is redeemed once',
    tested: 'test/server/operations/user-identities/authenticate-by-param.test.ts',
    seed: people,
    flags: cheap,
    async begin(server) {
      const { accessToken } = await session(server, alice.userId);
      const { param } = await server.as({ token: accessToken }).userIdentities.generateParam({ body: {} });
      return {
        call: () =>
          anybody(server).call('user-identities.authenticate-by-param', {
            query: { clientId: appClientId },
            headers: { param, ip: '10.0.0.1' },
          }),
        judge: (outcomes) => requireWinners(outcomes, 1, refused),
      };
    },
  },
];
