/** The details that errors contain beside their messages, as the client sees them. */
import { expect, test } from 'vitest';
import { startServer, type TestServer } from '../../harness.ts';
import { catchClientError, sharedServer } from '../operations/access.ts';

const shared = sharedServer();
const auditor = ['AUTH-BASIC', 'IAM_ADMIN_READ_ONLY'];

function creationBy(server: TestServer, authorities: readonly string[]) {
  return server
    .withAuthorities(authorities)
    .then((client) => catchClientError(client.groups.create({ body: { groupName: 'ops' } })));
}

test('a missing role is reported with the groups that grant it', async () => {
  const server = shared();
  const { details, items } = await creationBy(server, auditor);
  expect(details).toEqual({ missingRoles: ['IAM_ADMIN_MAINTENANCE'], grantedByGroups: ['iam-administrators'] });
  expect(items[0]?.details).toEqual(details);
});

test('a missing role is reported with at most five groups', async () => {
  await using server = await startServer();
  for (const at of [1, 2, 3, 4, 5, 6])
    await server.admin.groups.create({ body: { groupName: `ops${at}`, roles: ['IAM_ADMIN_MAINTENANCE'] } });
  const { details } = await creationBy(server, auditor);
  expect(details?.grantedByGroups).toHaveLength(5);
});

test('a caller that may not list groups receives no group names', async () => {
  const server = shared();
  const { details } = await creationBy(server, ['AUTH-BASIC']);
  expect(details).toEqual({ missingRoles: ['IAM_ADMIN_MAINTENANCE'] });
});

test('an invalid field is reported by its path in the body', async () => {
  const server = shared();
  const body = { groupName: 'ops', roles: ['VIEW', 'x y'], dependencies: [{}], more: 1 };
  const { items } = await catchClientError(server.admin.call('groups.create', { body }));
  expect(items.map(({ code, details }) => [code, details])).toEqual([
    ['FIELD_MISSING', { field: 'dependencies[0].groupName' }],
    ['FIELD_UNKNOWN', { field: 'more' }],
    ['FIELD_VALUE', { field: 'roles[1]' }],
  ]);
});

test('a body that is not an object has no field to report', async () => {
  const server = shared();
  const { items } = await catchClientError(server.admin.call('groups.create', { body: [] }));
  expect(items).toEqual([{ code: 'FIELD_TYPE', message: 'The body must be an object.' }]);
});

test.each([
  ['limit=0', 'FIELD_VALUE', 'limit'],
  ['limit=x', 'FIELD_TYPE', 'limit'],
  ['limit=1&limit=2', 'QUERY_REPEATED', 'limit'],
  ['name=%ff', 'FIELD_TYPE', 'name'],
  ['after=x', 'CURSOR_INVALID', 'after'],
])('the invalid query parameter of %s is reported', async (query, code, field) => {
  const server = shared();
  const { body } = await server.admin.raw('GET', `/security/iam/v1/groups?${query}`);
  expect(body).toEqual([{ code, message: expect.any(String), details: { field } }]);
});

test('an invalid path parameter is reported', async () => {
  const server = shared();
  const { code, details } = await catchClientError(server.admin.groups.get({ params: { groupId: 'a\u0000b' } }));
  expect([code, details]).toEqual(['PATH_VALUE', { field: 'groupId' }]);
});

test('an error without data has no details', async () => {
  const server = shared();
  const { items } = await catchClientError(server.admin.groups.get({ params: { groupId: 'unknown' } }));
  expect(items).toEqual([{ code: 'GROUP_NOT_FOUND', message: 'Group not found.' }]);
});

test('a soft error contains the details as well', async () => {
  await using server = await startServer({ flags: { 'soft-errors': true } });
  const caller = await server.withAuthorities(['AUTH-BASIC', 'PERSON']);
  const failure = await catchClientError(caller.call('my-client-identities.create', { body: { appId: 5 } }));
  expect(failure).toMatchObject({ status: 200, code: 'FIELD_TYPE', details: { field: 'appId' } });
});

test('an OAuth error has the format of RFC 6749, section 5.2', async () => {
  const server = shared();
  const { status, json } = await server.send({
    method: 'POST',
    path: '/security/iam/v1/client-identities/connect/token',
    headers: [['content-type', 'application/x-www-form-urlencoded']],
    body: 'grant_type=x&grant_type=y',
  });
  expect(status).toBeGreaterThanOrEqual(400);
  expect(Object.keys(json as object).sort()).toEqual(['error', 'error_description']);
});
