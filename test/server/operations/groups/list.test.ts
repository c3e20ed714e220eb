import { describe, expect, test } from 'vitest';
import { startServer, type TestServer } from '../../../harness.ts';
import { catchClientError, sharedServer } from '../access.ts';

const bootstrapped = ['iam-administrators', 'iam-auditors', 'business-users', 'business-admins', 'business-owners'];

async function names(server: TestServer, query = {}): Promise<string[]> {
  const { items } = await server.admin.groups.list({ query });
  return items.map(({ groupName }) => groupName);
}

test('returns all groups in id order, each as get returns it', async () => {
  await using server = await startServer();
  const response = await server.admin.call('groups.list');
  expect(response).toMatchObject({ status: 200 });
  expect(response.headers.link).toBeUndefined();
  const { items } = await server.admin.groups.list();
  expect(items.map(({ groupName }) => groupName)).toEqual(bootstrapped);
  expect(items.map(({ groupId }) => groupId)).toEqual(items.map(({ groupId }) => groupId).toSorted());
  for (const item of items) expect(await server.admin.groups.get({ params: { groupId: item.groupId } })).toEqual(item);
});

test('filters by exact values, and by all filters together', async () => {
  await using server = await startServer({
    seed: {
      groups: [
        { groupName: 'a', organizationId: 'o1', businessUnitId: 'u1', roles: ['X'] },
        { groupName: 'b', organizationId: 'o1', businessUnitId: 'u2', roles: ['X', 'Y'] },
        { groupName: 'c', organizationId: 'o2', businessUnitId: 'u2', dependencies: [{ groupName: 'b' }] },
      ],
    },
  });
  expect(await names(server, { name: 'a' })).toEqual(['a']);
  expect(await names(server, { name: 'A' })).toEqual([]);
  expect(await names(server, { role: 'X' })).toEqual(['a', 'b']);
  expect(await names(server, { role: 'ROLE_Y' })).toEqual(['b']);
  expect(await names(server, { organizationId: 'o1' })).toEqual(['a', 'b']);
  expect(await names(server, { businessUnitId: 'u2' })).toEqual(['b', 'c']);
  expect(await names(server, { organizationId: 'o1', businessUnitId: 'u2' })).toEqual(['b']);
  expect(await names(server, { organizationId: 'o2', role: 'X' })).toEqual([]);
  expect(await names(server, { name: 'b', organizationId: 'o1', role: 'Y' })).toEqual(['b']);
});

test('returns the new name of a renamed dependency, and none that were removed', async () => {
  await using server = await startServer({
    seed: {
      groups: [{ groupName: 'ops' }, { groupName: 'leads', dependencies: [{ groupName: 'ops' }] }],
    },
  });
  const dependencies = async () => {
    const { items } = await server.admin.groups.list({ query: { name: 'leads' } });
    const whole = await server.admin.groups.list();
    expect(whole.items.find(({ groupName }) => groupName === 'leads')).toEqual(items[0]);
    return items[0]?.dependencies;
  };
  expect(await dependencies()).toEqual([{ groupName: 'ops' }]);
  expect(await dependencies()).toEqual([{ groupName: 'ops' }]);
  await server.admin.groups.update({ params: { groupId: 'ops' }, body: { groupName: 'operators' } });
  expect(await dependencies()).toEqual([{ groupName: 'operators' }]);
  await server.admin.groups.create({ body: { groupName: 'others' } });
  expect(await dependencies()).toEqual([{ groupName: 'operators' }]);
  await server.admin.groups.removeDependency({ params: { groupId: 'leads', dependencyName: 'operators' } });
  expect(await dependencies()).toEqual([]);
});

