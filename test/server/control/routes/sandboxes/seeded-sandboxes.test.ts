/** Sandboxes with a seed of their own. */
import { describe, expect, test } from 'vitest';
import { sandboxIdleMinutes } from '../../../../../src/server/sandboxes/sandboxes.ts';
import { startServer, type TestServer } from '../../../../harness.ts';
import { sharedServer } from '../../../operations/access.ts';
import { send } from '../../control-client.ts';

const path = '/_iam/sandboxes';
const serverSeed = { groups: [{ groupName: 'of-the-server' }] };
const seed = { users: [{ userId: 'ann', userName: 'ann.lee' }], groups: [{ groupName: 'ops', users: ['ann'] }] };

const create = (server: TestServer, body: unknown, headers: Record<string, string> = {}) =>
  send(server, path, { method: 'POST', headers, body });

/** Read from the store, as each sandbox has credentials of its own. */
async function groupNames(server: TestServer, at: string): Promise<string[]> {
  const name = at.replace('/s/', '');
  const { store } = name === '' ? server.appContext : await server.appContext.sandboxes.open(name, false);
  return (await store.groups.list()).map(({ groupName }) => groupName);
}

const names = (server: TestServer) => server.appContext.sandboxes.list().map(({ name }) => name);

describe('a sandbox with a seed', () => {
  test('starts with it instead of the seed of the server', async () => {
    await using server = await startServer({ seed: serverSeed });
    const created = await create(server, { name: 'one', seed });
    expect(created).toMatchObject({ status: 200, body: { name: 'one', baseUrl: `${server.url}/s/one` } });
    expect(await groupNames(server, '/s/one')).toContain('ops');
    expect(await groupNames(server, '/s/one')).not.toContain('of-the-server');
    expect(await groupNames(server, '')).not.toContain('ops');
    expect(await groupNames(server, '/s/two')).not.toContain('ops');
  });

  test('returns to it with a reset', async () => {
    await using server = await startServer({ seed: serverSeed });
    await create(server, { name: 'one', seed });
    const before = await send(server, '/s/one/_iam/users');
    await send(server, '/s/one/_iam/seed', { method: 'POST', body: { groups: [{ groupName: 'later' }] } });
    expect(await groupNames(server, '/s/one')).toContain('later');
    const reset = (to: string) => send(server, '/s/one/_iam/state/reset', { method: 'POST', body: { to } });
    expect((await reset('seed')).status).toBe(204);
    expect(await groupNames(server, '/s/one')).toContain('ops');
    expect(await groupNames(server, '/s/one')).not.toContain('later');
    expect((await send(server, '/s/one/_iam/users')).body).toEqual(before.body);
    expect((await reset('empty')).status).toBe(204);
    expect(await groupNames(server, '/s/one')).not.toContain('ops');
  });

  test('is refused if the name is taken, whatever made the sandbox, and leaves it as it is', async () => {
    await using server = await startServer({ seed: serverSeed });
    await create(server, { name: 'one', seed: {} });
    await groupNames(server, '/s/two');
    for (const name of ['one', 'two'])
      expect(await create(server, { name, seed })).toMatchObject({ status: 412, body: [{ code: 'SANDBOX_EXISTS' }] });
    expect(await groupNames(server, '/s/one')).not.toContain('ops');
    expect(await groupNames(server, '/s/two')).not.toContain('ops');
    expect((await create(server, { name: 'one' })).status).toBe(200);
    await send(server, `${path}/one`, { method: 'DELETE' });
    expect((await create(server, { name: 'one', seed })).status).toBe(200);
  });

  test('is created once by parallel requests', async () => {
    await using server = await startServer();
    const responses = await Promise.all(Array.from({ length: 8 }, () => create(server, { name: 'one', seed })));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 7 }, () => 412)]);
  });

  const shared = sharedServer();
  test.each([
    [{ users: [{ userId: 'u', password: 'qwertyuiop' }] }, ['seed.users[0].password']],
    [{ users: [{}], groups: [{ groupName: 'a', color: 1 }] }, ['seed.groups[0].color', 'seed.users[0]']],
    [{ groups: [{ groupName: 'a', users: ['unknown'] }] }, ['seed.groups[0].users[0]']],
    [{ settings: { 'user-token-lifetime': 7 } }, ['seed.settings.user-token-lifetime']],
    ['seed.yaml', ['seed']],
  ])('is not created from %j', async (invalid, fields) => {
    const server = shared();
    const response = await create(server, { name: 'one', seed: invalid });
    expect(response.status).toBe(400);
    const errors = response.body as { details?: { field?: string } }[];
    expect(errors.map(({ details }) => details?.field)).toEqual(fields);
    expect(names(server)).toEqual([]);
  });

  test('is not replaced by one of the server while it is unchanged, and expires like others', async () => {
    await using server = await startServer();
    await create(server, { name: 'one', seed });
    server.clock.advance(sandboxIdleMinutes * 60 - 1);
    expect(await groupNames(server, '/s/one')).toContain('ops');
    server.clock.advance(sandboxIdleMinutes * 60);
    expect(await groupNames(server, '/s/one')).not.toContain('ops');
  });

  test('is not created inside a sandbox', async () => {
    await using server = await startServer();
    expect((await send(server, `/s/one${path}`, { method: 'POST', body: { name: 'x', seed } })).status).toBe(404);
  });
});

