import { describe, expect, test } from 'vitest';
import { membersIn } from '../user-accesses/bodies.ts';
import {
  callerWith,
  expectRejection,
  insertMembers,
  lockFirstAdministrator,
  startWithMembers,
} from '../user-accesses/member-fixtures.ts';
import { asUser } from '../user-token.ts';

const id = 'service-accesses.remove-service';
const from = (groupId: string, serviceId: string) => ({ params: { groupId, serviceId } });
const service = (memberId: string) => ({ kind: 'service', memberId }) as const;

test('removes one service, which loses its roles immediately', async () => {
  await using server = await startWithMembers();
  await insertMembers(server, 'plain', [service('service-of-a')]);
  await insertMembers(server, 'iam-auditors', [service('service-of-a'), service('service-of-b')]);
  const client = server.as({ basic: { clientId: 'of-a', clientSecret: 'x' } });
  await client.groups.list();
  await expect(
    server.admin.serviceAccesses.removeService(from('iam-auditors', 'service-of-a')),
  ).resolves.toBeUndefined();
  await expect(client.groups.list()).rejects.toMatchObject({ status: 403 });
  expect(await membersIn(server, 'iam-auditors')).toEqual(['service-of-b']);
  expect(await membersIn(server)).toEqual(['service-of-a']);
});

test('returns 404 for a service that is not in the group and for unknown groups', async () => {
  await using server = await startWithMembers();
  await insertMembers(server, 'plain', [service('service-of-a')]);
  for (const serviceId of ['service-of-b', 'SERVICE-OF-A', 'of-a', 'constructor', '__proto__'])
    await expectRejection(server, () => server.admin.call(id, from('plain', serviceId)), {
      status: 404,
      code: 'MEMBERSHIP_NOT_FOUND',
    });
  for (const groupId of ['Plain', 'unknown', 'constructor', '__proto__'])
    await expectRejection(server, () => server.admin.call(id, from(groupId, 'service-of-a')), {
      status: 404,
      code: 'GROUP_NOT_FOUND',
    });
  await expectRejection(server, () => server.admin.call(id, from('plain', 'a b')), { status: 404, code: 'PATH_VALUE' });
});

test('returns 404 for a group with roles that an administrator of a business does not have, whether or not the service is in it', async () => {
  await using server = await startWithMembers();
  const caller = await asUser(server, { roles: ['BUSINESSADMIN'], businessId: 'a' });
  const unknown = await expectRejection(server, () => caller.call(id, from('unknown', 'service-of-a')), {
    status: 404,
    code: 'GROUP_NOT_FOUND',
  });
  for (const group of ['deployers', 'leads', 'iam-administrators']) {
    const hidden = await expectRejection(server, () => caller.call(id, from(group, 'service-of-a')), {
      status: 404,
      code: 'GROUP_NOT_FOUND',
    });
    expect(hidden.items).toEqual(unknown.items);
  }
  await expectRejection(server, () => caller.call(id, from('plain', 'service-of-a')), {
    status: 404,
    code: 'MEMBERSHIP_NOT_FOUND',
  });
  await expectRejection(server, () => server.admin.call(id, from('deployers', 'service-of-a')), {
    status: 404,
    code: 'MEMBERSHIP_NOT_FOUND',
  });
  await insertMembers(server, 'deployers', [service('service-of-a')]);
  const present = await expectRejection(server, () => caller.call(id, from('deployers', 'service-of-a')), {
    status: 404,
    code: 'GROUP_NOT_FOUND',
  });
  expect(present.items).toEqual(unknown.items);
  const holder = await asUser(server, { roles: ['BUSINESSADMIN', 'DEPLOY'], businessId: 'a' });
  await holder.serviceAccesses.removeService(from('deployers', 'service-of-a'));
  expect(await membersIn(server, 'deployers')).toEqual([]);
});

