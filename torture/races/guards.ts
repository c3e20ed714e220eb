/** Races against what guards the rights: the last administrator, circles, old rights over new content, guesses. */

import { canSignIn } from '../../src/server/identity/administrators.ts';
import { groupRolesOfUser } from '../../src/server/identity/users.ts';
import { appClientId, type TestServer } from '../../test/harness.ts';
import { lastCode, wrongFor } from '../../test/server/operations/codes.ts';
import { alice, anybody, cheap, logIn, people, session } from './people.ts';
import { type Race, requireThat, tally } from './race.ts';

/** Users who hold IAM_ADMIN_MAINTENANCE and can still sign in. */
async function maintainers({ world: { store } }: TestServer): Promise<string[]> {
  const users = (await store.users.list()).filter(canSignIn);
  const roles = await Promise.all(users.map((user) => groupRolesOfUser(store, user)));
  return users.filter((_, at) => roles[at]?.has('IAM_ADMIN_MAINTENANCE')).map(({ userId }) => userId);
}

const eve = { userId: 'eve', userName: 'eve', password: 'a long enough one' };

export const guards: readonly Race[] = [
  {
    name: 'last administrator, by every way to lose one',
    about: 'somebody who can sign in holds IAM_ADMIN_MAINTENANCE',
    flags: cheap,
    seed: {
      users: [eve],
      groups: [
        { groupName: 'power', roles: ['IAM_ADMIN_MAINTENANCE'] },
        { groupName: 'others', dependencies: [{ groupName: 'power' }], users: ['eve'] },
      ],
    },
    async begin(server) {
      const [root = ''] = (await maintainers(server)).filter((id) => id !== 'eve');
      const { userIdentities, userAccesses, groups } = server.admin;
      const ways = [
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
        call: (at) => ways[at % ways.length]?.() ?? Promise.resolve(),
        async judge(outcomes) {
          const left = await maintainers(server);
          requireThat(left.length > 0, `nobody is left who administers: ${tally(outcomes)}`);
        },
      };
    },
  },
  {
    name: 'circles of groups',
    about: 'dependencies of groups never close a circle',
    seed: { groups: Array.from({ length: 10 }, (_, at) => ({ groupName: `g${at}` })) },
    async begin(server) {
      const depend = (from: number, on: number) =>
        server.admin.groups.addDependency({ params: { groupId: `g${from}` }, body: { groupName: `g${on}` } as never });
      return {
        call: (at) =>
          depend(
            at % 10,
            (at % 10) + 1 + Math.floor(at / 10) <= 9 ? (at % 10) + 1 + Math.floor(at / 10) : (at * 7) % 10,
          ),
        async judge(outcomes) {
          requireThat(outcomes.includes('done'), `nothing was added: ${tally(outcomes)}`);
          const rows = await server.world.store.groups.list();
          const after = new Map(rows.map(({ groupId, dependencies }) => [groupId, dependencies as readonly string[]]));
          const leadsTo = (from: string, seen: ReadonlySet<string>): boolean =>
            (after.get(from) ?? []).some((next) => seen.has(next) || leadsTo(next, new Set([...seen, next])));
          requireThat(
            !rows.some(({ groupId }) => leadsTo(groupId, new Set([groupId]))),
            'the groups depend in a circle',
          );
        },
      };
    },
  },
  {
    name: 'old rights over new content',
    about: 'who lost the right to read sees nothing that was written afterwards',
    seed: {
      users: [{ userId: 'eve', userName: 'eve' }],
      groups: [{ groupName: 'readers', roles: ['IAM_ADMIN_READ_ONLY'], users: ['eve'] }],
    },
    async begin(server) {
      const eves = server.as({ token: (await session(server, 'eve')).accessToken });
      let leaked = 0;
      const write = async () => {
        await server.admin.userAccesses.removeUser({ params: { groupName: 'readers', userId: 'eve' } });
        await server.admin.groups.create({ body: { groupName: 'written-afterwards' } });
      };
      // Reads until it is refused: those that come after the loss of the right are the ones that matter.
      const read = async () => {
        for (let turn = 0; turn < 8; turn += 1) {
          const { body } = await eves.call('groups.list', { query: { limit: 1000 } });
          if (JSON.stringify(body).includes('written-afterwards')) leaked += 1;
        }
      };
      return {
        call: (at) => (at === 40 ? write() : read()),
        judge(outcomes) {
          requireThat(leaked === 0, `${leaked} calls saw what they might not: ${tally(outcomes)}`);
          requireThat(outcomes.includes('403 ROLE_MISSING'), `nobody read on until he was refused: ${tally(outcomes)}`);
        },
      };
    },
  },
  {
    name: 'guesses of the secret of a client',
    about: 'a right secret among wrong ones is always accepted',
    tested: 'test/server/identity/client-secret-throttle.test.ts',
    async begin(server) {
      const { clientId, clientSecret } = await server.makeClient();
      const secretOf = (at: number) => (at % 2 === 0 ? clientSecret : `wrong ${at}`);
      return {
        call: (at) => server.as({ basic: { clientId, clientSecret: secretOf(at) } }).clientIdentities.login(),
        judge(outcomes) {
          const right = outcomes.filter((one) => one === 'done').length;
          requireThat(right * 2 === outcomes.length, `a right secret was rejected: ${tally(outcomes)}`);
        },
      };
    },
  },
  {
    name: 'guesses of a password',
    about: 'at most ten of many wrong passwords are looked at',
    tested: 'test/server/identity/login-throttle-parallel.test.ts',
    seed: people,
    flags: cheap,
    begin: async (server) => ({
      call: (at) => logIn(server, alice.userName, `wrong ${at}`),
      judge: (outcomes) => requireLookedAt(outcomes, '401 CREDENTIALS_INVALID', 10),
    }),
  },
  {
    name: 'guesses of a code',
    about: 'at most five of many wrong codes are looked at',
    tested: 'test/server/operations/user-identities/reset-password.test.ts',
    seed: people,
    flags: cheap,
    async begin(server) {
      const code = await recoveryCode(server);
      return {
        call: () => resetWith(server, wrongFor(code)),
        judge: (outcomes) => requireLookedAt(outcomes, undefined, 5),
      };
    },
  },
  {
    name: 'code to set a password',
    about: 'a right code is used once',
    tested: 'test/server/operations/user-identities/reset-password.test.ts',
    seed: people,
    flags: cheap,
    async begin(server) {
      const code = await recoveryCode(server);
      return {
        call: (at) => resetWith(server, code, `a new pass phrase ${at}`),
        judge: (outcomes) => requireThat(outcomes.filter((one) => one === 'done').length === 1, tally(outcomes)),
      };
    },
  },
  {
    name: 'codes to one contact',
    about: 'at most five codes go to one contact in an hour',
    tested: 'test/server/operations/user-identities/retrieve.test.ts',
    seed: people,
    begin: async (server) => ({
      call: () => retrieve(server),
      async judge(outcomes) {
        const sent = await server.world.store.messages.count();
        requireThat(sent <= 5, `${sent} codes were sent: ${tally(outcomes)}`);
      },
    }),
  },
];

function requireLookedAt(outcomes: readonly string[], refusal: string | undefined, most: number): void {
  const looked = outcomes.filter((one) => (refusal === undefined ? !one.startsWith('429') : one === refusal)).length;
  const others = outcomes.filter((one) => one === 'done').length;
  requireThat(
    looked <= most && looked > 0 && others === 0,
    `${looked} were looked at, ${most} may be: ${tally(outcomes)}`,
  );
}

function retrieve(server: TestServer): Promise<unknown> {
  return anybody(server).userIdentities.retrieve({
    query: { clientId: appClientId },
    body: { userName: alice.userName },
  });
}

async function recoveryCode(server: TestServer): Promise<string> {
  await retrieve(server);
  return lastCode(server, alice.userEmail);
}

function resetWith(server: TestServer, validationCode: string, newPassword = 'a new pass phrase'): Promise<unknown> {
  const body = { username: alice.userName, validationCode, newPassword };
  return anybody(server).userIdentities.resetPassword({ query: { clientId: appClientId }, body });
}
