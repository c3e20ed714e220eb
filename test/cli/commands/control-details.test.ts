/** The `get` commands of the control plane: users, clients, businesses, customers and API keys. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorResponse, startFakeServer } from '../../client/fake-server.ts';
import { adminClient, startServer, type TestServer } from '../../harness.ts';
import { iam, type RunOptions } from '../run-cli.ts';

const adminVariables = { IAM_CLIENT_ID: adminClient.clientId, IAM_CLIENT_SECRET: adminClient.clientSecret };

const seed = {
  businesses: [{ businessId: 'acme', businessName: 'Acme', document: '1' }],
  users: [
    {
      userId: 'ann',
      userName: 'Ann',
      userEmail: 'ann@example.com',
      userMobile: { regionCode: 55, areaCode: 11, phoneNumber: 987654321 },
      businessId: 'acme',
    },
    { userId: 'bob' },
    { userId: 'leo', locked: true },
  ],
  clients: [{ clientId: 'c1', clientSecret: 'very secret', appId: 'billing', serviceAccountId: 's1' }],
  groups: [
    { groupId: 'g-view', groupName: 'viewers', roles: ['VIEW'], businesses: ['acme'], services: ['s1'] },
    {
      groupId: 'g-ops',
      groupName: 'ops',
      roles: ['DEPLOY'],
      dependencies: [{ groupName: 'viewers' }],
      users: ['ann', 'leo'],
    },
  ],
  apiKeys: [{ apiKeyId: 'k1', appId: 'billing', clientId: 'c1', keyHash: `sha256:${'0'.repeat(64)}` }],
};

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ seed });
});
afterAll(() => server[Symbol.asyncDispose]());

function run(line: string, options: RunOptions = {}, on: { readonly url: string } = server) {
  return iam(line.split(' '), { url: on.url, variables: { ...adminVariables, IAM_BASE_URL: on.url }, ...options });
}

const withoutCredentials = () => ({ variables: { IAM_BASE_URL: server.url } });

describe('users get', () => {
  test('shows contacts, business, groups and roles within 80 columns', async () => {
    const { code, out, err } = await run('users get ann', { columns: 80 });
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(
      /^user id {8}ann\nuser name {6}Ann\nuser email {5}ann@example.com\nuser mobile {4}\+55 11 987654321\n/,
    );
    expect(out).toMatch(/^effective roles\n {2}ROLE +THROUGH\n {2}DEPLOY +ops\n {2}VIEW +ops, viewers$/m);
    expect(out).not.toMatch(/role sources/);
    expect(out).toMatch(/^ {2}main-mobile +\+55 \*\*\* \*\*\*4321 +true/m);
    expect(out).toMatch(/^ {2}ops +g-ops +user\n {2}viewers +g-view +business$/m);
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  test('says beside the roles that a locked user cannot use them', async () => {
    const { out } = await run('users get leo');
    expect(out).toContain('\neffective roles (without effect while the user is locked)\n  ROLE ');
  });

  test('prints the whole object as JSON', async () => {
    const user = JSON.parse((await run('users get ann -o json')).out);
    expect(user).toMatchObject({
      userId: 'ann',
      userEmail: 'ann@example.com',
      userMobile: { areaCode: 11 },
      legacyLogons: [],
      businessName: 'Acme',
      locked: false,
      contacts: [{ id: 'main-email', email: 'a***@example.com' }, { id: 'main-mobile' }],
      groups: [{ groupName: 'ops' }, { groupName: 'viewers', kind: 'business' }],
      effectiveRoles: ['DEPLOY', 'VIEW'],
      sessions: expect.any(Number),
    });
  });

  test('shows lock and reason, and empty lists as none', async () => {
    await run('users lock bob --reason left --yes');
    const { out } = await run('users show bob');
    expect(out).toMatch(/^locked +true\nlock reason +left$/m);
    expect(out).toMatch(/^contacts +none\ngroups +none$/m);
    await run('users unlock bob');
  });

  test('prints single fields and the id', async () => {
    expect((await run('users get ann -o name')).out).toBe('ann\n');
    expect((await run('users get ann --columns userId,locked')).out).toBe('user id  ann\nlocked   false\n');
    expect((await run('users get ann --query effectiveRoles -o json')).out).toBe('[\n  "DEPLOY",\n  "VIEW"\n]\n');
  });

  test('masks contacts without credentials, and says so', async () => {
    const { code, out, err } = await run('users get ann -o json', withoutCredentials());
    expect([code, err]).toEqual([0, expect.stringContaining('Contacts are masked')]);
    expect(out).not.toMatch(/ann@|987654321/);
  });

  test.each(['unknown', '__proto__'])('reports that %s does not exist', async (id) => {
    const outcome = await run(`users get ${id}`);
    expect(outcome).toMatchObject({ code: 3, out: '', err: expect.stringContaining('USER_NOT_FOUND') });
    expect(await run(`users get ${id}`, withoutCredentials())).toMatchObject({ code: 3, out: '' });
  });

  test('without a control plane shows contacts and logons, and says what is missing', async () => {
    await using closed = await startServer({ seed, flags: { 'disable-control-plane': true } });
    const outcome = await run('users get ann -o json', {}, closed);
    expect(outcome).toMatchObject({ code: 0, err: expect.stringContaining('Only main contacts and logons are shown') });
    const mobile = { regionCode: 55, areaCode: 11, phoneNumber: 987654321 };
    const expected = { userId: 'ann', userEmail: 'ann@example.com', userMobile: mobile, legacyLogons: [] };
    expect(JSON.parse(outcome.out)).toEqual({ ...expected, etag: expect.any(String) });
    const anonymous = { variables: { IAM_BASE_URL: closed.url } };
    expect(await run('users get ann', anonymous, closed)).toMatchObject({ code: 4, out: '' });
  });

  test('for a caller that the control plane rejects shows contacts and logons, with the reason', async () => {
    await using remote = await startServer({ seed, flags: { host: '0.0.0.0', 'allow-remote': true } });
    const { clientId, clientSecret } = await remote.makeClient();
    const variables = { IAM_CLIENT_ID: clientId, IAM_CLIENT_SECRET: clientSecret, IAM_INSECURE_HTTP: 'true' };
    const outcome = await run('users get ann -o json', { url: remote.url, variables }, remote);
    expect(outcome).toMatchObject({ code: 0, err: expect.stringMatching(/Only main contacts and logons .* lacks/) });
    expect(JSON.parse(outcome.out)).not.toHaveProperty('groups');
  });

  test('of another product at the path of the control plane ignores its responses', async () => {
    await using other = await startFakeServer(({ path }) =>
      path.startsWith('/_iam') ? { status: 200, text: '<html>' } : { json: { userEmail: 'a@x', legacyLogons: [] } },
    );
    const outcome = await iam(['users', 'get', 'ann', '-o', 'json'], other);
    expect(outcome).toMatchObject({ code: 0, err: expect.stringContaining('Only main contacts') });
    expect(JSON.parse(outcome.out)).toEqual({
      etag: expect.any(String),
      userId: 'ann',
      userEmail: 'a@x',
      legacyLogons: [],
    });
  });

  test('reports an error of the control plane other than a rejection', async () => {
    await using broken = await startFakeServer(({ path }) =>
      path.startsWith('/_iam') ? errorResponse(500, 'INTERNAL') : { json: { legacyLogons: [] } },
    );
    expect(await iam(['users', 'get', 'ann'], broken)).toMatchObject({ code: expect.toBeOneOf([1, 8, 75]), out: '' });
  });

  test('says how many of many groups are shown, and escapes control characters', async () => {
    const groups = [{ groupId: 'g', groupName: 'a\u001b[2J', kind: 'user' }];
    const user = { userId: 'ann', userName: 'x\u001b[31m', groups, groupCount: 1005, contacts: [] };
    await using many = await startFakeServer(({ path }) =>
      path.startsWith('/_iam') ? { json: user } : { json: { legacyLogons: [] } },
    );
    const { out, err } = await iam(['users', 'get', 'ann'], many);
    expect(err).toContain('Showing the first 1 of 1005 groups.');
    expect(out).not.toContain('\u001b');
  });
});

describe.each([
  ['clients', 'c1', { clientId: 'c1', effectiveRoles: ['AUTH-BASIC', 'VIEW'] }, 'CLIENT_NOT_FOUND', 'clients'],
  [
    'businesses',
    'acme',
    { businessId: 'acme', customerId: 1, effectiveRoles: ['VIEW'] },
    'BUSINESS_NOT_FOUND',
    'businesses',
  ],
  ['customers', '1', { customerId: 1, name: 'Acme', businessId: 'acme' }, 'CUSTOMER_NOT_FOUND', 'customers'],
  ['api-key', 'k1', { apiKeyId: 'k1', clientId: 'c1' }, 'API_KEY_NOT_FOUND', 'api-keys'],
])('%s get', (noun, id, expected, code, path) => {
  test('prints the entity as JSON, as a table and as its id', async () => {
    const outcome = await run(`${noun} get ${id} -o json`);
    expect(outcome).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(outcome.out)).toMatchObject(expected);
    expect(outcome.out).not.toMatch(/secret|hash|sha256/i);
    expect((await run(`${noun} get ${id} -o name`)).out).toBe(`${id}\n`);
    const { out } = await run(`${noun} show ${id}`, { columns: 80 });
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(out).not.toContain('{');
  });

  test('reports an unknown id', async () => {
    expect(await run(`${noun} get 999`)).toMatchObject({ code: 3, out: '', err: expect.stringContaining(code) });
    await using fake = await startFakeServer(() => errorResponse(404, code));
    await iam([noun, 'get', 'a b'], fake);
    expect(fake.received[0]?.path).toBe(`/_iam/${path}/a%20b`);
  });
});

describe('without a control plane', () => {
  let closed: TestServer;
  beforeAll(async () => {
    closed = await startServer({ seed, flags: { 'disable-control-plane': true } });
  });
  afterAll(() => closed[Symbol.asyncDispose]());

  test.each(['clients get c1', 'businesses get acme', 'customers get 1'])('%s says what it needs', async (line) => {
    const { code, out, err } = await run(line, {}, closed);
    expect([code, out]).toEqual([3, '']);
    expect(err).toContain('has no control plane');
    expect(err).toContain('The service API has no operation for this.');
  });

  test('api-key get uses the list of the service', async () => {
    expect((await run('api-key get k1 -o name', {}, closed)).out).toBe('k1\n');
    const unknown = await run('api-key get k2 -o json', {}, closed);
    expect(unknown).toMatchObject({ code: 3, out: '', err: expect.stringContaining('API_KEY_NOT_FOUND') });
  });
});

test('a caller that the control plane rejects sees no client, and its keys only as an administrator', async () => {
  await using remote = await startServer({ seed, flags: { host: '0.0.0.0', 'allow-remote': true } });
  const { clientId, clientSecret } = await remote.makeClient();
  const variables = { IAM_CLIENT_ID: clientId, IAM_CLIENT_SECRET: clientSecret, IAM_INSECURE_HTTP: 'true' };
  for (const line of ['clients get c1', 'businesses get acme', 'customers get 1', 'api-key get k1'])
    expect([line, await run(line, { url: remote.url, variables }, remote)]).toMatchObject([line, { code: 5, out: '' }]);
});

describe('several arguments', () => {
  test('are printed as one list, each once', async () => {
    const users = JSON.parse((await run('users get bob ann bob -o json')).out);
    expect(users).toMatchObject([{ userId: 'bob' }, { userId: 'ann', userEmail: 'ann@example.com' }]);
    expect((await run('users get bob ann -o name')).out).toBe('bob\nann\n');
    expect((await run('users get bob ann --columns userId,userEmail -o csv')).out).toBe(
      'userId,userEmail\nbob,\nann,ann@example.com\n',
    );
    expect((await run('clients get c1 test-admin')).out).toMatch(/^CLIENT ID +APP ID .*\nc1 .*\ntest-admin /);
  });

  test('that do not exist are reported, and the others are read', async () => {
    const { code, out, err } = await run('businesses get unknown acme -o name');
    expect([code, out]).toEqual([8, 'acme\n']);
    expect(err).toContain('unknown: Business not found.');
  });
});
