/** The roles of a client with a service account: the effective roles of its groups, evaluated on every request. */
import { decodeJwt } from 'jose';
import { expect, test } from 'vitest';
import type { IamClient } from '../../../../src/client/index.ts';
import { startServer, type TestServer } from '../../../harness.ts';
import { catchClientError } from '../access.ts';

async function makeService(server: TestServer, ...groups: string[]) {
  const body = { appId: 'billing', serviceAccountId: 'billing-service' };
  const credentials = await server.admin.clientIdentities.create({ body });
  for (const groupName of groups) await addToGroup(server, groupName);
  return credentials;
}

async function addToGroup({ appContext }: TestServer, groupName: string) {
  const group = await appContext.store.groups.getBy('groupName', groupName);
  const membership = { groupId: group?.groupId ?? '', kind: 'service', memberId: 'billing-service' } as const;
  await appContext.store.transaction((tx) => tx.memberships.insert(membership));
}

async function login(server: TestServer, credentials: { clientId: string; clientSecret: string }) {
  const { accessToken } = await server.as(credentials).clientIdentities.login();
  return { caller: server.as({ token: accessToken }), claims: decodeJwt(accessToken) };
}

/** Returns whether the caller has the roles of groups.list and of groups.create. */
async function readAccess({ groups }: IamClient): Promise<[reads: boolean, writes: boolean]> {
  const reads = await groups.list().then(
    () => true,
    ({ code }) => code !== 'ROLE_MISSING',
  );
  const { code } = await catchClientError(groups.create({ body: { groupName: 'iam-auditors' } }));
  return [reads, code !== 'ROLE_MISSING'];
}

test('a client has AUTH-BASIC and the roles of its groups and their dependencies', async () => {
  await using server = await startServer();
  const credentials = await makeService(server, 'business-owners', 'iam-auditors');
  const { claims, caller } = await login(server, credentials);
  expect(claims).toMatchObject({
    sub: credentials.clientId,
    client_id: credentials.clientId,
    service_id: 'billing-service',
    authorities: [
      'ROLE_AUTH-BASIC',
      'ROLE_BUSINESSADMIN',
      'ROLE_BUSINESSOWNER',
      'ROLE_BUSINESSUSER',
      'ROLE_CLI-1STPARTY',
      'ROLE_CLI-AUTH-BASIC',
      'ROLE_CLI-AUTH-IDENTIFIED',
      'ROLE_IAM_ADMIN_READ_ONLY',
    ],
  });
  expect(await readAccess(caller)).toEqual([true, false]);
});

test('a client gains a role with its next token, or immediately if it authenticates with its secret or an API key', async () => {
  await using server = await startServer();
  const credentials = await makeService(server, 'iam-auditors');
  const { apiKey } = await server.admin.apiKey.create({ body: { appId: 'x', clientId: credentials.clientId } });
  const { caller } = await login(server, credentials);
  const params = { groupId: 'iam-auditors' };
  await server.admin.groups.addRole({ params, body: { roleName: 'IAM_ADMIN_MAINTENANCE' } });
  expect(await readAccess(caller)).toEqual([true, false]);
  expect(await readAccess(server.as({ basic: credentials }))).toEqual([true, true]);
  expect(await readAccess(server.as({ apiKey }))).toEqual([true, true]);
  expect(await readAccess((await login(server, credentials)).caller)).toEqual([true, true]);
});