test.each([
  ['none', 0],
  ['one', 1],
  ['more than one turn of the event loop serializes', 800],
])('has the length of its text, with %s', async (_, count) => {
  const roles = Array.from({ length: 8 }, (_, at) => `ROLE_${'X'.repeat(40)}_${at}`);
  const groups = Array.from({ length: count }, (_, at) => ({
    groupName: `größe ☃ ${at}`,
    organizationId: 'Zürich',
    roles,
  }));
  await using server = await startServer({ seed: { groups } });
  const path = `/security/iam/v1/groups?limit=1000&organizationId=${encodeURIComponent('Zürich')}`;
  const { body, headers } = await server.admin.raw('GET', path);
  expect(body).toHaveLength(count);
  expect(Number(headers['content-length'])).toBe(Buffer.byteLength(JSON.stringify(body)));
  expect(await names(server, { name: 'iam-auditors' })).toEqual(['iam-auditors']);
});

test('ignores unknown parameters', async () => {
  await using server = await startServer();
  const path = '/security/iam/v1/groups?__proto__=1&constructor=2&limit[]=3&clientId=x&clientId=y&=&&';
  const response = await server.admin.raw('GET', path);
  expect(response).toMatchObject({ status: 200 });
});

describe('pages', () => {
  test('are reachable through the unmodified URL of the Link header', async () => {
    await using server = await startServer();
    const groupNames: unknown[] = [];
    let path: string | undefined = '/security/iam/v1/groups?limit=2&extra=a%26b%3D%C3%A9+%22';
    for (const status of [206, 206, 200]) {
      const { body, headers, status: actual } = await server.admin.raw('GET', path ?? 'no link');
      expect(actual).toBe(status);
      groupNames.push(...(body as { groupName: string }[]).map(({ groupName }) => groupName));
      const [, url] = /^<(.*)>; rel="next"$/.exec(headers.link ?? '') ?? [];
      if (url !== undefined) expect(new URL(url).searchParams.get('extra')).toBe('a&b=é "');
      path = url?.replace(server.url, '');
    }
    expect(path).toBeUndefined();
    expect(groupNames).toEqual(bootstrapped);
  });

  test('preserve the filters', async () => {
    await using server = await startServer();
    for (const groupName of ['a', 'b', 'c']) await server.admin.groups.create({ body: { groupName, roles: ['X'] } });
    const items: unknown[] = [];
    for await (const item of server.admin.items('groups.list', { query: { limit: 1, role: 'X' } })) items.push(item);
    expect(items).toMatchObject([{ groupName: 'a' }, { groupName: 'b' }, { groupName: 'c' }]);
  });

  test.each([1, 4, 5, 6, 1000])('contain at most %i items, and a Link header only if more follow', async (limit) => {
    await using server = await startServer();
    const response = await server.admin.call('groups.list', { query: { limit } });
    expect(response.body).toHaveLength(Math.min(limit, 5));
    expect(response.status).toBe(limit < 5 ? 206 : 200);
    expect(response.headers.link !== undefined).toBe(limit < 5);
  });

  test('contain a hundred items by default', async () => {
    await using server = await startServer({
      seed: { groups: Array.from({ length: 96 }, (_, at) => ({ groupName: `g${at}` })) },
    });
    const { items, next } = await server.admin.groups.list();
    expect(items).toHaveLength(100);
    expect(next).toBeDefined();
  });

  test('neither skip nor repeat groups while others are created and removed', async () => {
    const groups = Array.from({ length: 40 }, (_, at) => ({ groupName: `g${at}` }));
    await using server = await startServer({ seed: { groups } });
    const groupNames: string[] = [];
    let round = 0;
    for await (const item of server.admin.items('groups.list', { query: { limit: 3 } })) {
      const { groupName } = item as { groupName: string };
      groupNames.push(groupName);
      if (groupNames.length % 3 !== 0) continue;
      round += 1;
      server.clock.advance(1);
      await server.admin.groups.create({ body: { groupName: `new${round}` } });
      // The last item read is removed, so the cursor points to a removed group; so is an item not yet read.
      if (groupName.startsWith('g')) await server.admin.groups.remove({ params: { groupId: groupName } });
      if (round === 2) await server.admin.groups.remove({ params: { groupId: 'g39' } });
      if (round === 14) break;
    }
    const remaining = [...bootstrapped, ...groups.map(({ groupName }) => groupName)].filter((name) => name !== 'g39');
    expect(groupNames.slice(0, 42)).toEqual(remaining.slice(0, 42));
    expect(new Set(groupNames).size).toBe(groupNames.length);
  });
});

