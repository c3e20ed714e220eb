/** A service has no role that its owner lost: a grant by the owner lasts as long as the owner has the role. */
import { expect, test } from 'vitest';
import type { IamClient } from '../../../src/client/index.ts';
import type { AuthenticationLevel } from '../../../src/server/directory/authentication-levels.ts';
import { dumpStore } from '../../../src/server/snapshots/dump.ts';
import { exportSeed } from '../../../src/server/snapshots/seed-export.ts';
import { startServer, type TestClient, type TestServer } from '../../harness.ts';
import { asUser } from '../operations/user-token.ts';

const service = { serviceAccountId: 'service' };
const into = (groupId: string) => ({ params: { groupId }, body: [{ serviceId: 'service' }] });

/** A server with a group that grants DEPLOY, and one that depends on it. */
async function startWithGroups(): Promise<TestServer> {
  const groups = [
    { groupName: 'deployers', roles: ['DEPLOY'] },
    { groupName: 'leads', roles: ['APPROVE'], dependencies: [{ groupName: 'deployers' }] },
  ];
  return startServer({ seed: { groups } });
}

/** The roles of the service as the interface lists them and as its requests have them: both must agree. */
async function rolesOf(server: TestServer, { clientId, clientSecret }: { clientId: string; clientSecret: string }) {
  const listed = await server.admin.serviceAccesses.listServiceRoles({ params: { serviceId: 'service' } });
  const { accessToken } = await server.as({ basic: { clientId, clientSecret } }).clientIdentities.login();
  const { authorities } = JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString());
  const implicit = ['ROLE_AUTH-BASIC', 'ROLE_CLI-1STPARTY', 'ROLE_CLI-AUTH-BASIC', 'ROLE_CLI-AUTH-IDENTIFIED'];
  const granted = (authorities as string[]).filter((role) => !implicit.includes(role)).map((role) => role.slice(5));
  expect(granted).toEqual(listed.map(({ role }) => role));
  return granted;
}

async function createService(server: TestServer, owner: TestClient) {
  return server.makeClient({ ...service, ...owner });
}

const person = (server: TestServer, roles: string[], level: AuthenticationLevel = 'AUTH-BASIC') =>
  asUser(server, { userId: 'person', roles, level });

test('a service loses a role as soon as the user that granted it does', async () => {
  await using server = await startWithGroups();
  const caller = await person(server, ['DEPLOY']);
  const service = await createService(server, { userId: 'person' });
  await caller.serviceAccesses.addService(into('deployers'));
  expect(await rolesOf(server, service)).toEqual(['DEPLOY']);
  await server.admin.userAccesses.removeUser({ params: { groupName: 'roles-of-person', userId: 'person' } });
  expect(await rolesOf(server, service)).toEqual([]);
});

test('a token, a key and a secret of such a service are rejected from the next request on', async () => {
  await using server = await startWithGroups();
  const caller = await person(server, ['IAM_ADMIN_READ_ONLY'], 'AUTH-MFA');
  const service = await createService(server, { userId: 'person' });
  await caller.serviceAccesses.addService(into('iam-auditors'));
  const { accessToken } = await server.as({ basic: service }).clientIdentities.login();
  const { apiKey } = await server.admin.apiKey.create({ body: { appId: 'x', clientId: service.clientId } });
  const callers = [server.as({ token: accessToken }), server.as({ apiKey }), server.as({ basic: service })];
  for (const one of callers) await one.groups.list();
  await server.admin.groups.removeRole({ params: { groupId: 'roles-of-person', roleName: 'IAM_ADMIN_READ_ONLY' } });
  for (const one of callers)
    await expect(one.groups.list()).rejects.toMatchObject({ status: 403, code: 'ROLE_MISSING' });
  await server.admin.groups.addRole({
    params: { groupId: 'roles-of-person' },
    body: { roleName: 'IAM_ADMIN_READ_ONLY' },
  });
  for (const one of callers) await one.groups.list();
});

test('a service has the part of a group that its owner has', async () => {
  await using server = await startWithGroups();
  const caller = await person(server, ['DEPLOY', 'APPROVE']);
  const service = await createService(server, { userId: 'person' });
  await caller.serviceAccesses.addService(into('leads'));
  expect(await rolesOf(server, service)).toEqual(['APPROVE', 'DEPLOY']);
  await server.admin.groups.removeRole({ params: { groupId: 'roles-of-person', roleName: 'APPROVE' } });
  expect(await rolesOf(server, service)).toEqual(['DEPLOY']);
});

test('a role that is added to a group later reaches the service only where its owner has it', async () => {
  await using server = await startWithGroups();
  const caller = await person(server, ['DEPLOY']);
  const service = await createService(server, { userId: 'person' });
  await caller.serviceAccesses.addService(into('deployers'));
  const params = { groupId: 'deployers' };
  await server.admin.groups.addRole({ params, body: { roleName: 'IAM_ADMIN_MAINTENANCE' } });
  expect(await rolesOf(server, service)).toEqual(['DEPLOY']);
});

test('a grant by an administrator or a seed stays, and an administrator can confirm a grant of the owner', async () => {
  await using server = await startWithGroups();
  const caller = await person(server, ['DEPLOY']);
  const service = await createService(server, { userId: 'person' });
  await server.admin.serviceAccesses.addService(into('leads'));
  await caller.serviceAccesses.addService(into('deployers'));
  await server.admin.userAccesses.removeUser({ params: { groupName: 'roles-of-person', userId: 'person' } });
  expect(await rolesOf(server, service)).toEqual(['APPROVE', 'DEPLOY']);
  await server.admin.serviceAccesses.removeService({ params: { groupId: 'leads', serviceId: 'service' } });
  expect(await rolesOf(server, service)).toEqual([]);
  await server.admin.serviceAccesses.addService(into('deployers'));
  expect(await rolesOf(server, service)).toEqual(['DEPLOY']);
});

