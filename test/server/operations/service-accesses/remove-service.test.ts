import { describe, expect, test } from 'vitest';
import { membersIn } from '../user-accesses/bodies.ts';
import {
  callerWith,
  expectRejection,
  insertMembers,
  lockFirstAdministrator,
  startWithMembers,
} from '../user-accesses/member-fixtures.ts';
import { testMemberRemoval } from '../user-accesses/removals.ts';
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

testMemberRemoval({ id, from, member: service, ofBusiness: 'service-of-a' });

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
      for (const serviceId of ['service-of-b', 'service-of-none', another])
        await expectRejection(server, () => caller.call(id, from('plain', serviceId)), rejected);
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
