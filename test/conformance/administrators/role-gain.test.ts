/**
 * Whatever makes a user, a business, a service or a group an administrator requires AUTH-MFA: every operation that can do
 * so, the guard with every field of the rows, and every route of the control plane.
 */
import { describe, expect, test } from 'vitest';
import { controlPrefix } from '../../../src/contract/prefix.ts';
import { controlRoutes } from '../../../src/server/control/routes/index.ts';
import { type OperationId, operations } from '../../../src/server/operations/index.ts';
import type { Transaction } from '../../../src/server/store/store.ts';
import { ClientRow, GroupRow, MembershipRow, memberValue, type Row } from '../../../src/server/store/tables.ts';
import { guardAccounts } from '../../../src/server/users/account-guard.ts';
import { startServer, type TestServer } from '../../harness.ts';
import { catchClientError } from '../../server/operations/access.ts';
import { roleGains, roleGainSeed as seed } from './role-gains.ts';
import { callerWith, issueToken } from './test-callers.ts';

const authorities = ['AUTH-BASIC', 'ADMIN', 'IAM_ADMIN_MAINTENANCE', 'IAM_ADMIN_READ_ONLY'];

const cases = Object.entries(roleGains).map(([id, gain]) => [id as OperationId, gain] as const);

test.each(cases)('%s gives an administrative role only with AUTH-MFA', async (id, { gains, others }) => {
  await using server = await startServer({ seed });
  const challenges: (string | undefined)[] = [];
  const onResponse = ({ headers }: { headers: Readonly<Record<string, string>> }) =>
    void challenges.push(headers['www-authenticate']);
  const user = server.as({ token: await issueToken(server, 'maintainer', 'AUTH-BASIC') }, { onResponse });
  const client = server.as({ basic: await server.makeClient({ authorities }) }, { onResponse });
  const before = await server.dump();
  const rejected = { status: operations[id].statuses.includes(403 as never) ? 403 : 401, code: 'MFA_MISSING' };
  for (const caller of [user, client])
    for (const input of gains) {
      expect(await catchClientError(caller.call(id, input))).toMatchObject(rejected);
      expect(challenges.pop()).toBe('Bearer error="insufficient_user_authentication"');
    }
  expect(await server.dump()).toEqual(before);

  for (const [at, input] of others.entries()) await (at % 2 === 0 ? user : client).call(id, input);
  const strong = server.as({ token: await issueToken(server, 'maintainer', 'AUTH-MFA') });
  for (const [at, input] of gains.entries()) await (at % 2 === 0 ? strong : server.admin).call(id, input);
});

test('an administrator of a business that is in the group also needs AUTH-MFA', async () => {
  await using server = await startServer({
    seed: { ...seed, groups: [...(seed.groups ?? []), { groupName: 'business-owners', businesses: ['rulers'] }] },
  });
  const services = { body: [{ serviceId: 'service-of-the-ruler' }], params: { groupId: 'admins' } };
  await server.makeClient({ serviceAccountId: 'service-of-the-ruler', businessId: 'rulers' });
  for (const [level, outcome] of [
    ['AUTH-BASIC', 'rejected'],
    ['AUTH-MFA', 'fulfilled'],
  ] as const) {
    const caller = server.as({ token: await issueToken(server, 'ruler', level) });
    const [result] = await Promise.allSettled([caller.serviceAccesses.addService(services)]);
    expect(result.status).toBe(outcome);
  }
});

test('the rejection and its explanation name the rule, the role and the line of the seed', async () => {
  await using server = await startServer({ seed });
  const weak = await server.withAuthorities(authorities);
  const request = weak.userAccesses.addUser({ params: { groupName: 'heirs' }, body: [{ userId: 'plain' }] });
  const failure = await catchClientError(request);
  expect(failure.message).toBe(
    'The request gives ADMIN to the user plain, which requires AUTH-MFA. A client obtains AUTH-MFA by the line `authorities: [AUTH-MFA]` in a seed.',
  );
  expect(failure.details).toEqual({ missingRoles: ['AUTH-MFA'] });
  const why = await weak.raw('GET', `${controlPrefix}/requests/${failure.requestId}/why`);
  expect(why.body).toMatchObject({
    rule: 'A write by which anyone gains ADMIN or an IAM_ADMIN role requires AUTH-MFA of the caller. The user plain would gain ADMIN.',
  });
});