test('an owner that adds its service again does not remove the grant of an administrator', async () => {
  await using server = await startWithGroups();
  const caller = await person(server, ['DEPLOY']);
  const service = await createService(server, { userId: 'person' });
  await server.admin.serviceAccesses.addService(into('deployers'));
  await caller.serviceAccesses.addService(into('deployers'));
  await server.admin.userAccesses.removeUser({ params: { groupName: 'roles-of-person', userId: 'person' } });
  expect(await rolesOf(server, service)).toEqual(['DEPLOY']);
});

test('an auditor grants as the user that it is', async () => {
  await using server = await startWithGroups();
  const caller = await person(server, ['DEPLOY', 'IAM_ADMIN_READ_ONLY']);
  const service = await createService(server, { userId: 'person' });
  await caller.serviceAccesses.addService(into('deployers'));
  await server.admin.groups.removeRole({ params: { groupId: 'roles-of-person', roleName: 'DEPLOY' } });
  expect(await rolesOf(server, service)).toEqual([]);
});

test('a business has the roles of its groups and of the pair memberships of its users, and not those of a user itself', async () => {
  await using server = await startWithGroups();
  const caller = await asUser(server, { userId: 'chief', roles: ['BUSINESSADMIN', 'DEPLOY'], businessId: 'acme' });
  const service = await createService(server, { businessId: 'acme' });
  await caller.serviceAccesses.addService(into('deployers'));
  expect(await rolesOf(server, service)).toEqual([]);
  const pair = { groupName: 'deployers', businessId: 'acme' };
  await server.admin.userAccesses.addBusinessUser({ params: pair, body: [{ userId: 'chief' }] });
  expect(await rolesOf(server, service)).toEqual(['DEPLOY']);
  await server.admin.userAccesses.removeBusinessUser({ params: { ...pair, userId: 'chief' } });
  expect(await rolesOf(server, service)).toEqual([]);
  await server.admin.businessAccesses.addBusiness({ params: { groupId: 'leads' }, body: [{ businessId: 'acme' }] });
  expect(await rolesOf(server, service)).toEqual(['DEPLOY']);
  await server.admin.businessAccesses.removeBusiness({ params: { groupId: 'leads', businessId: 'acme' } });
  expect(await rolesOf(server, service)).toEqual([]);
});

test('a user that leaves the business, or is removed, loses its pair memberships', async () => {
  await using server = await startWithGroups();
  const caller = await asUser(server, { userId: 'chief', roles: ['BUSINESSADMIN', 'DEPLOY'], businessId: 'acme' });
  const service = await createService(server, { businessId: 'acme' });
  await caller.serviceAccesses.addService(into('deployers'));
  const pair = { params: { groupName: 'deployers', businessId: 'acme' } };
  for (const userId of ['one', 'two']) {
    await asUser(server, { userId, businessId: 'acme' });
    await server.admin.userAccesses.addBusinessUser({ ...pair, body: [{ userId }] });
  }
  expect(await rolesOf(server, service)).toEqual(['DEPLOY']);
  await server.admin.userIdentities.update({ params: { id: 'one' }, body: { businessId: null } });
  expect(await rolesOf(server, service)).toEqual(['DEPLOY']);
  await server.admin.userIdentities.remove({ params: { id: 'two' } });
  expect(await rolesOf(server, service)).toEqual([]);
});

test('a client that creates another one passes on no role that it lost', async () => {
  await using server = await startWithGroups();
  const authorities = ['AUTH-BASIC', 'BUSINESSADMIN'];
  const parent = await server.makeClient({ authorities, serviceAccountId: 'parent' });
  await server.admin.serviceAccesses.addService({ params: { groupId: 'deployers' }, body: [{ serviceId: 'parent' }] });
  const service = await createService(server, { ownerClientId: parent.clientId });
  await server.as({ basic: parent }).serviceAccesses.addService(into('deployers'));
  expect(await rolesOf(server, service)).toEqual(['DEPLOY']);
  await server.admin.serviceAccesses.removeService({ params: { groupId: 'deployers', serviceId: 'parent' } });
  expect(await rolesOf(server, service)).toEqual([]);
});

test('concurrent grants and revocations leave no service with a role that its owner lost', async () => {
  await using server = await startWithGroups();
  const caller = await person(server, ['DEPLOY']);
  const service = await createService(server, { userId: 'person' });
  const end: Promise<unknown> = server.admin.userAccesses.removeUser({
    params: { groupName: 'roles-of-person', userId: 'person' },
  });
  const grants = Array.from({ length: 20 }, () => add(caller));
  await Promise.allSettled([end, ...grants]);
  expect(await rolesOf(server, service)).toEqual([]);
});

const add = (caller: IamClient) => caller.serviceAccesses.addService(into('deployers'));

test('an export as a seed omits grants of the owner, since a seed would make them permanent', async () => {
  await using server = await startWithGroups();
  const caller = await person(server, ['DEPLOY']);
  await createService(server, { userId: 'person' });
  await caller.serviceAccesses.addService(into('deployers'));
  await server.admin.serviceAccesses.addService(into('leads'));
  const { groups = [] } = await exportSeed({ dump: () => dumpStore(server.appContext.store) });
  const services = Object.fromEntries(groups.map(({ groupName, services: ids = [] }) => [groupName, ids]));
  expect(services).toMatchObject({ deployers: [], leads: ['service'] });
});
