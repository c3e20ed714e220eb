import { describe, expect, test } from 'vitest';
import { errorResponse, startFakeServer } from '../../client/fake-server.ts';
import { iam } from '../run-cli.ts';

/** Pages of users, as the control plane returns them. */
function userServer(count: number) {
  return startFakeServer(({ path }) => {
    const query = new URL(path, 'http://x').searchParams;
    const start = Number(query.get('after') ?? 0);
    const end = Math.min(count, start + Number(query.get('limit') ?? 100));
    const json = Array.from({ length: end - start }, (_, at) => ({
      userId: `u${start + at}`,
      userName: 'n',
      locked: false,
    }));
    return end < count ? { status: 206, json, headers: { link: `</_iam/users?after=${end}>; rel="next"` } } : { json };
  });
}

describe.each(['users', 'clients', 'businesses', 'customers'])('%s list', (noun) => {
  test('requests the control plane, also without credentials', async () => {
    await using server = await startFakeServer(() => ({ json: [{ userId: 'x1' }] }));
    const variables = { IAM_BASE_URL: server.url };
    const outcome = await iam([noun, 'list', '--name', 'a b', '-o', 'jsonl'], { variables });
    expect(outcome).toEqual({ code: 0, out: '{"userId":"x1"}\n', err: '' });
    expect(server.received).toMatchObject([{ method: 'GET', path: `/_iam/${noun}?name=a+b&limit=1000` }]);
  });

  test('passes search and sort to the server', async () => {
    await using server = await startFakeServer(() => ({ json: [{ userId: 'x1' }] }));
    await iam([noun, 'list', '--search', 'a&b', '--sort', '-createdAt'], server);
    expect(server.received[0]?.path).toBe(`/_iam/${noun}?search=a%26b&sort=-createdAt&limit=1000`);
  });

  test.each([errorResponse(404, 'PATH_UNKNOWN'), { status: 404, text: 'not here' }])(
    'reports a missing control plane',
    async (reply) => {
      await using server = await startFakeServer(() => reply);
      const outcome = await iam([noun, 'list'], server);
      expect(outcome).toMatchObject({ code: 3, out: '' });
      expect(outcome.err).toContain('has no control plane');
    },
  );
});

test('lists users over all pages, with the credentials of the caller', async () => {
  await using server = await userServer(2500);
  const { out } = await iam(['users', 'list', '--all', '-o', 'name'], server);
  expect(out.trim().split('\n')).toHaveLength(2500);
  expect(server.received.map(({ headers }) => headers.authorization)).toEqual(Array(3).fill('Bearer test-token'));
});

test('prints the main columns of clients in a table, and all with wide', async () => {
  await using server = await startFakeServer(() => ({
    json: [{ clientId: 'c1', appId: 'a', grantTypes: ['password'] }],
  }));
  expect((await iam(['clients', 'list'], server)).out).toBe('CLIENT ID  APP ID\nc1         a\n');
  expect((await iam(['clients', 'list', '-o', 'wide'], server)).out).toContain('GRANT TYPES');
});

test('reports a caller that the control plane rejects', async () => {
  await using server = await startFakeServer(() => errorResponse(401, 'CREDENTIALS_MISSING'));
  expect((await iam(['users', 'list'], { variables: { IAM_BASE_URL: server.url } })).code).toBe(4);
});

test.each([
  ['groups', 'groups'],
  ['api-key', 'api-keys'],
])('%s search requests the control plane', async (noun, path) => {
  await using server = await startFakeServer(() => ({ json: [{ groupId: 'g1', apiKeyId: 'k1' }] }));
  expect((await iam([noun, 'search', 'a b', '--sort', '-createdAt', '-o', 'jsonl'], server)).code).toBe(0);
  await iam([noun, 'search'], server);
  expect(server.received.map((request) => request.path)).toEqual([
    `/_iam/${path}?search=a+b&sort=-createdAt&limit=1000`,
    `/_iam/${path}?limit=1000`,
  ]);
});

