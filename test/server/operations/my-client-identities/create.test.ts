import { describe, expect, test } from 'vitest';
import type { IamClient } from '../../../../src/client/index.ts';
import { createClientRow } from '../../../../src/server/directory/clients.ts';
import { systemClock } from '../../../../src/server/lib/clock.ts';
import { createSequentialIds } from '../../../../src/server/lib/ids.ts';
import { systemRandom } from '../../../../src/server/lib/random.ts';
import { callerWith } from '../../../conformance/administrators/test-callers.ts';
import type { TestServer } from '../../../harness.ts';
import { expectRejection, startWithMembers } from '../user-accesses/member-fixtures.ts';
import { asUser } from '../user-token.ts';

const id = 'my-client-identities.create';
const body = { appId: 'reports' };

type Pair = { readonly clientId: string; readonly clientSecret: string };

async function create(caller: IamClient, more: object = {}): Promise<Pair> {
  return (await caller.call(id, { body: { ...body, ...more } })).body as Pair;
}

const rowOf = (server: TestServer, { clientId }: Pair) => server.appContext.store.clients.get(clientId);

test('creates a third-party client without authorities and returns its secret only once', async () => {
  await using server = await startWithMembers();
  const caller = await asUser(server, { userId: 'u', level: 'AUTH-IDENTIFIED' });
  const response = await caller.call(id, { body });
  expect(response).toMatchObject({ status: 201, headers: { 'cache-control': 'no-store' } });
  const pair = response.body as Pair;
  const row = await rowOf(server, pair);
  expect(row).toMatchObject({ ...body, party: '3RDPARTY', authorities: [], scope: [], userId: 'u' });
  expect(JSON.stringify(await server.dump())).not.toContain(pair.clientSecret);
  const login = await server.as({ basic: pair }).call('client-identities.login');
  expect(login.status).toBe(200);
});

test.each([
  ['3RDPARTY', 'authorization_code', {}, true],
  ['3RDPARTY', 'authorization_code', { allowRemote: true }, undefined],
  // A proxy without headers may have forwarded it.
  ['3RDPARTY', 'authorization_code', { baseUrl: 'https://login.example' }, undefined],
  ['3RDPARTY', 'password', {}, undefined],
  ['1STPARTY', 'authorization_code', {}, undefined],
] as const)('a new client (%s, %s, %j) has browserLogin %s', (party, grant, server, expected) => {
  const { allowRemote = false, baseUrl = 'http://127.0.0.1:8080' } = server as {
    readonly allowRemote?: boolean;
    readonly baseUrl?: string;
  };
  const deps = {
    settings: { allowRemote },
    source: { isLoopback: true },
    baseUrl,
    caller: callerWith(['IAM_ADMIN_MAINTENANCE', 'AUTH-MFA']),
    ids: createSequentialIds(systemClock),
    clock: systemClock,
    random: systemRandom,
  };
  const { client } = createClientRow({ appId: 'shop', grantTypes: [grant] }, party, deps);
  expect(client.browserLogin).toBe(expected);
});

describe('the new client', () => {
  test("belongs to the business of the caller's user", async () => {
    await using server = await startWithMembers();
    const caller = await asUser(server, { businessId: 'a', roles: ['BUSINESSADMIN'] });
    expect(await rowOf(server, await create(caller))).toMatchObject({ businessId: 'a' });
    expect(await rowOf(server, await create(caller))).not.toHaveProperty('userId');
  });

  test("belongs to the caller's user if that user has no business", async () => {
    await using server = await startWithMembers();
    const caller = await asUser(server, { userId: 'u', roles: ['BUSINESSOWNER'] });
    const row = await rowOf(server, await create(caller));
    expect(row).toMatchObject({ userId: 'u' });
    expect(row).not.toHaveProperty('ownerClientId');
  });

  test('belongs to the owner of the calling client, or to the calling client if that has no owner', async () => {
    await using server = await startWithMembers();
    const ofBusiness = await server.withAuthorities(['BUSINESSOWNER'], { businessId: 'a' });
    expect(await rowOf(server, await create(ofBusiness))).toMatchObject({ businessId: 'a' });
    const ofUser = await server.withAuthorities(['PERSON'], { userId: 'p1' });
    expect(await rowOf(server, await create(ofUser))).toMatchObject({ userId: 'p1' });
    const withoutOwner = await server.withAuthorities(['PERSON'], { clientId: 'maker' });
    expect(await rowOf(server, await create(withoutOwner))).toMatchObject({ ownerClientId: 'maker' });
  });

  test('cannot authenticate with any method after its owner is removed', async () => {
    await using server = await startWithMembers();
    const maker = await server.withAuthorities(['PERSON'], { clientId: 'maker' });
    const pair = await create(maker);
    const { body: token } = await server.as({ basic: pair }).call('client-identities.login');
    await server.admin.clientIdentities.remove({ params: { serviceAccountId: 'maker' } });
    const login = () => server.as({ basic: pair }).call('client-identities.login');
    await expectRejection(server, login, { status: 401, code: 'CREDENTIALS_INVALID' });
    const { accessToken } = token as { accessToken: string };
    const request = () => server.as({ token: accessToken }).groups.list();
    await expectRejection(server, request, { status: 401, code: 'TOKEN_INVALID' });
  });

  test('cannot authenticate while the owner of its owner is locked', async () => {
    await using server = await startWithMembers();
    await server.makeClient({ clientId: 'middle', userId: 'p1' });
    const pair = await server.makeClient({ party: '3RDPARTY', ownerClientId: 'middle' });
    expect(await server.as({ basic: pair }).call('client-identities.login')).toMatchObject({ status: 200 });
    await server.appContext.store.transaction(async (tx) => {
      const user = await tx.users.get('p1');
      if (user) await tx.users.replace({ ...user, locked: true });
    });
    const login = () => server.as({ basic: pair }).call('client-identities.login');
    await expectRejection(server, login, { status: 401, code: 'CREDENTIALS_INVALID' });
  });
});

