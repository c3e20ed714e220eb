/** Routes that show one user, client, business, customer or API key by its exact id. */
import { describe, expect, test } from 'vitest';
import { epochSeconds } from '../../../../src/server/lib/clock.ts';
import { hashSecret } from '../../../../src/server/lib/secrets.ts';
import type { SeedDocument } from '../../../../src/server/seed/schema.ts';
import { startServer, type TestServer } from '../../../harness.ts';
import { sharedServer } from '../../operations/access.ts';
import { send } from '../control-client.ts';

const apiKey = 'bG9uZy1yYW5kb20tdmFsdWUtb2YtMzItYnl0ZXMtISE=';
const createdAt = '2026-03-01T12:00:00.000Z';

const seed: SeedDocument = {
  businesses: [{ businessId: 'acme', businessName: 'Acme', document: '1', corporateGroupName: 'holding' }],
  corporateGroups: [{ corporateGroupId: 'holding-1', corporateGroupName: 'holding' }],
  users: [
    {
      userId: 'ann',
      userName: 'Ann',
      password: 'correct horse battery staple',
      userEmail: 'ann.example@example.com',
      identities: ['annie', 'second@example.com', 'partner:third@example.com'],
      legacyLogons: ['ANN01'],
      businessId: 'acme',
      factors: [{ id: 'work', contactType: 'EMAIL', email: 'work@example.com', verified: false }],
    },
    { userId: 'bob', userName: 'bob' },
    { userId: 'constructor', userName: '__proto__' },
  ],
  clients: [
    { clientId: 'c1', clientSecret: 'very secret', appId: 'billing', serviceAccountId: 's1', authorities: ['AUDIT'] },
    { clientId: 'c2', clientSecret: 'very secret', appId: 'billing' },
  ],
  groups: [
    {
      groupId: 'g-view',
      groupName: 'viewers',
      roles: ['VIEW'],
      businessUsers: [{ businessId: 'acme', userId: 'ann' }],
    },
    { groupId: 'g-ops', groupName: 'ops', roles: ['DEPLOY'], dependencies: [{ groupName: 'viewers' }], users: ['ann'] },
    { groupId: 'g-shops', groupName: 'shops', roles: ['SELL'], businesses: ['acme'] },
    { groupId: 'g-jobs', groupName: 'jobs', roles: ['INVOICE'], services: ['s1'] },
  ],
  apiKeys: [{ apiKeyId: 'k1', appId: 'billing', clientId: 'c1', apiKey }],
};

async function show(server: TestServer, path: string): Promise<unknown> {
  const response = await send(server, `/_iam/${path}`);
  expect(response.status).toBe(200);
  return response.body;
}

/** Inserts sessions of a user that end after these numbers of seconds. */
async function insertSessions({ appContext, clock }: TestServer, userId: string, ends: readonly number[]) {
  const now = epochSeconds(clock);
  const common = {
    clientId: 'c2',
    userId,
    level: 'AUTH-BASIC',
    smart: false,
    remember: false,
    startedAt: now,
  } as const;
  await appContext.store.transaction(async (tx) => {
    for (const end of ends)
      await tx.sessions.insert({ ...common, sessionId: appContext.ids.newId(), endsAt: now + end });
  });
}

const none = { groups: [], groupCount: 0, effectiveRoles: [], effectiveRoleCount: 0 };

const shared = sharedServer(() => startServer({ seed }));

