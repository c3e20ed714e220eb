/** Races for unique names and ids, over all operations that assign them. */
import { appClientId } from '../../harness.ts';
import { assertThat, assertWinners, formatTally, type Race } from './race.ts';
import { getAnonymousClient } from './users.ts';

const manyUsers = Array.from({ length: 40 }, (_, at) => ({ userId: `u${at}`, userName: `u${at}` }));

export const uniquenessRaces: readonly Race[] = [
  {
    name: 'login name, all operations that assign one',
    about: 'a login name belongs to one user, whichever operation assigned it',
    seed: { users: manyUsers },
    async setUp(server) {
      const { userIdentities } = server.admin;
      const name = 'Contested.Name@example.com';
      const requests = [
        (id: string) => userIdentities.addIdentity({ params: { id }, body: { identity: name } as never }),
        (id: string) => userIdentities.update({ params: { id }, body: { userName: name.toLowerCase() } }),
        (id: string) => userIdentities.update({ params: { id }, body: { userEmail: name.toUpperCase() } }),
        (id: string) =>
          getAnonymousClient(server).userIdentities.create({
            query: { clientId: appClientId },
            body: { userName: name, userEmail: `${id}@example.net` },
          }),
      ];
      return {
        call: (at) =>
          requests[at % requests.length]?.(manyUsers[at % manyUsers.length]?.userId ?? '') ?? Promise.resolve(),
        async verify(outcomes) {
          const users = await server.appContext.store.users.list();
          const owners = users.filter(({ userName, userEmail, identities }) =>
            [userName, userEmail, ...identities].some((one) => one?.toLowerCase() === name.toLowerCase()),
          );
          assertThat(owners.length === 1, `${owners.length} users have the name: ${formatTally(outcomes)}`);
        },
      };
    },
  },
  {
    name: 'id of a user, a client or a service',
    about: 'an id that tokens use as their subject belongs to one of them',
    async setUp(server) {
      const id = 'contested-id';
      const requests = [
        (_at: number) => server.admin.clientIdentities.create({ body: { appId: 'a', serviceAccountId: id } }),
        (at: number) =>
          getAnonymousClient(server).userIdentities.create({
            query: { clientId: appClientId },
            body: { userId: id, userName: `name-${at}`, userEmail: `m${at}@example.net` },
          }),
      ];
      return {
        call: (at) => requests[at % requests.length]?.(at) ?? Promise.resolve(),
        async verify(outcomes) {
          const clients = (await server.appContext.store.clients.list()).filter(
            ({ serviceAccountId }) => serviceAccountId === id,
          );
          const user = await server.appContext.store.users.get(id);
          const found = clients.length + (user ? 1 : 0);
          assertThat(found === 1, `${found} have the id: ${formatTally(outcomes)}`);
        },
      };
    },
  },
  {
    name: 'name of a group, by create and rename',
    about: 'a group name belongs to one group',
    seed: { groups: manyUsers.map(({ userId }) => ({ groupName: userId })) },
    async setUp(server) {
      const body = { groupName: 'contested' };
      const { groups } = server.admin;
      return {
        call: (at) =>
          at % 2 === 0
            ? groups.create({ body })
            : groups.update({ params: { groupId: `u${at % manyUsers.length}` }, body }),
        async verify(outcomes) {
          const found = (await server.appContext.store.groups.list()).filter(
            ({ groupName }) => groupName === 'contested',
          );
          assertThat(found.length === 1, `${found.length} groups have the name`);
          // Renaming the group that already has the name succeeds without a change.
          assertThat(
            outcomes.some((one) => one === 'done'),
            formatTally(outcomes),
          );
        },
      };
    },
  },
  {
    name: 'value of an API key',
    about: 'a value belongs to one client',
    async setUp(server) {
      const { clientId } = await server.makeClient();
      const apiKey = Buffer.alloc(32, 7).toString('base64');
      return {
        call: () => server.admin.apiKey.create({ body: { appId: 'a', clientId, apiKey } }),
        async verify(outcomes) {
          assertWinners(outcomes, 1, ['422 API_KEY_TAKEN', '412 API_KEY_TAKEN', '400 API_KEY_TAKEN']);
          assertThat((await server.appContext.store.apiKeys.count()) === 1, 'two keys with the same value are stored');
        },
      };
    },
  },
  {
    name: 'conditional update of a group',
    about: 'one of many concurrent updates with the same If-Match succeeds',
    async setUp(server) {
      await server.admin.groups.create({ body: { groupName: 'ops' } });
      const params = { groupId: 'ops' };
      const { etag } = (await server.admin.call('groups.get', { params })).headers as { etag: string };
      return {
        call: (at) =>
          server.admin.groups.update({ params, body: { groupName: 'ops', roles: [`R${at}`] }, ifMatch: etag }),
        verify: (outcomes) => assertWinners(outcomes, 1, ['422 CHANGED_MEANWHILE', '412 CHANGED_MEANWHILE']),
      };
    },
  },
  {
    name: 'limit of additional contacts',
    about: 'a user has at most 20 additional contacts',
    seed: { users: [{ userId: 'bob', userName: 'bob' }] },
    async setUp(server) {
      const { factors } = server.admin.userIdentities;
      const add = (at: number) =>
        factors.adminAdd({
          params: { id: 'bob' },
          body: { authenticationFactors: [{ contactType: 'EMAIL', email: `m${at}@example.com`, tags: [] }] } as never,
        });
      return {
        call: add,
        async verify(outcomes) {
          const stored = await server.appContext.store.factors.find('userId', 'bob');
          assertThat(stored.length === 20, `${stored.length} contacts are stored: ${formatTally(outcomes)}`);
        },
      };
    },
  },
];
