import { writeFile } from 'node:fs/promises';
import { describe, expect } from 'vitest';
import { startFakeServer } from '../../client/fake-server.ts';
import { iam, test, tokenVariables } from '../run-cli.ts';

const prefix = '/security/iam/v1';

/** Its lists are empty: one page shows which members are new. */
const startMemberServer = () => startFakeServer(({ method }) => ({ json: method === 'GET' ? [] : {} }));

describe('members of groups', () => {
  test.each([
    [['users', 'add', 'ops', 'u1', 'u2'], '/user-accesses/ops/user-accounts', [{ userId: 'u1' }, { userId: 'u2' }]],
    [['businesses', 'add', 'ops', 'b9'], '/business-accesses/ops/business-accounts', [{ businessId: 'b9' }]],
    [
      ['business-users', 'add', 'ops', 'b9', 'u1'],
      '/user-accesses/ops/business-accounts/b9/user-accounts',
      [{ userId: 'u1' }],
    ],
    [
      ['services', 'add', 'ops', 's1', 's2'],
      '/service-accesses/ops/service-accounts',
      [{ serviceId: 's1' }, { serviceId: 's2' }],
    ],
  ])('are added by their ids: groups %j', async (words, path, body) => {
    await using server = await startMemberServer();
    const outcome = await iam(['groups', ...words], server);
    expect(outcome).toMatchObject({ code: 0, out: '' });
    const [read, write, ...others] = server.received;
    expect(read).toMatchObject({
      method: 'GET',
      path: expect.stringMatching(new RegExp(`^${prefix}${path}\\?limit=`)),
    });
    expect(write).toMatchObject({ method: 'POST', path: prefix + path });
    expect(JSON.parse(write?.body ?? '')).toEqual(body);
    // The names of the line.
    expect(others.map((one) => one.path)).toEqual([]);
  });

  test('can come from a file, but not be empty', async ({ home }) => {
    await using server = await startMemberServer();
    await writeFile(home.file('users.yaml'), '- userId: u1\n');
    const words = ['groups', 'users', 'add', 'ops'];
    const runOptions = { ...server, variables: tokenVariables };
    expect((await home.iam([...words, '-f', home.file('users.yaml'), 'u2'], runOptions)).code).toBe(0);
    const [, write] = server.received;
    expect(write?.body).toBe('[{"userId":"u1"},{"userId":"u2"}]');
    const sent = server.received.length;
    expect(await home.iam(words, runOptions)).toMatchObject({
      code: 10,
      err: expect.stringContaining('<user-id>... is missing'),
    });
    expect(server.received).toHaveLength(sent);
  });

  test('are listed', async () => {
    await using server = await startFakeServer(() => ({ json: [{ userId: 'u1' }] }));
    expect((await iam(['group', 'user', 'ls', 'ops', '-o', 'name'], server)).out).toBe('u1\n');
  });
});

describe('users', () => {
  test.each([
    ['an argument', ['users', 'lock', 'u1', '--reason', 'Resigned', '--yes']],
    ['an option', ['users', 'lock', '--user-id', 'u1', '--reason', 'Resigned', '--yes']],
  ])('are locked by id as %s', async (_, words) => {
    await using server = await startFakeServer(() => ({ json: {} }));
    expect((await iam(words, server)).code).toBe(0);
    const sent = server.received.find(({ method }) => method !== 'GET');
    expect(JSON.parse(sent?.body ?? '')).toEqual({ userId: 'u1', reason: 'Resigned' });
  });

  test('are not locked without an id', async () => {
    await using server = await startFakeServer(() => ({ json: {} }));
    expect(await iam(['users', 'lock'], server)).toMatchObject({
      code: 10,
      err: expect.stringContaining('<user-id> is missing'),
    });
    expect(server.received).toEqual([]);
  });

  test('clear a field that is set to empty, and keep omitted ones', async () => {
    const user = { userId: 'u1', userEmail: 'u1@example.com', userMobile: { regionCode: 55, areaCode: 12 } };
    await using server = await startFakeServer(() => ({ json: user }));
    await iam(['users', 'update', 'u1', '--user-email', ''], server);
    await iam(['users', 'update', 'u1', '--user-mobile.area-code', '11'], server);
    const writes = server.received.filter(({ method }) => method === 'PATCH');
    expect(writes.map(({ body }) => JSON.parse(body))).toEqual([
      { userEmail: null },
      { userMobile: { regionCode: 55, areaCode: 11 } },
    ]);
  });

  test.each([
    ['users', 'user-accesses/user-accounts'],
    ['businesses', 'business-accesses/business-accounts'],
    ['services', 'service-accesses/service-accounts'],
  ])('and others have roles: %s roles ID', async (noun, path) => {
    await using server = await startFakeServer(() => ({ json: [{ role: 'DEPLOY', groupNames: ['ops'] }] }));
    expect((await iam([noun, 'roles', 'x1'], server)).out).toBe('ROLE    GROUP NAMES\nDEPLOY  ops\n');
    expect(server.received[0]?.path).toBe(`${prefix}/${path}/x1/roles`);
  });
});
