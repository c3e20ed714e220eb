/** Search, order and pages of the lists of the control plane. */
import { describe, expect, test } from 'vitest';
import type { SeedDocument } from '../../../../src/server/seed/schema.ts';
import { rounds } from '../../../effort.ts';
import { adminClient, startServer, type TestServer, type TestServerOptions } from '../../../harness.ts';
import { sharedServer } from '../../operations/access.ts';
import { createIds, makeUsers } from '../../operations/user-accesses/member-fixtures.ts';
import { readAllPages, readNextPath, send } from '../control-client.ts';

const apiKey = 'bG9uZy1yYW5kb20tdmFsdWUtb2YtMzItYnl0ZXMtISE=';

const seed: SeedDocument = {
  businesses: [
    { businessId: 'acme', businessName: 'Zeta Shop', document: '123' },
    { businessId: 'globex', businessName: 'alpha Store', document: '45' },
  ],
  users: [
    { userId: 'u1', userName: 'Bob', userEmail: 'b.hidden@example.com', businessId: 'acme', identities: ['robert'] },
    { userId: 'u2', userName: 'alice', userEmail: 'alice@example.org', identities: ['second@example.com'] },
    { userId: 'u3', userName: 'Ärzte' },
  ],
  clients: [
    { clientId: 'c1', clientSecret: 'very secret', appId: 'Billing', serviceAccountId: 's-one' },
    { clientId: 'c2', clientSecret: 'very secret', appId: 'audit' },
  ],
  groups: [
    { groupId: 'g1', groupName: 'Operators', roles: ['DEPLOY'] },
    { groupId: 'g2', groupName: 'auditors', roles: ['VIEW'], dependencies: [{ groupName: 'Operators' }] },
  ],
  corporateGroups: [
    { corporateGroupId: 'h1', corporateGroupName: 'Zeta Holding', businesses: ['acme'] },
    { corporateGroupId: 'h2', corporateGroupName: 'alpha group' },
  ],
  apiKeys: [{ apiKeyId: 'k1', appId: 'Billing', clientId: 'c1', apiKey }],
};

async function list(server: TestServer, path: string, headers = {}): Promise<Record<string, unknown>[]> {
  const response = await send(server, `/_iam/${path}`, { headers });
  expect(response.status).toBe(200);
  return response.body as Record<string, unknown>[];
}

const idsOf = (rows: readonly unknown[], name: string) => rows.map((row) => (row as Record<string, unknown>)[name]);

const shared = sharedServer(() => startServer({ seed }));

describe('search', () => {
  test.each([
    ['users', 'BO', 'userId', ['u1']],
    ['users', 'u', 'userId', ['u1', 'u2', 'u3']],
    ['users', 'ober', 'userId', ['u1']],
    ['users', 'hidden@', 'userId', ['u1']],
    ['users', 'ÄRZ', 'userId', ['u3']],
    ['users', 'example.com', 'userId', ['u1', 'u2']],
    ['users', '%', 'userId', []],
    ['clients', 'billing', 'clientId', ['c1']],
    ['clients', 'S-O', 'clientId', ['c1']],
    ['businesses', 'shop', 'businessId', ['acme']],
    ['businesses', '45', 'businessId', ['globex']],
    ['customers', 'zeta', 'businessId', ['acme']],
    ['customers', 'globex', 'businessId', ['globex']],
    ['groups', 'deplo', 'groupId', ['g1']],
    ['groups', 'OPERATOR', 'groupId', ['g1']],
    ['groups', 'g2', 'groupId', ['g2']],
    ['corporate-groups', 'HOLD', 'corporateGroupId', ['h1']],
    ['corporate-groups', 'h2', 'corporateGroupId', ['h2']],
    ['api-keys', 'bill', 'apiKeyId', ['k1']],
    ['api-keys', 'nothing', 'apiKeyId', []],
  ])('of %s finds %s', async (what, text, id, expected) => {
    const server = shared();
    const found = await list(server, `${what}?search=${encodeURIComponent(text)}&limit=1000`);
    // Without the administrator of each server, whose id is generated.
    const values = idsOf(found, id).filter((value) => value !== undefined && !/^[0-9a-f]{24}$/.test(String(value)));
    expect(values).toEqual(expected);
  });

  test('combines with the other filters', async () => {
    const server = shared();
    expect(await list(server, 'users?search=bo&name=alice')).toEqual([]);
    expect(await list(server, 'users?search=ali&name=ALICE')).toMatchObject([{ userId: 'u2' }]);
    expect(await list(server, 'businesses?search=zeta&name=alpha%20Store')).toEqual([]);
  });

  test('reveals no part of a masked address on a remotely reachable server', async () => {
    const flags = { host: '0.0.0.0', 'allow-remote': true };
    await using server = await startServer({ seed, flags } satisfies TestServerOptions);
    const secret = Buffer.from(`${adminClient.clientId}:${adminClient.clientSecret}`).toString('base64');
    const headers = { Authorization: `Basic ${secret}` };
    const search = (text: string) => list(server, `users?search=${encodeURIComponent(text)}`, headers);
    // An administrative caller reads the contacts of all users, but other login names that are addresses are masked.
    expect(await search('b.hidden')).toMatchObject([{ userId: 'u1', userEmail: 'b.hidden@example.com' }]);
    expect(await search('second@exa')).toEqual([]);
    expect(await search('second@example.com')).toMatchObject([{ userId: 'u2' }]);
    expect(await search('robe')).toMatchObject([{ userId: 'u1' }]);
  });
});

