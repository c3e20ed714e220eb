import { expect, test } from 'vitest';
import type { SeedDocument } from '../../../../../src/server/seed/schema.ts';
import { startServer, type TestServer } from '../../../../harness.ts';
import { userToken } from '../../../operations/user-token.ts';
import { type HttpResponse, send } from '../../control-client.ts';

const groups = '/security/iam/v1/groups';

interface Cure {
  readonly kind: string;
  readonly groupName?: string;
  readonly gains?: readonly string[];
}

const seed: SeedDocument = {
  groups: [
    { groupName: 'operators', roles: ['IAM_ADMIN_MAINTENANCE', 'DEPLOY'] },
    { groupName: 'maintainers', roles: ['IAM_ADMIN_MAINTENANCE'] },
  ],
};

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

function create(server: TestServer, headers: Readonly<Record<string, string>>, body: unknown = { groupName: 'ops' }) {
  return send(server, groups, { method: 'POST', headers, body });
}

async function curesOf(server: TestServer, { headers }: HttpResponse): Promise<readonly Cure[]> {
  const { body } = await send(server, `/_iam/requests/${headers['x-request-id']}/why`);
  return (body as { readonly cures: readonly Cure[] }).cures;
}

test('a refused request is explained by groups and their effect, and is accepted once the caller is in one', async () => {
  await using server = await startServer({ seed });
  const refused = await create(server, bearer(await userToken(server, { userId: 'ann' })));
  expect(refused.status).toBe(403);
  const member = { memberKind: 'user', memberId: 'ann', memberName: 'name-of-ann', lacks: [] };
  const cures = await curesOf(server, refused);
  // The one that gives least is the first.
  expect(cures.slice(0, 2)).toEqual([
    {
      kind: 'add-to-group',
      groupId: expect.any(String),
      groupName: 'maintainers',
      gains: ['IAM_ADMIN_MAINTENANCE'],
      ...member,
    },
    expect.objectContaining({ groupName: 'operators', gains: ['DEPLOY', 'IAM_ADMIN_MAINTENANCE'] }),
  ]);
  await server.admin.call('user-accesses.add-user', {
    params: { groupName: String(cures[0]?.groupName) },
    body: [{ userId: 'ann' }],
  });
  expect(await curesOf(server, refused)).toEqual([]);
  const signedIn = await send(server, '/_iam/sessions', { method: 'POST', body: { userId: 'ann' } });
  const { accessToken } = signedIn.body as { readonly accessToken: string };
  const { body } = (await send(server, `/_iam/requests/${refused.headers['x-request-id']}`)).body as { body: unknown };
  expect(await create(server, bearer(accessToken), body)).toMatchObject({ status: 201 });
});

test('of alternative roles, the least powerful is offered first, and all are listed', async () => {
  await using server = await startServer({ seed });
  const headers = bearer(await userToken(server, { userId: 'ann' }));
  const refused = await send(server, `${groups}/operators`, { headers });
  const cures = await curesOf(server, refused);
  expect(cures.map(({ groupName }) => groupName)).toEqual([
    ...['iam-auditors', 'maintainers', 'operators'],
    'iam-administrators',
  ]);
  expect(cures[0]).toMatchObject({ gains: ['IAM_ADMIN_READ_ONLY'], lacks: [] });
  const { body } = await send(server, `/_iam/requests/${refused.headers['x-request-id']}/why`);
  expect(body).toMatchObject({
    missing: ['IAM_ADMIN_READ_ONLY'],
    alternatives: [['IAM_ADMIN_READ_ONLY'], ['IAM_ADMIN_MAINTENANCE'], ['ADMIN']],
  });
});

test('a caller that lacks the second factor signs in again at its level', async () => {
  await using server = await startServer({ seed });
  const token = await userToken(server, { userId: 'ann', roles: ['ADMIN'] });
  const path = '/security/iam/v1/client-identities';
  const refused = await send(server, path, { method: 'POST', headers: bearer(token), body: {} });
  expect(refused.status).toBe(403);
  const signIn = { kind: 'sign-in', userId: 'ann', userName: 'name-of-ann' };
  expect(await curesOf(server, refused)).toEqual([{ ...signIn, level: 'AUTH-MFA' }]);
  await send(server, '/_iam/sessions?userId=ann', { method: 'DELETE' });
  const ended = await send(server, path, { method: 'POST', headers: bearer(token), body: {} });
  expect(ended.status).toBe(401);
  expect(await curesOf(server, ended)).toEqual([{ ...signIn, level: 'AUTH-MFA' }]);
});

test('a locked user is unlocked, a client is added by its service account, and others have no cure', async () => {
  await using server = await startServer({ seed });
  const token = await userToken(server, { userId: 'ann', roles: ['IAM_ADMIN_MAINTENANCE'] });
  await server.admin.call('user-identities.lock', { body: { userId: 'ann' } });
  expect((await curesOf(server, await create(server, bearer(token)))).map(({ kind }) => kind)).toEqual([
    'unlock',
    'sign-in',
  ]);
  const ofClient = async (serviceAccountId?: string) => {
    const client = await server.makeClient(serviceAccountId === undefined ? {} : { serviceAccountId });
    const pair = btoa(`${client.clientId}:${client.clientSecret}`);
    return curesOf(server, await create(server, { Authorization: `Basic ${pair}` }));
  };
  expect((await ofClient('deployer'))[0]).toMatchObject({ memberKind: 'service', memberId: 'deployer' });
  expect(await ofClient()).toEqual([]);
  expect(await curesOf(server, await create(server, { Authorization: 'Basic eDp5' }))).toEqual([]);
});