test('removes the own service of a user from a group with roles that the user does not have', async () => {
  await using server = await startWithMembers();
  const person = await asUser(server, { userId: 'person' });
  await server.makeClient({ serviceAccountId: 'own-service', userId: 'person' });
  await insertMembers(server, 'leads', [service('own-service')]);
  await person.serviceAccesses.removeService(from('leads', 'own-service'));
  expect(await membersIn(server, 'leads')).toEqual([]);
});

test('removes only the calling service from a group with roles that it does not have', async () => {
  await using server = await startWithMembers();
  const client = { businessId: 'a', serviceAccountId: 'chief' };
  const caller = await callerWith(server, ['CLI-1STPARTY', 'AUTH-BASIC', 'BUSINESSADMIN'], client);
  await server.admin.groups.create({ body: { groupName: 'outer', dependencies: [{ groupName: 'leads' }] } });
  await insertMembers(server, 'outer', [service('service-of-a')]);
  const rejected = { status: 404, code: 'GROUP_NOT_FOUND' };
  await expectRejection(server, () => caller.call(id, from('outer', 'service-of-a')), rejected);
  await insertMembers(server, 'outer', [service('chief')]);
  await caller.serviceAccesses.removeService(from('outer', 'chief'));
  expect(await membersIn(server, 'outer')).toEqual(['service-of-a']);
});

test('rejects a caller with ADMIN for groups that grant an IAM_ADMIN role', async () => {
  await using server = await startWithMembers();
  const caller = await asUser(server, { roles: ['ADMIN'], level: 'AUTH-MFA' });
  await insertMembers(server, 'iam-auditors', [service('service-of-a')]);
  await insertMembers(server, 'leads', [service('service-of-a')]);
  const rejected = { status: 404, code: 'GROUP_NOT_FOUND' };
  await expectRejection(server, () => caller.call(id, from('iam-auditors', 'service-of-a')), rejected);
  await caller.serviceAccesses.removeService(from('leads', 'service-of-a'));
});

describe('own services:', () => {
  const rejected = { status: 404, code: 'SERVICE_NOT_FOUND' };

  test('owners and administrators of a business and individual users remove only their services', async () => {
    await using server = await startWithMembers();
    await asUser(server, { userId: 'person' });
    await server.makeClient({ serviceAccountId: 'own-service', userId: 'person' });
    await insertMembers(
      server,
      'plain',
      ['service-of-b', 'service-of-none', 'service-of-a', 'own-service'].map(service),
    );
    const callers = [
      [await asUser(server, { roles: ['BUSINESSADMIN'], businessId: 'a' }), 'own-service'],
      [await asUser(server, { roles: ['BUSINESSOWNER'], businessId: 'a' }), 'own-service'],
      [await asUser(server), 'service-of-a'],
    ] as const;
    for (const [caller, another] of callers) {
      for (const serviceId of ['service-of-b', 'service-of-none', another]) {
        const other = await expectRejection(server, () => caller.call(id, from('plain', serviceId)), rejected);
        const unknown = await expectRejection(server, () => caller.call(id, from('plain', 'unknown')), rejected);
        expect(other.items).toEqual(unknown.items);
      }
    }
    await callers[0][0].serviceAccesses.removeService(from('plain', 'service-of-a'));
    expect(await membersIn(server)).toEqual(['own-service', 'service-of-b', 'service-of-none']);
  });

  test('the restriction applies to an auditor', async () => {
    await using server = await startWithMembers();
    await insertMembers(server, 'plain', [service('service-of-a')]);
    const auditor = await asUser(server, { roles: ['IAM_ADMIN_READ_ONLY'] });
    await expectRejection(server, () => auditor.call(id, from('plain', 'service-of-a')), rejected);
  });
});

test('removes the last service with the administrator role, since services do not count as administrators', async () => {
  await using server = await startWithMembers();
  await lockFirstAdministrator(server);
  await insertMembers(server, 'maintainers', [service('service-of-a')]);
  await server.admin.serviceAccesses.removeService(from('maintainers', 'service-of-a'));
  expect(await membersIn(server, 'maintainers')).toEqual([]);
});
