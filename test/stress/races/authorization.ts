/** Races against authorization: the last administrator, dependency cycles, revoked roles, guessed credentials. */

import { canSignIn } from '../../../src/server/directory/administrators.ts';
import { resolveGroupRolesOfUser } from '../../../src/server/directory/user-roles.ts';
import { appClientId, type TestServer } from '../../harness.ts';
import { createWrongCode, lastCode, messagesTo } from '../../server/operations/otp-inbox.ts';
import { assertThat, formatTally, type Race } from './race.ts';
import { alice, createSession, fastPasswords, getAnonymousClient, logIn, userSeed } from './users.ts';

/** Returns the users that have IAM_ADMIN_MAINTENANCE and can sign in. */
async function listMaintainers({ appContext: { store } }: TestServer): Promise<string[]> {
  const users = (await store.users.list()).filter(canSignIn);
  const roles = await Promise.all(users.map((user) => resolveGroupRolesOfUser(store, user)));
  return users.filter((_, at) => roles[at]?.has('IAM_ADMIN_MAINTENANCE')).map(({ userId }) => userId);
}

const eve = { userId: 'eve', userName: 'eve', password: 'a long enough one' };

export const authorizationRaces: readonly Race[] = [
  {
    name: 'last administrator, all operations that can remove one',
    about: 'at least one user with IAM_ADMIN_MAINTENANCE can sign in',
    flags: fastPasswords,
    seed: {
      users: [eve],
      groups: [
        { groupName: 'power', roles: ['IAM_ADMIN_MAINTENANCE'] },
        { groupName: 'others', dependencies: [{ groupName: 'power' }], users: ['eve'] },
      ],
    },
    async setUp(server) {
      const [root = ''] = (await listMaintainers(server)).filter((id) => id !== 'eve');
      const { userIdentities, userAccesses, groups } = server.admin;
      const requests = [
        () => userIdentities.lock({ body: { userId: root } }),
        () => userIdentities.lock({ body: { userId: 'eve' } }),
        () => userIdentities.remove({ params: { id: 'eve' } }),
        () => userAccesses.removeUser({ params: { groupName: 'iam-administrators', userId: root } }),
        () => userAccesses.removeUser({ params: { groupName: 'others', userId: 'eve' } }),
        () => groups.removeRole({ params: { groupId: 'power', roleName: 'IAM_ADMIN_MAINTENANCE' } }),
        () => groups.removeRole({ params: { groupId: 'iam-administrators', roleName: 'IAM_ADMIN_MAINTENANCE' } }),
        () => groups.removeDependency({ params: { groupId: 'others', dependencyName: 'power' } }),
        () => groups.remove({ params: { groupId: 'iam-administrators' } }),
        () => groups.update({ params: { groupId: 'power' }, body: { groupName: 'power' } }),
      ];
      return {
        call: (at) => requests[at % requests.length]?.() ?? Promise.resolve(),
        async verify(outcomes) {
          const remaining = await listMaintainers(server);
          assertThat(remaining.length > 0, `no administrator is left: ${formatTally(outcomes)}`);
        },
      };
    },
  },
  {
    name: 'cycles of groups',
    about: 'dependencies of groups never form a cycle',
    seed: { groups: Array.from({ length: 10 }, (_, at) => ({ groupName: `g${at}` })) },
    async setUp(server) {
      const depend = (from: number, on: number) =>
        server.admin.groups.addDependency({ params: { groupId: `g${from}` }, body: { groupName: `g${on}` } as never });
      return {
        call: (at) =>
          depend(
            at % 10,
            (at % 10) + 1 + Math.floor(at / 10) <= 9 ? (at % 10) + 1 + Math.floor(at / 10) : (at * 7) % 10,
          ),
        async verify(outcomes) {
          assertThat(outcomes.includes('done'), `nothing was added: ${formatTally(outcomes)}`);
          const rows = await server.appContext.store.groups.list();
          const after = new Map(rows.map(({ groupId, dependencies }) => [groupId, dependencies as readonly string[]]));
          const leadsTo = (from: string, seen: ReadonlySet<string>): boolean =>
            (after.get(from) ?? []).some((next) => seen.has(next) || leadsTo(next, new Set([...seen, next])));
          assertThat(
            !rows.some(({ groupId }) => leadsTo(groupId, new Set([groupId]))),
            'the dependencies of the groups form a cycle',
          );
        },
      };
    },
  },
  {
    name: 'revoked role and new content',
    about: 'a caller whose read role is revoked sees nothing written afterwards',
    seed: {
      users: [{ userId: 'eve', userName: 'eve' }],
      groups: [{ groupName: 'readers', roles: ['IAM_ADMIN_READ_ONLY'], users: ['eve'] }],
    },
    async setUp(server) {
      const eves = server.as({ token: (await createSession(server, 'eve')).accessToken });
      let leaked = 0;
      const write = async () => {
        await server.admin.userAccesses.removeUser({ params: { groupName: 'readers', userId: 'eve' } });
        await server.admin.groups.create({ body: { groupName: 'written-afterwards' } });
      };
      // Reads until it is rejected: the reads after the role was revoked are the relevant ones.
      const read = async () => {
        for (let turn = 0; turn < 8; turn += 1) {
          const { body } = await eves.call('groups.list', { query: { limit: 1000 } });
          if (JSON.stringify(body).includes('written-afterwards')) leaked += 1;
        }
      };
      return {
        call: (at) => (at === 40 ? write() : read()),
        verify(outcomes) {
          assertThat(
            leaked === 0,
            `${leaked} requests returned content written after the role was revoked: ${formatTally(outcomes)}`,
          );
          assertThat(outcomes.includes('403 ROLE_MISSING'), `no read was rejected: ${formatTally(outcomes)}`);
        },
      };
    },
  },
  {
    name: 'guessed client secrets',
    about: 'the correct secret is always accepted among wrong ones',
    async setUp(server) {
      const { clientId, clientSecret } = await server.makeClient();
      const secretOf = (at: number) => (at % 2 === 0 ? clientSecret : `wrong ${at}`);
      return {
        call: (at) => server.as({ basic: { clientId, clientSecret: secretOf(at) } }).clientIdentities.login(),
        verify(outcomes) {
          const accepted = outcomes.filter((one) => one === 'done').length;
          assertThat(accepted * 2 === outcomes.length, `a correct secret was rejected: ${formatTally(outcomes)}`);
        },
      };
    },
  },
  {
    name: 'guessed passwords',
    about: 'at most ten wrong passwords are verified',
    isCountedLate: true,
    seed: userSeed,
    flags: fastPasswords,
    setUp: async (server) => ({
      call: (at) => logIn(server, alice.userName, `wrong ${at}`),
      verify: (outcomes) => assertVerifiedAtMost(outcomes, '401 CREDENTIALS_INVALID', 10),
    }),
  },
  {
    name: 'guessed one-time codes',
    about: 'at most five wrong codes are verified',
    seed: userSeed,
    flags: fastPasswords,
    async setUp(server) {
      const code = await requestRecoveryCode(server);
      return {
        call: () => resetPassword(server, createWrongCode(code)),
        verify: (outcomes) => assertVerifiedAtMost(outcomes, undefined, 5),
      };
    },
  },
  {
    name: 'password reset code',
    about: 'a correct code is accepted once',
    seed: userSeed,
    flags: fastPasswords,
    async setUp(server) {
      const code = await requestRecoveryCode(server);
      return {
        call: (at) => resetPassword(server, code, `a new pass phrase ${at}`),
        verify: (outcomes) => assertThat(outcomes.filter((one) => one === 'done').length === 1, formatTally(outcomes)),
      };
    },
  },
  {
    name: 'codes to one contact',
    about: 'at most five codes per hour are sent to one contact',
    seed: userSeed,
    setUp: async (server) => ({
      call: () => requestCode(server),
      async verify(outcomes) {
        const { length: sent } = await messagesTo(server);
        assertThat(sent <= 5, `${sent} codes were sent: ${formatTally(outcomes)}`);
      },
    }),
  },
];

function assertVerifiedAtMost(outcomes: readonly string[], rejection: string | undefined, max: number): void {
  const verified = outcomes.filter((one) =>
    rejection === undefined ? !one.startsWith('429') : one === rejection,
  ).length;
  const accepted = outcomes.filter((one) => one === 'done').length;
  assertThat(
    verified <= max && verified > 0 && accepted === 0,
    `${verified} were verified, the limit is ${max}: ${formatTally(outcomes)}`,
  );
}

function requestCode(server: TestServer): Promise<unknown> {
  return getAnonymousClient(server).userIdentities.retrieve({
    query: { clientId: appClientId },
    body: { userName: alice.userName },
  });
}

async function requestRecoveryCode(server: TestServer): Promise<string> {
  await requestCode(server);
  return lastCode(server, alice.userEmail);
}

function resetPassword(
  server: TestServer,
  validationCode: string,
  newPassword = 'a new pass phrase',
): Promise<unknown> {
  const body = { username: alice.userName, validationCode, newPassword };
  return getAnonymousClient(server).userIdentities.resetPassword({ query: { clientId: appClientId }, body });
}
