/** The number of round trips of frequent and of large calls: each waits for the database as often as listed here. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { IamClient } from '../../src/client/index.ts';
import { applySeed } from '../../src/server/seed/apply.ts';
import { hashPassword } from '../../src/server/users/passwords.ts';
import { adminClient, appClientId, startServer, type TestServer } from '../harness.ts';
import { asUser } from '../server/operations/user-token.ts';
import { databaseUrl } from './database.ts';
import { countRoundTrips, type RoundTrips } from './round-trips.ts';
import { TestSchemas } from './schemas.ts';

const schemas = new TestSchemas(databaseUrl);
const password = 'open sesame, please';
const chainLength = 100;

/** Each depends on the next. */
const chain = Array.from({ length: chainLength + 1 }, (_, at) => ({
  groupId: nameOfLink(at),
  groupName: `name of ${nameOfLink(at)}`,
  roles: [`ROLE-OF-${at}`],
  ...(at < chainLength ? { dependencies: [{ groupName: nameOfLink(at + 1) }] } : {}),
}));

function nameOfLink(at: number): string {
  return `link-${String(at).padStart(3, '0')}`;
}

let server: TestServer;
let client: IamClient;
let user: IamClient;
let businessUser: IamClient;

beforeAll(async () => {
  const seed = {
    users: [{ userId: 'alice', userName: 'alice', passwordHash: await hashPassword(password) }],
    groups: [...chain, { groupId: 'plain', groupName: 'plain', roles: ['A', 'B'] }],
  };
  server = await startServer({
    seed,
    // As one of several servers. It polls nothing by itself, which would count too.
    timer: { after: () => () => {} },
    flags: { store: 'postgres', 'database-url': 'postgres://iam@127.0.0.1/iam' },
    openStore: (sharedBy) => schemas.open({ sharedBy }),
  });
  const { body } = await server.admin.call('client-identities.login', {});
  client = server.as({ token: (body as { accessToken: string }).accessToken });
  user = await asUser(server, { roles: ['ADMIN', 'IAM_ADMIN_MAINTENANCE'] });
  businessUser = await asUser(server, { businessId: 'acme', roles: ['ADMIN', 'IAM_ADMIN_MAINTENANCE'] });
  const { store } = server.appContext;
  // The statement that reads the closure of the groups of a member is tested with the longest one.
  await store.transaction((tx) => tx.memberships.insert({ groupId: nameOfLink(0), kind: 'user', memberId: 'alice' }));
});
afterAll(() => server[Symbol.asyncDispose]());
// Nothing else reads the signing keys, and a server that has not read them for 30 seconds issues no tokens.
beforeEach(() => server.appContext.keys.refresh());

async function expectRoundTrips(work: () => Promise<unknown>, most: number): Promise<void> {
  // Connections are opened, and rows become known.
  await work();
  const { count, statements } = await countRoundTrips(work);
  expect(count, describeTrips(statements)).toBeLessThanOrEqual(most);
}

const callers = () => ({ client, user, businessUser });

describe.each(['client', 'user', 'businessUser'] as const)('with the token of a %s', (name) => {
  const call: IamClient['call'] = (...input) => callers()[name].call(...input);

  test('a group is read in 2', () => expectRoundTrips(() => call('groups.get', { params: { groupId: 'plain' } }), 2));

  test('a group with dependencies is read in 2', () =>
    expectRoundTrips(() => call('groups.get', { params: { groupId: nameOfLink(0) } }), 2));

  test('100 groups with dependencies are read in 3', async () => {
    const list = () => call('groups.list', { query: { limit: 100 } });
    const groups = (await list()).body as readonly { readonly dependencies: readonly unknown[] }[];
    expect(groups.filter(({ dependencies }) => dependencies.length > 0).length).toBeGreaterThan(90);
    await expectRoundTrips(list, 3);
  });

  // One reads names that look the same.
  test('a group is created in 3', async () => {
    let groups = 0;
    const create = () => {
      groups += 1;
      return call('groups.create', { body: { groupName: `new ${name} ${groups}`, roles: ['A', 'B'] } });
    };
    await expectRoundTrips(create, 3);
  });

  test('a group above a chain of 100 is replaced in 10, also if a role is removed', async () => {
    const [top] = chain;
    const { groupId, groupName, dependencies } = top as Required<(typeof chain)[number]>;
    const replace = (roles: readonly string[]) =>
      call('groups.update', { params: { groupId }, body: { groupName, dependencies, roles: [...roles] } });
    await replace(['A', 'B']);
    const { count, statements } = await countRoundTrips(() => replace(['A']));
    expect(count, describeTrips(statements)).toBeLessThanOrEqual(10);
    await expectRoundTrips(() => replace(['A', 'B']), 10);
  });
});

test('a user logs in with a password in 8', () =>
  expectRoundTrips(
    () =>
      server.as().call('user-identities.login', {
        query: { clientId: appClientId },
        body: { userName: 'alice', password },
      } as never),
    8,
  ));

test('10,000 clients are moved in at most 200', async () => {
  const { store } = server.appContext;
  const row = await store.clients.get(appClientId);
  const clientIds = Array.from({ length: 10_000 }, (_, at) => `many-${at}`);
  await store.transaction(async ({ clients }) => {
    for (const clientId of clientIds)
      if (row) await clients.insert({ ...row, clientId, bootstrap: undefined, organizationId: 'old' });
  });
  const { count } = await countRoundTrips(async () => {
    const body = { clientIds, target: { organizationId: 'new', businessUnitId: 'unit' } };
    const response = await server.admin.call('client-identities.migrate', { body });
    expect(response.body).toEqual({ matched: 10_000, migrated: 10_000 });
  });
  expect(count).toBeLessThanOrEqual(200);
});

test('a client logs in with its secret in 1', () =>
  expectRoundTrips(() => server.as(adminClient).call('client-identities.login', {}), 1));

function describeTrips(statements: RoundTrips['statements']): string {
  return statements.map((trip) => trip.join(' + ')).join(', ');
}

test('a seed waits for the database as often for 200 users, groups and members as for 20', async () => {
  const createSeed = (prefix: string, length: number) => {
    const names = Array.from({ length }, (_, at) => `${prefix}-${at}`);
    return {
      users: names.map((name) => ({ userId: name, userName: `${name}-name`, password: `a meadow in the ${name} sun` })),
      groups: names.map((groupName, at) => ({
        groupName,
        users: at === 0 ? names : [],
        dependencies: names.slice(at + 1, at + 2).map((name) => ({ groupName: name })),
      })),
    };
  };
  const apply = (prefix: string, length: number) =>
    applySeed(createSeed(prefix, length), { ...server.appContext, hash: async () => 'hash' });
  await apply('first', 5);
  const short = await countRoundTrips(() => apply('short', 20));
  const long = await countRoundTrips(() => apply('long', 200));
  expect(long.count, describeTrips(long.statements)).toBeLessThanOrEqual(short.count + 2);
});