describe('the guard', () => {
  const instant = '2026-01-01T00:00:00.000Z';
  const schemas = { clients: ClientRow, groups: GroupRow, memberships: MembershipRow };
  type Guarded = 'memberships' | 'groups' | 'clients';

  /** Replaces a row of the store with a change, as a caller with these roles. */
  async function write(
    server: TestServer,
    callerRoles: readonly string[],
    work: (tx: Transaction) => Promise<void>,
  ): Promise<string> {
    const caller = callerWith(callerRoles);
    const store = guardAccounts(server.appContext.store, caller, server.appContext);
    return store.transaction(work).then(
      () => 'accepted',
      ({ code }) => code as string,
    );
  }

  /** Changes that give the row ADMIN; all other fields give no role. */
  const granting: Readonly<Record<Guarded, object>> = {
    clients: {
      authorities: ['ADMIN'],
      serviceAccountId: 'new-robot',
      userId: 'chief',
      businessId: 'rulers',
      ownerClientId: 'client-of-ruler-robot',
    },
    groups: { roles: ['ADMIN'], dependencies: ['admins'] },
    memberships: { delegated: undefined },
  };
  const others: Readonly<Record<Guarded, object>> = {
    clients: {
      secretHash: 'x',
      previousSecret: { hash: 'x' },
      secretRotatedAt: instant,
      appId: 'x',
      party: '3RDPARTY',
      scope: ['x'],
      grantTypes: ['password'],
      redirectURI: 'x:y',
      otherRedirectURIs: ['x:z'],
      audiences: ['x:z'],
      browserLogin: true,
      postLogoutRedirectURIs: ['x:z'],
      requirePkce: false,
      requirePushedAuthorizationRequests: true,
      idTokenAlg: 'ES256',
      organizationId: 'x',
      businessUnitId: 'x',
      factorVisibility: 'UNRESTRICTED',
      bootstrap: undefined,
      tokenGeneration: 1,
      createdAt: instant,
    },
    groups: { groupName: 'x', organizationId: 'x', businessUnitId: 'x', createdAt: instant },
    memberships: {},
  };
  /** The key of each table, whose rows are replaced. */
  const keys: Readonly<Record<Guarded, readonly string[]>> = {
    clients: ['clientId'],
    groups: ['groupId'],
    memberships: ['groupId', 'kind', 'memberId', 'businessId'],
  };

  test.each(['clients', 'groups', 'memberships'] as const)('is tested with every field of %s', (name) => {
    const { shape } = schemas[name].unwrap();
    const known = [...keys[name], ...Object.keys(granting[name]), ...Object.keys(others[name])];
    expect(Object.keys(shape).sort()).toEqual(known.sort());
  });

  /** A service that has ADMIN only as soon as its owner has it. */
  async function prepare(server: TestServer): Promise<void> {
    await server.makeClient({ clientId: 'weak', serviceAccountId: 'weak-robot', userId: 'plain' });
    const admins = await server.appContext.store.groups.getBy('groupName', 'admins');
    await server.appContext.store.transaction(async (tx) => {
      const member = { kind: 'service', groupId: admins?.groupId ?? '' } as const;
      await tx.memberships.insert({ ...member, memberId: 'weak-robot', delegated: true });
      await tx.memberships.insert({ ...member, memberId: 'new-robot' });
      if (admins) await tx.groups.insert({ ...admins, groupId: 'admins', groupName: 'copy' });
      await tx.groups.insert({ groupId: 'g', groupName: 'g', roles: [], dependencies: [], createdAt: instant });
    });
  }

  const rows = {
    clients: async (tx: Transaction, change: object) => {
      const row = await tx.clients.get('weak');
      if (row) await tx.clients.replace({ ...row, ...change } as Row<'clients'>);
    },
    groups: async (tx: Transaction, change: object) => {
      const row = await tx.groups.get('g');
      if (row) await tx.groups.replace({ ...row, ...change } as Row<'groups'>);
    },
    memberships: async (tx: Transaction, change: object) => {
      const [row] = await tx.memberships.find('member', memberValue({ kind: 'service', memberId: 'weak-robot' }));
      if (row) await tx.memberships.replace({ ...row, ...change } as Row<'memberships'>);
    },
  };

  test.each(['clients', 'groups', 'memberships'] as const)('accepts only what gives no role: %s', async (name) => {
    await using server = await startServer({ seed });
    await prepare(server);
    const change = (field: string, value: unknown) => (tx: Transaction) => rows[name](tx, { [field]: value });
    for (const [field, value] of Object.entries(granting[name]))
      expect([field, await write(server, [], change(field, value))]).toEqual([field, 'MFA_MISSING']);
    for (const [field, value] of Object.entries(others[name]))
      expect([field, await write(server, [], change(field, value))]).toEqual([field, 'accepted']);
    for (const [field, value] of Object.entries(granting[name]))
      expect([field, await write(server, ['AUTH-MFA'], change(field, value))]).toEqual([field, 'accepted']);
  });
});

describe('the control plane of a server with remote access', () => {
  const routes = controlRoutes.filter(({ capability }) => capability === 'maintain');

  test('has no other route that changes something, but for own clients, API keys and the revocation of tokens', () => {
    const others = controlRoutes.filter(({ capability, method }) => capability !== 'maintain' && method !== 'GET');
    expect(others.map(({ id }) => id).sort()).toEqual([
      ...['control.api-key-rotate', 'control.client-rotate-secret', 'control.names', 'control.revoke'],
      ...['control.token-inspect', 'control.update-client'],
    ]);
  });

  test('changes and exports nothing for a client without AUTH-MFA, and names the line of the seed', async () => {
    await using server = await startServer({ seed, flags: { host: '0.0.0.0', 'allow-remote': true } });
    const weak = await server.withAuthorities(authorities);
    const before = await server.dump();
    for (const { method, path } of routes) {
      const response = await weak.raw(method, controlPrefix + path.replaceAll(/\{[^}]+\}/g, 'x'), { body: {} });
      expect([method, path, response.status]).toEqual([method, path, 403]);
      const missing =
        'The caller lacks AUTH-MFA. A client obtains AUTH-MFA by the line `authorities: [AUTH-MFA]` in a seed.';
      expect(response.body).toMatchObject([{ code: 'ROLE_MISSING', message: missing }]);
    }
    expect(await server.dump()).toEqual(before);
  });

  test('shows codes to a client with the line of the seed', async () => {
    const client = {
      clientId: 'operations',
      clientSecret: 'secret-of-the-operations-client',
      authorities: [...authorities, 'AUTH-MFA'],
    };
    await using server = await startServer({
      seed: { clients: [client] },
      flags: { host: '0.0.0.0', 'allow-remote': true },
    });
    const { clientId, clientSecret } = client;
    const response = await server.as({ basic: { clientId, clientSecret } }).raw('GET', `${controlPrefix}/inbox`);
    expect(response.status).toBe(200);
  });
});