describe('twenty parallel tests with HTTP alone', () => {
  test('have a seed, a signed-in user, a clock and faults of their own', async () => {
    await using server = await startServer();
    await Promise.all(Array.from({ length: 20 }, (_, number) => runOwnTest(server.url, number)));
    expect((await server.admin.groups.list()).items.map(({ groupName }) => groupName)).not.toContain('team-0');
  });
});

/** What the test of a program in any language does: requests, and nothing else. */
async function runOwnTest(url: string, number: number): Promise<void> {
  const call = async (method: string, target: string, body?: unknown, headers: Record<string, string> = {}) => {
    const json: Record<string, string> = body === undefined ? {} : { 'Content-Type': 'application/json' };
    const text = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(target, { method, headers: { ...json, ...headers }, ...text });
    const answer = await response.text();
    return { status: response.status, headers: response.headers, body: answer === '' ? undefined : JSON.parse(answer) };
  };
  const user = { userId: `user-${number}`, userName: `user-${number}` };
  const group = { groupName: `team-${number}`, roles: ['IAM_ADMIN_READ_ONLY'], users: [user.userId] };
  const sandbox = await call('POST', `${url}/_iam/sandboxes`, {
    name: `test-${number}`,
    seed: { users: [user], groups: [group] },
  });
  expect(sandbox.status).toBe(200);
  const { baseUrl } = sandbox.body as { baseUrl: string };
  const groups = `${baseUrl}/security/iam/v1/groups`;
  const session = await call('POST', `${baseUrl}/_iam/sessions`, { userName: user.userName, level: 'AUTH-MFA' });
  const token = { Authorization: `Bearer ${(session.body as { accessToken: string }).accessToken}` };
  const listed = await call('GET', `${groups}?limit=200`, undefined, token);
  expect(listed.status).toBe(200);
  expect(listed.body.map(({ groupName }: { groupName: string }) => groupName)).toContain(group.groupName);
  expect(JSON.stringify(listed.body).match(/"team-\d+"/g)).toEqual([`"${group.groupName}"`]);
  const rule = { operation: 'groups.list', nth: 1, effect: { status: 503 } };
  expect((await call('POST', `${baseUrl}/_iam/faults`, rule)).status).toBe(201);
  expect((await call('GET', groups, undefined, token)).status).toBe(503);
  expect((await call('GET', groups, undefined, token)).status).toBe(200);
  const moved = await call('PUT', `${baseUrl}/_iam/clock`, { advance: `${number + 1}h` });
  expect(moved.body).toMatchObject({ offset: (number + 1) * 3_600 });
  expect((await call('GET', groups, undefined, token)).status).toBe(401);
  expect((await call('DELETE', `${url}/_iam/sandboxes/test-${number}`)).status).toBe(204);
}
