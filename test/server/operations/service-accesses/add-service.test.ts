import { describe, expect, test } from 'vitest';
import { membersIn, testMemberBodies } from '../user-accesses/bodies.ts';
import { callerWith, expectRejection, startWithMembers } from '../user-accesses/member-fixtures.ts';
import { asUser, userToken } from '../user-token.ts';

const id = 'service-accesses.add-service';
const to = (groupId: string, serviceIds: readonly string[]) => ({
  params: { groupId },
  body: serviceIds.map((serviceId) => ({ serviceId })),
});

testMemberBodies({
  id,
  params: (groupName) => ({ groupId: groupName }),
  field: 'serviceId',
  known: ['service-of-a', 'service-of-b'],
  unknownCode: 'SERVICE_UNKNOWN',
  make: async (server, ids) => {
    const client = await server.appContext.store.clients.get('of-none');
    await server.appContext.store.transaction(async (tx) => {
      for (const serviceAccountId of ids)
        if (client) await tx.clients.insert({ ...client, clientId: `of-${serviceAccountId}`, serviceAccountId });
    });
  },
});

test('accepts service account ids but not client ids, and grants the roles immediately', async () => {
  await using server = await startWithMembers();
  const expected = { status: 422, code: 'SERVICE_UNKNOWN' };
  await expectRejection(server, () => server.admin.call(id, to('plain', ['of-none'])), expected);
  const service = server.as({ basic: { clientId: 'of-none', clientSecret: 'x' } });
  await expect(service.groups.list()).rejects.toMatchObject({ status: 403 });
  await server.admin.serviceAccesses.addService(to('iam-auditors', ['service-of-none']));
  await expect(service.groups.list()).resolves.toBeDefined();
});

describe('own services:', () => {
  const rejected = { status: 404, code: 'SERVICE_NOT_FOUND' };

  test('owners and administrators of a business add only its services', async () => {
    await using server = await startWithMembers();
    for (const role of ['BUSINESSOWNER', 'BUSINESSADMIN']) {
      const caller = await asUser(server, { roles: [role], businessId: 'a' });
      for (const serviceIds of [['service-of-b'], ['service-of-a', 'service-of-none'], ['unknown'], ['SERVICE-OF-A']])
        await expectRejection(server, () => caller.call(id, to('plain', serviceIds)), rejected);
      await caller.serviceAccesses.addService(to('plain', ['service-of-a']));
    }
    expect(await membersIn(server)).toEqual(['service-of-a']);
  });

  test('an individual user adds only its own services', async () => {
    await using server = await startWithMembers();
    const caller = await asUser(server, { userId: 'person' });
    const owned = { clientId: 'own', serviceAccountId: 'own-service', userId: 'person' };
    await server.makeClient(owned);
    for (const serviceId of ['service-of-p1', 'service-of-a', 'service-of-none', 'unknown'])
      await expectRejection(server, () => caller.call(id, to('plain', [serviceId])), rejected);
    await caller.serviceAccesses.addService(to('plain', ['own-service']));
    expect(await membersIn(server)).toEqual(['own-service']);
  });

  test('a user cannot add the service of the client that it uses', async () => {
    await using server = await startWithMembers();
    const application = await server.makeClient({ serviceAccountId: 'application-service' });
    const token = await userToken(server, { clientId: application.clientId });
    const request = () => server.as({ token }).call(id, to('plain', ['application-service']));
    await expectRejection(server, request, rejected);
  });

  test('a client adds only its own service and those of its user', async () => {
    await using server = await startWithMembers();
    const roles = ['CLI-1STPARTY', 'AUTH-BASIC', 'PERSON'];
    const caller = await callerWith(server, roles, { serviceAccountId: 'client-service', userId: 'p1' });
    await caller.serviceAccesses.addService(to('plain', ['client-service', 'service-of-p1']));
    await expectRejection(server, () => caller.call(id, to('plain', ['service-of-a'])), rejected);
  });

  test('the restriction applies to an auditor, but not to an administrator', async () => {
    await using server = await startWithMembers();
    const auditor = await asUser(server, { roles: ['IAM_ADMIN_READ_ONLY'] });
    await expectRejection(server, () => auditor.call(id, to('plain', ['service-of-a'])), rejected);
    const administrator = await asUser(server, { roles: ['ADMIN'] });
    await administrator.serviceAccesses.addService(to('plain', ['service-of-a']));
  });

  test('a user cannot add them to groups with roles that it does not have', async () => {
    await using server = await startWithMembers();
    await asUser(server, { userId: 'person' });
    const caller = await asUser(server, { userId: 'owner', roles: ['DEPLOY'] });
    await server.makeClient({ clientId: 'own', serviceAccountId: 'own-service', userId: 'owner' });
    for (const groupId of ['leads', 'maintainers', 'iam-administrators'])
      await expectRejection(server, () => caller.call(id, to(groupId, ['own-service'])), {
        status: 404,
        code: 'GROUP_NOT_FOUND',
      });
    await caller.serviceAccesses.addService(to('deployers', ['own-service']));
  });
});