describe('groups members', () => {
  test('lists members of every kind', async () => {
    const json = [
      { kind: 'user', userId: 'u1' },
      { kind: 'businessUser', userId: 'u2', businessId: 'b1' },
    ];
    await using server = await startFakeServer(() => ({ json }));
    expect((await iam(['groups', 'members', 'my ops'], server)).out).toBe(
      'KIND          USER ID  BUSINESS ID\nuser          u1\nbusinessUser  u2       b1\n',
    );
    expect(server.received[0]?.path).toBe('/_iam/groups/my%20ops/members?limit=1000');
  });

  test('reports an unknown group, not a missing control plane', async () => {
    await using server = await startFakeServer(() => errorResponse(404, 'GROUP_NOT_FOUND'));
    const outcome = await iam(['groups', 'members', 'nothing', '-o', 'json'], server);
    expect(outcome.code).toBe(3);
    expect(outcome.err).toContain('GROUP_NOT_FOUND');
  });
});

describe('users factors', () => {
  test('list requests the control plane', async () => {
    const json = [{ id: 'work', contactType: 'EMAIL', email: 'w***@example.com', verified: true, tags: '[]' }];
    await using server = await startFakeServer(() => ({ json }));
    const { out } = await iam(['users', 'factors', 'list', 'a b'], server);
    expect(out).toContain('w***@example.com');
    expect(server.received[0]?.path).toBe('/_iam/users/a%20b/factors?limit=1000');
  });

  test.each([
    [['add', 'u1', '-f', '-'], 'POST', '/user-identities/u1/authentication-factors'],
    [['update', 'u1', 'f1', '--tag', 'a,b'], 'PATCH', '/user-identities/u1/authentication-factors/f1'],
    [['remove', 'u1', 'f1', '--yes'], 'DELETE', '/user-identities/u1/authentication-factors/f1'],
  ])('%j uses the service interface', async (words, method, path) => {
    const factor = { id: 'f1', contactType: 'EMAIL', tags: [] };
    await using server = await startFakeServer(({ method }) => ({ json: method === 'GET' ? factor : [] }));
    const stdin = 'authenticationFactors:\n  - contactType: EMAIL\n    email: a@example.com\n';
    const outcome = await iam(['users', 'factors', ...words], { url: server.url, stdin });
    expect(outcome).toMatchObject({ code: 0 });
    const changes = server.received.filter((request) => request.method !== 'GET');
    expect(changes).toMatchObject([{ method, path: `/security/iam/v1${path}` }]);
    const sent: Record<string, unknown> = {
      POST: { authenticationFactors: [{ contactType: 'EMAIL', email: 'a@example.com' }] },
      PATCH: { tags: ['a', 'b'] },
    };
    if (sent[method]) expect(JSON.parse(changes[0]?.body ?? '')).toEqual(sent[method]);
  });
});

test('accepts one factor as options, several from a file, and both together', async () => {
  await using server = await startFakeServer(() => ({ status: 201, json: [] }));
  const phone = ['--contact-type', 'MOBILE', '--mobile.region-code', '55', '--mobile.area-code', '11'];
  const words = [
    'users',
    'factors',
    'add',
    'u1',
    '--id',
    'p',
    ...phone,
    '--mobile.phone-number',
    '98765',
    '--tag',
    'a,b',
  ];
  const typed = {
    id: 'p',
    contactType: 'MOBILE',
    mobile: { regionCode: 55, areaCode: 11, phoneNumber: 98765 },
    tags: ['a', 'b'],
  };
  const listed = { contactType: 'EMAIL', email: 'a@example.com' };
  const stdin = JSON.stringify({ authenticationFactors: [listed] });
  expect((await iam(words, server)).code).toBe(0);
  expect((await iam([...words, '-f', '-'], { url: server.url, stdin })).code).toBe(0);
  expect(server.received.map(({ body }) => JSON.parse(body))).toEqual([
    { authenticationFactors: [typed] },
    { authenticationFactors: [listed, typed] },
  ]);
  const nothing = await iam(['users', 'factors', 'add', 'u1'], server);
  expect(nothing).toMatchObject({ code: 10, err: expect.stringContaining('--contact-type is missing') });
});

test('factors are those of the caller', async () => {
  await using server = await startFakeServer(() => ({ json: [] }));
  expect((await iam(['factors', 'list'], server)).code).toBe(0);
  expect(server.received[0]?.path).toBe('/security/iam/v1/user-identities/me/authentication-factors');
});
