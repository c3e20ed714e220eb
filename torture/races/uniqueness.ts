/** Races for what there is one of: names and ids, whichever operations ask for them. */
import { appClientId } from '../../test/harness.ts';
import { anybody } from './people.ts';
import { type Race, requireThat, requireWinners, tally } from './race.ts';

const crowdOfUsers = Array.from({ length: 40 }, (_, at) => ({ userId: `u${at}`, userName: `u${at}` }));

export const uniqueness: readonly Race[] = [
  {
    name: 'name to log in with, by every operation that gives one',
    about: 'one of all users has a login name, whichever operation gave it',
    seed: { users: crowdOfUsers },
    async begin(server) {
      const { userIdentities } = server.admin;
      const name = 'Wanted.Name@example.com';
      const ways = [
        (id: string) => userIdentities.addIdentity({ params: { id }, body: { identity: name } as never }),
        (id: string) => userIdentities.update({ params: { id }, body: { userName: name.toLowerCase() } }),
        (id: string) => userIdentities.update({ params: { id }, body: { userEmail: name.toUpperCase() } }),
        (id: string) =>
          anybody(server).userIdentities.create({
            query: { clientId: appClientId },
            body: { userName: name, userEmail: `${id}@example.net` },
          }),
      ];
      return {
        call: (at) =>
          ways[at % ways.length]?.(crowdOfUsers[at % crowdOfUsers.length]?.userId ?? '') ?? Promise.resolve(),
        async judge(outcomes) {
          const users = await server.world.store.users.list();
          const holders = users.filter(({ userName, userEmail, identities }) =>
            [userName, userEmail, ...identities].some((one) => one?.toLowerCase() === name.toLowerCase()),
          );
          requireThat(holders.length === 1, `${holders.length} users have the name: ${tally(outcomes)}`);
        },
      };
    },
  },
  {
    name: 'id of a user, a client or a service',
    about: 'one of all has an id that tokens name as their subject',
    async begin(server) {
      const id = 'wanted-id';
      const ways = [
        (_at: number) => server.admin.clientIdentities.create({ body: { appId: 'a', serviceAccountId: id } }),
        (at: number) =>
          anybody(server).userIdentities.create({
            query: { clientId: appClientId },
            body: { userId: id, userName: `name-${at}`, userEmail: `m${at}@example.net` },
          }),
      ];
      return {
        call: (at) => ways[at % ways.length]?.(at) ?? Promise.resolve(),
        async judge(outcomes) {
          const clients = (await server.world.store.clients.list()).filter(
            ({ serviceAccountId }) => serviceAccountId === id,
          );
          const user = await server.world.store.users.get(id);
          const found = clients.length + (user ? 1 : 0);
          requireThat(found === 1, `${found} have the id: ${tally(outcomes)}`);
        },
      };
    },
  },
  {
    name: 'name of a group, made and renamed to',
    about: 'one group has a name',
    seed: { groups: crowdOfUsers.map(({ userId }) => ({ groupName: userId })) },
    async begin(server) {
      const body = { groupName: 'wanted' };
      const { groups } = server.admin;
      return {
        call: (at) =>
          at % 2 === 0
            ? groups.create({ body })
            : groups.update({ params: { groupId: `u${at % crowdOfUsers.length}` }, body }),
        async judge(outcomes) {
          const found = (await server.world.store.groups.list()).filter(({ groupName }) => groupName === 'wanted');
          requireThat(found.length === 1, `${found.length} groups have the name`);
          // Who asks once more for the group that has it already succeeds without a change.
          requireThat(
            outcomes.some((one) => one === 'done'),
            tally(outcomes),
          );
        },
      };
    },
  },
  {
    name: 'value of an API key',
    about: 'a value opens one client',
    async begin(server) {
      const { clientId } = await server.makeClient();
      const apiKey = Buffer.alloc(32, 7).toString('base64');
      return {
        call: () => server.admin.apiKey.create({ body: { appId: 'a', clientId, apiKey } }),
        async judge(outcomes) {
          requireWinners(outcomes, 1, ['422 API_KEY_TAKEN', '412 API_KEY_TAKEN', '400 API_KEY_TAKEN']);
          requireThat((await server.world.store.apiKeys.count()) === 1, 'two keys of one value are stored');
        },
      };
    },
  },
  {
    name: 'state of a group that was read',
    about: 'of many who change what they read at the same time one wins (If-Match)',
    tested: 'test/server/operations/groups/update.test.ts',
    async begin(server) {
      await server.admin.groups.create({ body: { groupName: 'ops' } });
      const params = { groupId: 'ops' };
      const { etag } = (await server.admin.call('groups.get', { params })).headers as { etag: string };
      return {
        call: (at) =>
          server.admin.groups.update({ params, body: { groupName: 'ops', roles: [`R${at}`] }, ifMatch: etag }),
        judge: (outcomes) => requireWinners(outcomes, 1, ['422 CHANGED_MEANWHILE', '412 CHANGED_MEANWHILE']),
      };
    },
  },
  {
    name: 'places for further contacts',
    about: 'a user has at most 20 further contacts',
    seed: { users: [{ userId: 'bob', userName: 'bob' }] },
    async begin(server) {
      const { factors } = server.admin.userIdentities;
      const add = (at: number) =>
        factors.adminAdd({
          params: { id: 'bob' },
          body: { authenticationFactors: [{ contactType: 'EMAIL', email: `m${at}@example.com`, tags: [] }] } as never,
        });
      return {
        call: add,
        async judge(outcomes) {
          const kept = await server.world.store.factors.find('userId', 'bob');
          requireThat(kept.length === 20, `${kept.length} contacts are kept: ${tally(outcomes)}`);
        },
      };
    },
  },
];
