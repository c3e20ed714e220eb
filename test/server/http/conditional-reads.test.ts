/** If-None-Match on every operation that reads an entity with an ETag (RFC 9110, 13.1.2). */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { servicePrefix } from '../../../src/contract/prefix.ts';
import { operations } from '../../../src/server/operations/index.ts';
import { adminClient, startServer, type TestServer } from '../../harness.ts';

let server: TestServer;
const paths: Readonly<Record<string, string>> = {
  'groups.get': '/groups/ops',
  'corporate-groups.get': '/corporate-groups/holding',
  'user-identities.get': '/user-identities/ann',
};

beforeAll(async () => {
  server = await startServer({
    seed: {
      groups: [{ groupName: 'ops', roles: ['VIEW'] }],
      corporateGroups: [{ corporateGroupName: 'holding', corporateGroupId: 'holding' }],
      users: [{ userId: 'ann', userName: 'ann', userEmail: 'ann@example.com' }],
    },
  });
});
afterAll(() => server[Symbol.asyncDispose]());

function read(path: string, ifNoneMatch?: string): Promise<Response> {
  const authorization = `Basic ${btoa(`${adminClient.clientId}:${adminClient.clientSecret}`)}`;
  const condition = ifNoneMatch === undefined ? {} : { 'If-None-Match': ifNoneMatch };
  return fetch(`${server.url}${servicePrefix}${path}`, { headers: { authorization, ...condition } });
}

const entityReads = Object.values(operations)
  .filter(({ method, response }) => method === 'GET' && 'entity' in response && response.entity)
  .map(({ id }) => id);

test('covers every operation that reads an entity', () => {
  expect(entityReads.toSorted()).toEqual(Object.keys(paths).toSorted());
});

test.each(Object.entries(paths))('%s returns 304 for the current ETag only', async (_, path) => {
  const first = await read(path);
  expect(first.status).toBe(200);
  const etag = first.headers.get('etag') ?? '';
  for (const condition of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const again = await read(path, condition);
    expect(again.status).toBe(304);
    expect(again.headers.get('etag')).toBe(etag);
    expect(await again.text()).toBe('');
  }
  expect((await read(path, '"other"')).status).toBe(200);
});

test('a change makes the ETag stale', async () => {
  const etag = (await read('/groups/ops')).headers.get('etag') ?? '';
  await server.admin.groups.addRole({ params: { groupId: 'ops' }, body: { roleName: 'DEPLOY' } });
  expect((await read('/groups/ops', etag)).status).toBe(200);
});

test('a rejected caller learns nothing from If-None-Match', async () => {
  const etag = (await read('/groups/ops')).headers.get('etag') ?? '';
  const response = await fetch(`${server.url}${servicePrefix}/groups/ops`, { headers: { 'If-None-Match': etag } });
  expect(response.status).toBe(401);
});
