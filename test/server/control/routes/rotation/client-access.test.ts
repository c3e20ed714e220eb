/** Who may rotate and update which client on a server with remote access, and what an update changes. */
import { describe, expect, test } from 'vitest';
import type { IamClient } from '../../../../../src/client/index.ts';
import { appClientId, startServer, type TestServer } from '../../../../harness.ts';
import { messagesTo } from '../../../operations/otp-inbox.ts';
import { asUser } from '../../../operations/user-token.ts';
import { send } from '../../control-client.ts';

const flags = { host: '0.0.0.0', 'allow-remote': true, 'chosen-ids': 'all' };
const startRemote = () => startServer({ flags });

const requests = {
  rotation: (caller: IamClient, id: string) => caller.raw('POST', `/_iam/clients/${id}/rotate-secret`, { body: {} }),
  update: (caller: IamClient, id: string) => caller.raw('PATCH', `/_iam/clients/${id}`, { body: { appId: 'renamed' } }),
};

describe.each(Object.entries(requests))('the %s of a client', (_name, request) => {
  const outcome = async (caller: IamClient, id: string) => {
    const { status, body } = await request(caller, id);
    return status === 200 ? 'accepted' : (body as [{ code: string }])[0].code;
  };

  test('is for its owner, and for administrators that could give all its rights', async () => {
    await using server = await startRemote();
    const owner = await asUser(server, { userId: 'alice' });
    const other = await asUser(server, { userId: 'mallory' });
    const chief = await asUser(server, { userId: 'chief', businessId: 'acme', roles: ['BUSINESSADMIN'] });
    const administrator = await server.withAuthorities(['AUTH-BASIC', 'AUTH-MFA', 'ADMIN']);
    const ofAlice = { party: '3RDPARTY', userId: 'alice' } as const;
    await server.makeClient({ ...ofAlice, clientId: 'own', authorities: ['AUTH-BASIC'] });
    await server.makeClient({ clientId: 'shop', party: '3RDPARTY', businessId: 'acme' });
    await server.makeClient({ ...ofAlice, clientId: 'strong', authorities: ['IAM_ADMIN_MAINTENANCE'], scope: ['pay'] });
    await server.makeClient({ ...ofAlice, clientId: 'payer', authorities: ['PAYMENTS'] });
    await server.makeClient({ ...ofAlice, clientId: 'proven', authorities: ['AUTH-MFA'] });
    await server.makeClient({ ...ofAlice, clientId: 'reporter', scope: ['pay'] });
    await server.makeClient({ clientId: 'first-party', userId: 'alice' });
    await server.makeClient({ clientId: 'erp', businessId: 'acme' });
    const before = await server.dump();
    expect(await outcome(other, 'own')).toBe('CLIENT_NOT_FOUND');
    expect(await outcome(owner, 'shop')).toBe('CLIENT_NOT_FOUND');
    expect(await outcome(owner, 'test-admin')).toBe('CLIENT_NOT_FOUND');
    // Others gave them these rights, or created them: its owner could create no such client.
    for (const id of ['strong', 'payer', 'proven', 'reporter']) expect(await outcome(owner, id)).toBe('GRANT_EXCEEDED');
    expect(await outcome(owner, 'first-party')).toBe('CLIENT_NOT_FOUND');
    expect(await outcome(chief, 'erp')).toBe('CLIENT_NOT_FOUND');
    expect(await outcome(administrator, 'reporter')).toBe('GRANT_EXCEEDED');
    expect(await outcome(administrator, 'strong')).toBe('GRANT_EXCEEDED');
    expect(await outcome(administrator, 'test-admin')).toBe('GRANT_EXCEEDED');
    expect(await server.dump()).toEqual(before);
    expect(await outcome(owner, 'own')).toBe('accepted');
    expect(await outcome(chief, 'shop')).toBe('accepted');
    expect(await outcome(administrator, 'own')).toBe('accepted');
    expect(await outcome(server.admin, 'strong')).toBe('accepted');
  });

  test('gives an administrator without a second factor no client that has one', async () => {
    await using server = await startRemote();
    const roles = ['ADMIN', 'IAM_ADMIN_MAINTENANCE'];
    const root = await asUser(server, { userId: 'root', roles, level: 'AUTH-BASIC' });
    for (const [clientId, party] of [
      ['first', '1STPARTY'],
      ['third', '3RDPARTY'],
    ] as const)
      await server.makeClient({ clientId, party, userId: 'root', authorities: [...roles, 'AUTH-MFA'] });
    const before = await server.dump();
    expect(await outcome(root, 'first')).toBe('CLIENT_NOT_FOUND');
    expect(await outcome(root, 'third')).toBe('GRANT_EXCEEDED');
    expect(await server.dump()).toEqual(before);
  });
});