describe('order', () => {
  test.each([
    ['users?search=u&sort=userName', 'userId', ['u2', 'u1', 'u3']],
    ['users?search=u&sort=-userName', 'userId', ['u3', 'u1', 'u2']],
    ['users?search=u&sort=-userId', 'userId', ['u3', 'u2', 'u1']],
    ['users?search=u&sort=businessId', 'userId', ['u2', 'u3', 'u1']],
    ['clients?search=c&sort=appId', 'clientId', ['c2', 'c1']],
    ['businesses?sort=businessName', 'businessId', ['globex', 'acme']],
    ['customers?sort=-name', 'businessId', ['acme', 'globex']],
    ['groups?search=tors&sort=groupName', 'groupId', ['g2', 'g1']],
    ['corporate-groups?sort=corporateGroupName', 'corporateGroupId', ['h2', 'h1']],
    ['api-keys?sort=lastUsedAt', 'apiKeyId', ['k1']],
  ])('%s', async (path, id, expected) => {
    const server = shared();
    const wanted = new Set(expected);
    expect(idsOf(await list(server, path), id).filter((value) => wanted.has(String(value)))).toEqual(expected);
  });

  test.each(['users', 'clients', 'businesses', 'customers', 'groups', 'corporate-groups', 'api-keys'])(
    'of %s rejects unknown columns, forged cursors and long texts',
    async (what) => {
      const server = shared();
      const bad = ['sort=toString', 'sort=', 'sort=--createdAt', 'sort=createdAt&sort=createdAt', 'search='];
      for (const query of [...bad, `search=${'x'.repeat(255)}`, 'search=%00', 'sort=createdAt&after=bm8', 'limit=0'])
        expect(await send(server, `/_iam/${what}?${query}`)).toMatchObject({ status: 400 });
    },
  );

  test('rejects the cursor of another order or search', async () => {
    const server = shared();
    const next = readNextPath(await send(server, '/_iam/users?sort=userName&limit=1'));
    for (const query of [next.replace('sort=userName', 'sort=-userName'), `${next}&search=u`])
      expect(await send(server, query)).toMatchObject({ status: 400, body: [{ code: 'CURSOR_INVALID' }] });
  });
});

describe('the number of entries', () => {
  const countOf = async (path: string) => (await send(shared(), `/_iam/${path}`)).headers['x-total-count'];

  test.each([
    ['users?search=u&count=true&limit=1', '3'],
    ['users?search=u&count=true&limit=1&sort=-userName', '3'],
    ['users?name=alice&count=true', '1'],
    ['users?search=unknown&count=true', '0'],
    ['businesses?count=true&limit=1', '2'],
    ['customers?search=zeta&count=true', '1'],
    ['groups?search=deplo&count=true&limit=1', '1'],
    ['api-keys?count=true', '1'],
    ['sessions?count=true', '0'],
    ['users?search=u', undefined],
    ['users?search=u&count=false', undefined],
  ])('of %s is %s', async (path, expected) => {
    expect(await countOf(path)).toBe(expected);
  });

  test('is that of the rows without a filter, and leaves the body as it is', async () => {
    const [plain, counted] = [
      await send(shared(), '/_iam/users?limit=2'),
      await send(shared(), '/_iam/users?limit=2&count=true'),
    ];
    expect(counted.body).toEqual(plain.body);
    expect(counted.headers['x-total-count']).toBe(String((await list(shared(), 'users')).length));
  });

  test('is not counted again for the pages that follow', async () => {
    for (const query of ['search=u&limit=1', 'limit=1', 'limit=1&sort=userName']) {
      const next = readNextPath(await send(shared(), `/_iam/users?${query}&count=true`));
      expect(next).not.toContain('count');
      const second = await send(shared(), next);
      expect(second).toMatchObject({ status: 206 });
      expect(second.headers['x-total-count']).toBe(undefined);
    }
  });
});

describe('pages of many users', () => {
  test('contain each user once while others are added and deleted', async () => {
    await using server = await startServer();
    const { store } = server.appContext;
    const ids = createIds('u', rounds(10_000));
    const [last = ''] = ids.slice(-1);
    await makeUsers(server, ids);
    const path = `/_iam/users?search=u0&sort=-userName&limit=${ids.length / 10}`;
    const first = await send(server, path);
    const seen = idsOf(first.body as unknown[], 'userId');
    await store.transaction((tx) => tx.users.delete(String(seen.at(-1))));
    await makeUsers(server, ['u00003x', `${last}x`]);
    const rest = await readAllPages(server, readNextPath(first));
    const all = [...seen, ...idsOf(rest.items, 'userId')];
    expect(new Set(all).size).toBe(all.length);
    expect(all.filter((id) => !String(id).endsWith('x'))).toEqual(ids.toReversed());
    expect(all).toContain('u00003x');
    expect(all).not.toContain(`${last}x`);
    expect((await readAllPages(server, `/_iam/users?search=${last}&limit=1`)).items).toHaveLength(2);
  });
});
