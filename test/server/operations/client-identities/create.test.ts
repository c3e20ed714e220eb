import { describe, expect, test } from 'vitest';
import { startServer, type TestServer } from '../../../harness.ts';
import { catchClientError, sharedServer } from '../access.ts';

const seed = {
  users: [{ userId: 'eve', userName: 'eve' }],
  businesses: [{ businessId: 'acme', businessName: 'Acme' }],
};

async function clientOf({ appContext }: TestServer, clientId: string) {
  const { secretHash: _, ...client } = (await appContext.store.clients.get(clientId)) ?? {};
  return client;
}

test('creates a first-party client with a working secret and returns the secret only once', async () => {
  await using server = await startServer();
  const response = await server.admin.call('client-identities.create', { body: { appId: 'billing' } });
  expect(response).toMatchObject({ status: 201, headers: { 'cache-control': 'no-store' } });
  const credentials = response.body as { clientId: string; clientSecret: string };
  expect(Object.keys(credentials)).toEqual(['clientId', 'clientSecret']);
  expect(credentials.clientSecret.length).toBeGreaterThanOrEqual(22);
  expect(JSON.stringify(await server.dump())).not.toContain(credentials.clientSecret);
  await expect(server.as(credentials).clientIdentities.login()).resolves.toMatchObject({ scope: [] });
});

test('creates the client without authorities, regardless of those of the caller', async () => {
  await using server = await startServer();
  const credentials = await server.admin.clientIdentities.create({ body: { appId: 'billing' } });
  const failure = await catchClientError(server.as(credentials).groups.list());
  expect(failure).toMatchObject({ status: 403, code: 'ROLE_MISSING' });
});

test('stores every field of the request', async () => {
  await using server = await startServer({ seed });
  const body = {
    appId: 'billing',
    businessId: 'acme',
    scope: ['READ', 'urn:x:y'],
    redirectURI: 'https://billing.example/back?x=1',
    grantTypes: ['password', 'refresh_token'],
    organizationId: 'org',
    businessUnitId: 'unit',
  };
  const credentials = await server.admin.clientIdentities.create({ body });
  const { clientId } = credentials;
  const createdAt = server.clock.now().toISOString();
  expect(await clientOf(server, clientId)).toEqual({
    ...body,
    clientId,
    party: '1STPARTY',
    authorities: [],
    factorVisibility: 'CREDENTIALS_ONLY',
    createdAt,
  });
  expect((await server.as(credentials).clientIdentities.login()).scope).toEqual(['READ', 'urn:x:y']);
});

test('without IAM_ADMIN_MAINTENANCE a caller gives at most its own scope', async () => {
  await using server = await startServer();
  const scope = ['READ'];
  const administrator = await server.withAuthorities(['AUTH-MFA', 'ADMIN'], { scope });
  const before = await server.dump();
  const request = administrator.clientIdentities.create({ body: { appId: 'x', scope: ['READ', 'WRITE', 'lock'] } });
  expect(await catchClientError(request)).toMatchObject({
    status: 403,
    code: 'SCOPE_EXCEEDED',
    details: { missingScopes: ['WRITE', 'lock'] },
  });
  expect(await server.dump()).toEqual(before);
  await administrator.clientIdentities.create({ body: { appId: 'x', scope } });
  const maintainer = await server.withAuthorities(['AUTH-MFA', 'ADMIN', 'IAM_ADMIN_MAINTENANCE']);
  await maintainer.clientIdentities.create({ body: { appId: 'x', scope: ['WRITE'] } });
});

test('creates a different id and secret for each client', async () => {
  await using server = await startServer();
  const create = () => server.admin.clientIdentities.create({ body: { appId: 'billing' } });
  const created = await Promise.all(Array.from({ length: 20 }, create));
  expect(new Set(created.flatMap(({ clientId, clientSecret }) => [clientId, clientSecret])).size).toBe(40);
});

test.each([{ userId: 'eve' }, { businessId: 'acme' }, { serviceAccountId: 'billing-service' }])(
  'accepts %j as the owner',
  async (owner) => {
    await using server = await startServer({ seed });
    const { clientId } = await server.admin.clientIdentities.create({ body: { appId: 'billing', ...owner } });
    expect(await clientOf(server, clientId)).toMatchObject(owner);
  },
);

describe('rejects and leaves the store unchanged:', () => {
  const shared = sharedServer(() => startServer({ seed }));

  test.each([
    ['two owners', { userId: 'eve', businessId: 'acme' }, 412, 'OWNER_AMBIGUOUS'],
    ['an owner and a service account', { userId: 'eve', serviceAccountId: 'new' }, 412, 'OWNER_AMBIGUOUS'],
    ['a service account that is a client id', { serviceAccountId: 'test-app' }, 412, 'ID_TAKEN'],
    ['a service account that is a user id', { serviceAccountId: 'eve' }, 412, 'ID_TAKEN'],
    ['a service account that is a reserved word', { serviceAccountId: 'login' }, 400, 'FIELD_VALUE'],
    ['a scope with a blank', { scope: ['a b'] }, 400, 'FIELD_VALUE'],
    ['a redirect that is not a URI', { redirectURI: 'here' }, 400, 'FIELD_VALUE'],
  ])('%s', async (_, fields, status, code) => {
    const server = shared();
    const before = await server.dump();
    const body = { appId: 'billing', ...fields };
    const failure = await catchClientError(server.admin.call('client-identities.create', { body }));
    expect(failure).toMatchObject({ status, code });
    expect(await server.dump()).toEqual(before);
  });
});