test('a user whose session rotates a secret is notified, others and callers without a user are not', async () => {
  await using server = await startRemote();
  const { store } = server.appContext;
  const owner = await asUser(server, { userId: 'alice' });
  await store.transaction(async (tx) => {
    const user = await tx.users.get('alice');
    if (user) await tx.users.replace({ ...user, userEmail: 'alice@example.com', emailVerified: true });
  });
  await server.makeClient({ clientId: 'own', userId: 'alice', party: '3RDPARTY' });
  expect(await requests.rotation(server.admin, 'own')).toMatchObject({ status: 200 });
  expect(await requests.rotation(await asUser(server), 'own')).toMatchObject({ status: 404 });
  expect(await messagesTo(server)).toEqual([]);
  const rotated = await requests.rotation(owner, 'own');
  expect([rotated.status, rotated.body]).toMatchObject([200, { clientId: 'own' }]);
  expect(await messagesTo(server)).toMatchObject([
    { to: 'alice@example.com', purpose: 'secret-rotated', text: expect.stringContaining('client own') },
  ]);
});

test('an API key is rotated only by a caller with all rights of its client', async () => {
  await using server = await startRemote();
  await server.makeClient({ clientId: 'strong', authorities: ['IAM_ADMIN_MAINTENANCE'] });
  const { apiKeyId } = await server.admin.apiKey.create({ body: { appId: 'billing', clientId: 'strong' } });
  const administrator = await server.withAuthorities(['AUTH-BASIC', 'AUTH-MFA', 'ADMIN']);
  const rotate = (caller: IamClient) => caller.raw('POST', `/_iam/api-keys/${apiKeyId}/rotate`, { body: {} });
  const before = await server.dump();
  expect(await rotate(administrator)).toMatchObject({ status: 403, body: [{ code: 'GRANT_EXCEEDED' }] });
  expect(await server.dump()).toEqual(before);
  expect(await rotate(server.admin)).toMatchObject({ status: 200 });
});