describe('a user', () => {
  test('contains login names, masked contacts, business, groups, effective roles and sessions', async () => {
    await using server = await startServer({ seed });
    await server.admin.customers.createUser({ body: { userId: 'ann', document: '7' } });
    await insertSessions(server, 'ann', [3600, 7200, -1, 0]);
    await insertSessions(server, 'bob', [3600]);
    const common = { contactType: 'EMAIL', tags: [] };
    const found = await show(server, 'users/ann');
    expect(found).toEqual({
      userId: 'ann',
      userName: 'Ann',
      nameVerified: true,
      identities: ['annie', 's***@example.com', 'partner:t***@example.com'],
      legacyLogons: ['ANN01'],
      businessId: 'acme',
      businessName: 'Acme',
      customerId: 2,
      lead: false,
      locked: false,
      createdAt,
      contacts: [
        { ...common, id: 'main-email', email: 'a***@example.com', credential: true, default: true, verified: true },
        { ...common, id: 'work', email: 'w***@example.com', credential: false, default: false, verified: false },
      ],
      groups: [
        { groupId: 'g-ops', groupName: 'ops', kind: 'user' },
        { groupId: 'g-shops', groupName: 'shops', kind: 'business' },
        { groupId: 'g-view', groupName: 'viewers', kind: 'businessUser' },
      ],
      groupCount: 3,
      effectiveRoles: ['DEPLOY', 'SELL', 'VIEW'],
      effectiveRoleCount: 3,
      roleSources: [
        { role: 'DEPLOY', groups: ['ops'], groupCount: 1, grantedBy: ['ops'], grantedByCount: 1 },
        { role: 'SELL', groups: ['shops'], groupCount: 1, grantedBy: ['shops'], grantedByCount: 1 },
        { role: 'VIEW', groups: ['ops', 'viewers'], groupCount: 2, grantedBy: ['viewers'], grantedByCount: 1 },
      ],
      consents: [],
      sessions: 2,
      activeSessions: [
        {
          userId: 'ann',
          clientId: 'c2',
          level: 'AUTH-BASIC',
          startedAt: createdAt,
          endsAt: '2026-03-01T13:00:00.000Z',
        },
        { userId: 'ann', endsAt: '2026-03-01T14:00:00.000Z' },
      ].map((session) => expect.objectContaining(session)),
    });
    expect(JSON.stringify(found)).not.toMatch(/argon2|ann\.example|second@|third@|work@/);
  });

  test('contains lock and reason, and no ended sessions', async () => {
    await using server = await startServer({ seed });
    await insertSessions(server, 'bob', [3600]);
    expect(await show(server, 'users/bob')).toMatchObject({ ...none, locked: false, contacts: [], sessions: 1 });
    await server.admin.userIdentities.lock({ body: { userId: 'bob', reason: 'Lost phone' } });
    const locked = await show(server, 'users/bob');
    expect(locked).toMatchObject({ locked: true, lockReason: 'Lost phone', sessions: 0 });
    expect(locked).not.toHaveProperty('businessId');
  });

  test('with an id that JavaScript reserves is found', async () => {
    const server = shared();
    expect(await show(server, 'users/constructor')).toMatchObject({ userId: 'constructor', userName: '__proto__' });
  });

  test('with many sessions has the first hundred, and many groups of a role the first twenty', async () => {
    await using server = await startServer({ seed });
    const names = Array.from({ length: 25 }, (_, at) => `many ${String(at).padStart(2, '0')}`);
    await insertSessions(server, 'bob', Array(105).fill(3600));
    await server.appContext.store.transaction(async (tx) => {
      for (const name of names) {
        await tx.groups.insert({ groupId: name, groupName: name, roles: ['SAME'], dependencies: [], createdAt });
        await tx.memberships.insert({ groupId: name, kind: 'user', memberId: 'bob' });
      }
    });
    const user = (await show(server, 'users/bob')) as { activeSessions: unknown[] };
    expect(user).toMatchObject({
      sessions: 105,
      roleSources: [{ role: 'SAME', groups: names.slice(0, 20), groupCount: 25 }],
    });
    expect(user.activeSessions).toHaveLength(100);
  });

  test('with many groups and roles has the first thousand of each, and the number of all', async () => {
    await using server = await startServer({ seed });
    const names = Array.from({ length: 1005 }, (_, at) => String(at).padStart(5, '0'));
    await server.appContext.store.transaction(async (tx) => {
      for (const name of names) {
        const group = { groupId: `many-${name}`, groupName: `many ${name}`, roles: [`R-${name}`] };
        await tx.groups.insert({ ...group, dependencies: [], createdAt });
        await tx.memberships.insert({ groupId: group.groupId, kind: 'user', memberId: 'bob' });
      }
    });
    const user = (await show(server, 'users/bob')) as {
      groups: unknown[];
      effectiveRoles: unknown[];
      roleSources: unknown[];
    };
    expect(user).toMatchObject({ groupCount: 1005, effectiveRoleCount: 1005 });
    expect(user.groups).toHaveLength(1000);
    expect(user.roleSources).toHaveLength(1000);
    expect(user.effectiveRoles).toEqual(names.slice(0, 1000).map((name) => `R-${name}`));
  });
});