describe('the scope', () => {
  test('is limited to that of the caller', async () => {
    await using server = await startWithMembers();
    const caller = await server.withAuthorities(['PERSON'], { scope: ['READ', 'WRITE'] });
    expect(await rowOf(server, await create(caller, { scope: ['READ'] }))).toMatchObject({ scope: ['READ'] });
    for (const scope of [['READ', 'DELETE'], ['read'], ['constructor'], ['__proto__']]) {
      const request = () => create(caller, { scope });
      await expectRejection(server, request, { status: 412, code: 'SCOPE_EXCEEDED' });
    }
  });

  test('is limited to that of the session for a user', async () => {
    await using server = await startWithMembers();
    const caller = await asUser(server);
    await create(caller, { scope: ['READ', 'WRITE'] });
    await expectRejection(server, () => create(caller, { scope: ['ADMIN'] }), { status: 412, code: 'SCOPE_EXCEEDED' });
  });
});

describe('the scope of a client that has a secret', () => {
  test('is not given by its users, who named it without the secret, but for the scope of the application client', async () => {
    await using server = await startWithMembers();
    await server.makeClient({ clientId: 'billing', scope: ['READ', 'PAY'] });
    const caller = await asUser(server);
    const { accessToken } = await caller.userIdentities.changeApp({ query: { targetClientId: 'billing' }, body: {} });
    const changed = server.as({ token: accessToken });
    await expectRejection(server, () => create(changed, { scope: ['PAY'] }), { status: 412, code: 'SCOPE_EXCEEDED' });
    await expect(create(changed, { scope: ['READ'] })).resolves.toBeDefined();
    const admin = await asUser(server, { roles: ['ADMIN'], level: 'AUTH-MFA', clientId: 'billing' });
    const requests = [
      () => admin.clientIdentities.create({ body: { ...body, scope: ['PAY'] } }),
      () => admin.apiKey.create({ body: { appId: 'pay', clientId: 'billing' } }),
    ];
    for (const request of requests)
      await expectRejection(server, request, { status: 403, code: expect.stringMatching(/^(SCOPE|GRANT)_EXCEEDED$/) });
  });
});

describe('a service account id', () => {
  test('is assigned if it is free, and the service has the roles of its groups', async () => {
    await using server = await startWithMembers();
    const pair = await create(await asUser(server), { serviceAccountId: 'mine' });
    const params = { groupId: 'deployers' };
    await server.admin.serviceAccesses.addService({ params, body: [{ serviceId: 'mine' }] });
    expect(await rowOf(server, pair)).toMatchObject({ serviceAccountId: 'mine' });
    const { body: token } = await server.as({ basic: pair }).call('client-identities.login');
    const [, claims = ''] = (token as { accessToken: string }).accessToken.split('.');
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString()).authorities).toContain('ROLE_DEPLOY');
  });

  test('is rejected if it is or was the id of any object', async () => {
    await using server = await startWithMembers();
    const caller = await asUser(server, { userId: 'u' });
    const removed = await create(caller, { serviceAccountId: 'once' });
    await caller.call('my-client-identities.remove', { params: { clientId: removed.clientId } });
    for (const serviceAccountId of ['service-of-a', 'of-a', 'p1', 'once']) {
      const request = () => create(caller, { serviceAccountId });
      await expectRejection(server, request, { status: 412, code: 'ID_TAKEN' });
    }
    // Nothing is kept of a generated id: only administrators choose ids of that form.
    const request = () => create(caller, { serviceAccountId: removed.clientId });
    await expectRejection(server, request, { status: 412, code: 'ID_NOT_CHOSEN' });
  });

  test('is assigned to one of a hundred concurrent requests', async () => {
    await using server = await startWithMembers();
    const callers = await Promise.all(Array.from({ length: 10 }, () => asUser(server)));
    const requests = Array.from({ length: 100 }, (_, at) => {
      const caller = callers[at % 10];
      return caller ? create(caller, { serviceAccountId: 'same' }) : undefined;
    });
    const outcomes = await Promise.allSettled(requests);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });
});

describe('an owner', () => {
  test('has at most 20 clients, also with 30 concurrent requests; other owners are not affected', async () => {
    await using server = await startWithMembers();
    const caller = await asUser(server, { userId: 'u' });
    const outcomes = await Promise.allSettled(Array.from({ length: 30 }, () => create(caller)));
    const rejected = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect(rejected).toHaveLength(10);
    for (const reason of rejected) expect(reason).toMatchObject({ status: 412, code: 'TOO_MANY_CLIENTS' });
    expect(await server.appContext.store.clients.find('userId', 'u')).toHaveLength(20);
    await create(await asUser(server));
  });

  test('can create another client after one was removed', async () => {
    await using server = await startWithMembers();
    const caller = await server.withAuthorities(['PERSON'], { clientId: 'maker' });
    const pairs = await Promise.all(Array.from({ length: 20 }, () => create(caller)));
    await expectRejection(server, () => create(caller), { status: 412, code: 'TOO_MANY_CLIENTS' });
    await caller.call('my-client-identities.remove', { params: { clientId: pairs[0]?.clientId ?? '' } });
    await create(caller);
  });
});