describe('an update', () => {
  const patch = (server: TestServer, id: string, body: object, headers: Record<string, string> = {}) =>
    send(server, `/_iam/clients/${id}`, { method: 'PATCH', body, headers });

  test('changes what is sent, clears with null, and returns the client with its ETag', async () => {
    await using server = await startServer();
    await server.makeClient({ clientId: 'app', scope: ['READ'], redirectURI: 'https://old.example.com/' });
    const before = await server.appContext.store.clients.get('app');
    const redirectURIs = ['https://a.example.com/', 'com.example.app:/back', 'https://a.example.com/'];
    const body = { scope: ['READ', 'reports'], redirectURIs, organizationId: 'acme', authorities: ['ROLE_ADMIN'] };
    expect(await patch(server, 'app', body)).toMatchObject({ body: { redirectURIs: redirectURIs.slice(0, 2) } });
    const response = await patch(server, 'app', { redirectURIs: [] });
    expect(response.body).toMatchObject({ redirectURIs: [] });
    const { redirectURI: _, ...kept } = before ?? {};
    const changed = { scope: ['READ', 'reports'], organizationId: 'acme', authorities: ['ADMIN'] };
    expect(await server.appContext.store.clients.get('app')).toEqual({ ...kept, ...changed });
    const read = await send(server, '/_iam/clients/app');
    expect([response.status, response.body, response.headers.etag]).toEqual([200, read.body, read.headers.etag]);
  });

  test('is rejected for another version than the current one, and changes nothing', async () => {
    await using server = await startServer();
    await server.makeClient({ clientId: 'app' });
    const { headers } = await send(server, '/_iam/clients/app');
    const condition = { 'If-Match': String(headers.etag) };
    expect(await patch(server, 'app', { scope: ['READ'] }, condition)).toMatchObject({ status: 200 });
    const before = await server.dump();
    const late = await patch(server, 'app', { scope: ['WRITE'] }, condition);
    expect(late).toMatchObject({ status: 412, body: [{ code: 'CHANGED_MEANWHILE' }] });
    expect(await server.dump()).toEqual(before);
  });

  test.each([
    [{ clientId: 'new' }, 400],
    [{ userId: 'alice' }, 400],
    [{ clientSecret: 'x' }, 400],
    [{ appId: 'in\u200bvisible' }, 400],
    [{ scope: ['a b'] }, 422],
    [{ authorities: ['a b'] }, 422],
    [{ authorities: ['auth-mfa'] }, 422],
    [{ redirectURIs: ['https://a.example.com/', '/relative'] }, 422],
    [{ redirectURIs: Array<string>(51).fill('a:b') }, 422],
    [{ postLogoutRedirectURIs: ['/relative'] }, 422],
    [{ idTokenAlg: 'none' }, 422],
  ])('is rejected with %j', async (body, status) => {
    await using server = await startServer();
    await server.makeClient({ clientId: 'app' });
    const before = await server.dump();
    expect(await patch(server, 'app', body)).toMatchObject({ status });
    expect(await server.dump()).toEqual(before);
  });

  test('adds only scope that the caller has, and authorities only with IAM_ADMIN_MAINTENANCE', async () => {
    await using server = await startRemote();
    const administrator = await server.withAuthorities(['AUTH-BASIC', 'AUTH-MFA', 'ADMIN'], { scope: ['READ'] });
    await server.makeClient({ clientId: 'app' });
    const update = (caller: IamClient, body: object) => caller.raw('PATCH', '/_iam/clients/app', { body });
    const before = await server.dump();
    expect(await update(administrator, { scope: ['WRITE'] })).toMatchObject({ body: [{ code: 'SCOPE_EXCEEDED' }] });
    const maintenanceOnly = [
      ...[{ authorities: ['ADMIN'] }, { audiences: ['urn:x'] }, { factorVisibility: 'UNRESTRICTED' }],
      ...[
        { browserLogin: true },
        { postLogoutRedirectURIs: [] },
        { requirePkce: false },
        { requirePushedAuthorizationRequests: true },
        { idTokenAlg: 'ES256' },
      ],
    ];
    for (const body of maintenanceOnly)
      expect(await update(administrator, body)).toMatchObject({ status: 403, body: [{ code: 'GRANT_EXCEEDED' }] });
    expect(await server.dump()).toEqual(before);
    expect(await update(administrator, { scope: ['READ'] })).toMatchObject({ status: 200 });
    expect(await update(server.admin, { scope: ['WRITE'], authorities: ['ADMIN'] })).toMatchObject({ status: 200 });
  });

  test('gives no role that only the service grants, beyond the level of the caller', async () => {
    await using server = await startRemote();
    await server.makeClient({ clientId: 'svc', party: '3RDPARTY', authorities: ['AUTH-BASIC'] });
    const update = (authorities: string[]) => server.admin.raw('PATCH', '/_iam/clients/svc', { body: { authorities } });
    const before = await server.dump();
    for (const role of ['CLI-1STPARTY', 'ROLE_AUTH-SMART', 'PERSON', 'USER'])
      expect([role, await update(['AUTH-BASIC', role])]).toMatchObject([role, { body: [{ code: 'GRANT_EXCEEDED' }] }]);
    expect(await server.dump()).toEqual(before);
    expect(await update(['AUTH-MFA', 'PAYMENTS'])).toMatchObject({ status: 200 });
  });

  test('of a client of the first start requires IAM_ADMIN_MAINTENANCE, whatever it changes', async () => {
    await using server = await startRemote();
    const administrator = await server.withAuthorities(['AUTH-BASIC', 'AUTH-MFA', 'ADMIN'], {
      scope: ['READ', 'WRITE'],
    });
    const update = (caller: IamClient, body: object) => caller.raw('PATCH', `/_iam/clients/${appClientId}`, { body });
    const before = await server.dump();
    for (const body of [{ grantTypes: [] }, { scope: [] }, { redirectURIs: [] }, { appId: 'x' }, {}])
      expect(await update(administrator, body)).toMatchObject({ status: 403, body: [{ code: 'GRANT_EXCEEDED' }] });
    expect(await server.dump()).toEqual(before);
    expect(await update(server.admin, { redirectURIs: [] })).toMatchObject({ status: 200 });
  });

  test('leaves the authorities of the clients of the first start as they are', async () => {
    await using server = await startServer();
    const before = await server.dump();
    const response = await patch(server, 'test-admin', { authorities: [] });
    expect(response).toMatchObject({ status: 412, body: [{ code: 'BOOTSTRAP_CLIENT' }] });
    expect(await server.dump()).toEqual(before);
  });
});