describe('a client', () => {
  test('contains its groups and effective roles, and no secret', async () => {
    const server = shared();
    const client = await show(server, 'clients/c1');
    expect(client).toEqual({
      clientId: 'c1',
      appId: 'billing',
      party: '1STPARTY',
      authorities: ['AUDIT'],
      scope: [],
      grantTypes: ['client_credentials'],
      redirectURIs: [],
      audiences: [],
      postLogoutRedirectURIs: [],
      serviceAccountId: 's1',
      factorVisibility: 'CREDENTIALS_ONLY',
      createdAt,
      groups: [{ groupId: 'g-jobs', groupName: 'jobs', kind: 'service' }],
      groupCount: 1,
      effectiveRoles: ['AUDIT', 'AUTH-BASIC', 'INVOICE'],
      effectiveRoleCount: 3,
    });
    expect(JSON.stringify(client)).not.toContain(hashSecret('very secret'));
    expect(await show(server, 'clients/c2')).toMatchObject(none);
  });

  test('is found by its service account as well, to which members of groups refer', async () => {
    expect(await show(shared(), 'clients/s1')).toMatchObject({ clientId: 'c1' });
  });

  test.each(['billing', 'C1'])('is found by no other text: %s', async (id) => {
    const server = shared();
    expect(await send(server, `/_iam/clients/${id}`)).toMatchObject({
      status: 404,
      body: [{ code: 'CLIENT_NOT_FOUND' }],
    });
  });
});

test('a business contains its customer, corporate group, groups and effective roles', async () => {
  const server = shared();
  expect(await show(server, 'businesses/acme')).toEqual({
    businessId: 'acme',
    businessName: 'Acme',
    document: '1',
    createdAt,
    customerId: 1,
    corporateGroupId: 'holding-1',
    corporateGroupName: 'holding',
    groups: [{ groupId: 'g-shops', groupName: 'shops', kind: 'business' }],
    groupCount: 1,
    effectiveRoles: ['SELL'],
    effectiveRoleCount: 1,
  });
});

test('a customer is found by its number', async () => {
  await using server = await startServer({ seed });
  await server.admin.customers.createUser({ body: { userId: 'ann', document: '7', name: 'Ann Example' } });
  const business = { customerId: 1, document: '1', businessId: 'acme', name: 'Acme', createdAt };
  expect(await show(server, 'customers/1')).toEqual(business);
  expect(await show(server, 'customers/2')).toMatchObject({ customerId: 2, userId: 'ann', name: 'Ann Example' });
});

test('an API key contains its last use, and neither the key nor its hash', async () => {
  await using server = await startServer({ seed });
  const expected = { apiKeyId: 'k1', appId: 'billing', clientId: 'c1', clientName: 's1', hint: 'tISE', createdAt };
  const found = await show(server, 'api-keys/k1');
  expect(found).toEqual(expected);
  expect(JSON.stringify(found)).not.toContain(hashSecret(apiKey));
  server.clock.advance(60);
  await expect(server.as({ apiKey }).groups.list()).rejects.toMatchObject({ status: 403 });
  expect(await show(server, 'api-keys/k1')).toEqual({ ...expected, lastUsedAt: '2026-03-01T12:01:00.000Z' });
});

describe.each([
  ['users', 'USER_NOT_FOUND', 'ann'],
  ['clients', 'CLIENT_NOT_FOUND', 'c1'],
  ['businesses', 'BUSINESS_NOT_FOUND', 'acme'],
  ['customers', 'CUSTOMER_NOT_FOUND', '1'],
  ['api-keys', 'API_KEY_NOT_FOUND', 'k1'],
])('%s', (noun, code, known) => {
  test('that do not exist are not found, and reads change nothing', async () => {
    const server = shared();
    const before = await server.dump();
    const unknown =
      noun === 'customers'
        ? ['99', '999999999999', '01', '1.0', 'x', '1e0', '__proto__']
        : ['unknown', '__proto__', 'hasOwnProperty'];
    for (const id of unknown)
      expect(await send(server, `/_iam/${noun}/${id}`)).toMatchObject({ status: 404, body: [{ code }] });
    for (const id of ['%00', 'x'.repeat(65), '%zz', 'a%2Fb'])
      expect(await send(server, `/_iam/${noun}/${encodeURI(id)}`)).toMatchObject({ status: 404 });
    await show(server, `${noun}/${known}`);
    expect(await server.dump()).toEqual(before);
  });

  test('of a sandbox are those of the sandbox', async () => {
    await using server = await startServer({ seed });
    await server.appContext.sandboxes.open('apart', true);
    await server.appContext.store.transaction(async (tx) => {
      await tx.users.delete('ann');
      await tx.clients.delete('c1');
      await tx.businesses.delete('acme');
      await tx.customers.delete('000000000001');
      await tx.apiKeys.delete('k1');
    });
    expect(await send(server, `/_iam/${noun}/${known}`)).toMatchObject({ status: 404, body: [{ code }] });
    expect(await send(server, `/s/apart/_iam/${noun}/${known}`)).toMatchObject({ status: 200 });
  });
});