describe('rejects with 400 and names the parameter:', () => {
  const shared = sharedServer();
  const rejected = async (search: string) => {
    const response = await shared().admin.raw('GET', `/security/iam/v1/groups?${search}`);
    expect(response.status).toBe(400);
    return (response.body as { code: string; message: string }[]).map(({ code, message }) => `${code} ${message}`);
  };

  test.each([
    ['limit=0', /^FIELD_VALUE limit must be at least 1/],
    ['limit=-1', /^FIELD_VALUE limit must be at least 1/],
    ['limit=1001', /^FIELD_VALUE limit must be at most 1000/],
    ['limit=1000000000', /^FIELD_VALUE limit must be at most 1000/],
    ['limit=1e9', /^FIELD_TYPE limit must be a number/],
    ['limit=1.5', /^FIELD_TYPE limit/],
    ['limit=abc', /^FIELD_TYPE limit/],
    ['limit=', /^FIELD_TYPE limit/],
    ['limit=%20', /^FIELD_TYPE limit/],
    ['limit=99999999999999999999', /^FIELD_TYPE limit/],
    ['limit=1&limit=2', /^QUERY_REPEATED limit/],
    ['name=a&name=a', /^QUERY_REPEATED name/],
    ['name=', /^FIELD_VALUE name must not be empty/],
    ['name=%00', /^FIELD_VALUE name must not contain control characters/],
    ['name=%FF', /^FIELD_TYPE name is not valid percent-encoding/],
    ['name=%ZZ', /^FIELD_TYPE name is not valid percent-encoding/],
    ['name=%', /^FIELD_TYPE name is not valid percent-encoding/],
    [`name=${'x'.repeat(101)}`, /^FIELD_VALUE name must not be longer/],
    ['role=de%20ploy', /^FIELD_VALUE role/],
    [`after=${'x'.repeat(513)}`, /^FIELD_VALUE after/],
    ['after=', /^CURSOR_INVALID/],
    ['after=garbage', /^CURSOR_INVALID/],
  ])('%s', async (search, expected) => {
    expect(await rejected(search)).toEqual([expect.stringMatching(expected)]);
  });

  test('all errors in one response', async () => {
    expect(await rejected('limit=abc&role=de%20ploy&name=a&name=b')).toEqual([
      expect.stringContaining('limit'),
      expect.stringContaining('name'),
      expect.stringContaining('role'),
    ]);
  });

  test('the cursor of another list or of other filters', async () => {
    const { admin, makeClient } = shared();
    const client = await makeClient();
    for (const appId of ['one', 'two']) await admin.apiKey.create({ body: { appId, clientId: client.clientId } });
    const cursors = [
      (await admin.apiKey.list({ query: { limit: 1 } })).next,
      (await admin.groups.list({ query: { limit: 1, organizationId: 'o' } })).next,
      (await admin.groups.list({ query: { limit: 1, role: 'IAM_ADMIN_READ_ONLY' } })).next,
    ];
    expect(cursors.map((cursor) => cursor !== undefined)).toEqual([true, false, true]);
    for (const after of [cursors[0], cursors[2]]) {
      const failure = await catchClientError(admin.groups.list({ query: { after } }));
      expect(failure).toMatchObject({ status: 400, code: 'CURSOR_INVALID' });
    }
  });

  test('a modified cursor', async () => {
    const { admin } = shared();
    const { next = '' } = await admin.groups.list({ query: { limit: 1 } });
    const changed = [`A${next}`, next.toUpperCase(), `${next}=`, `${next} `];
    for (const after of changed)
      expect(await catchClientError(admin.groups.list({ query: { after } }))).toMatchObject({ code: 'CURSOR_INVALID' });
    expect(await admin.groups.list({ query: { after: next, limit: 1000 } })).toMatchObject({ items: { length: 4 } });
  });
});
