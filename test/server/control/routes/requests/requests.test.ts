import { describe, expect, test } from 'vitest';
import { adminClient, startServer, type TestServer } from '../../../../harness.ts';
import { sharedServer } from '../../../operations/access.ts';
import { asUser } from '../../../operations/user-token.ts';
import { readAllPages, send } from '../../control-client.ts';

const path = '/_iam/requests';

interface Item {
  readonly id: string;
  readonly operation?: string;
  readonly status?: number;
  readonly errors: readonly string[];
}

async function listRequests(server: TestServer, query = ''): Promise<Item[]> {
  const { status, body } = await send(server, path + query);
  expect(status).toBe(200);
  return body as Item[];
}

const basic = (id: string, secret: string) => ({ Authorization: `Basic ${btoa(`${id}:${secret}`)}` });
const asAdmin = basic(adminClient.clientId, adminClient.clientSecret);

describe('the request log', () => {
  test('contains callers and outcomes, newest first', async () => {
    await using server = await startServer();
    const created = await send(server, '/security/iam/v1/groups', {
      method: 'POST',
      headers: asAdmin,
      body: { groupName: 'ops' },
    });
    server.clock.advance(10);
    const missing = await send(server, '/security/iam/v1/groups/nothing?clientId=test-admin', { headers: asAdmin });
    const rejected = await send(server, '/security/iam/v1/groups', { headers: basic('x', 'y') });
    expect(await listRequests(server)).toEqual([
      {
        id: rejected.headers['x-request-id'],
        at: '2026-03-01T12:00:10.000Z',
        caller: 'anonymous',
        operation: 'groups.list',
        method: 'GET',
        path: '/security/iam/v1/groups',
        status: 401,
        errors: ['CREDENTIALS_INVALID'],
        milliseconds: expect.any(Number),
      },
      expect.objectContaining({
        id: missing.headers['x-request-id'],
        operation: 'groups.get',
        status: 404,
        caller: 'test-admin',
      }),
      expect.objectContaining({
        id: created.headers['x-request-id'],
        at: '2026-03-01T12:00:00.000Z',
        status: 201,
        clientId: 'test-admin',
      }),
    ]);
  });

  test('contains the declared fields of bodies', async () => {
    await using server = await startServer();
    await send(server, '/security/iam/v1/groups?x=1', {
      method: 'POST',
      headers: asAdmin,
      body: { groupName: 'ops', roles: ['DEPLOY'], typo: 'value' },
    });
    await send(server, '/security/iam/v1/groups', { method: 'POST', headers: asAdmin, body: { groupName: 'ops' } });
    const [good, bad] = await listRequests(server);
    expect((await send(server, `${path}/${bad?.id}`)).body).toMatchObject({
      ...bad,
      query: { x: '(not declared)' },
      body: { groupName: 'ops', roles: ['DEPLOY'], '(not declared)': 1 },
      responseBody: [{ code: 'FIELD_UNKNOWN', message: expect.any(String) }],
    });
    expect((await send(server, `${path}/${good?.id}`)).body).toMatchObject({
      body: { groupName: 'ops' },
      responseBody: { groupId: expect.any(String) },
    });
  });

  test('omits long bodies', async () => {
    await using server = await startServer();
    const roles = Array.from({ length: 2000 }, (_, at) => `ROLE_NUMBER_${at}`);
    await send(server, '/security/iam/v1/groups', {
      method: 'POST',
      headers: asAdmin,
      body: { groupName: 'ops', roles },
    });
    const [item] = await listRequests(server);
    const { body } = await send(server, `${path}/${item?.id}`);
    expect(body).toMatchObject({ bodyState: 'too-long' });
    expect(body).not.toHaveProperty('body');
  });

  test('contains the body of a refused request, or why it does not', async () => {
    await using server = await startServer();
    const asStranger = basic('x', 'y');
    const json = { ...asStranger, 'Content-Type': 'application/json' };
    const stateOf = async (method: string, headers: Readonly<Record<string, string>>, body?: string) => {
      const at = '/security/iam/v1/groups';
      const response = await server.send({ method, path: at, headers: Object.entries(headers), body });
      expect(response.status).toBe(method === 'PUT' ? 405 : 401);
      const [item] = await listRequests(server);
      const { body: detail } = await send(server, `${path}/${item?.id}`);
      const { bodyState, body: shown } = detail as { bodyState: string; body?: unknown };
      return shown === undefined ? bodyState : [bodyState, shown];
    };
    expect(await stateOf('POST', json, '{"groupName":"ops","typo":1}')).toEqual([
      'read',
      { groupName: 'ops', '(not declared)': 1 },
    ]);
    expect(await stateOf('GET', asStranger)).toBe('none');
    expect(await stateOf('POST', json, '{"groupName')).toBe('not-json');
    expect(await stateOf('POST', { ...json, 'Content-Type': 'text/plain' }, 'ops')).toBe('not-json');
    expect(await stateOf('POST', json, JSON.stringify({ groupName: 'x'.repeat(9000) }))).toBe('too-long');
    expect(await stateOf('PUT', json, '{}')).toBe('not-read');
    await using strict = await startServer({ flags: { 'test-features': 'off' } });
    await send(strict, '/security/iam/v1/groups', { method: 'POST', headers: asStranger, body: { groupName: 'ops' } });
    const [item] = await listRequests(strict);
    expect((await send(strict, `${path}/${item?.id}`)).body).toMatchObject({ bodyState: 'not-read' });
  });

  test('is a command with variables for what it does not contain', async () => {
    await using server = await startServer();
    const client = await server.makeClient({ clientId: 'plain-client' });
    const curlOf = async (at: string, headers: Readonly<Record<string, string>>, method = 'GET', body?: unknown) => {
      const { headers: answered } = await send(server, at, { method, headers, body });
      const detail = (await send(server, `${path}/${answered['x-request-id']}`)).body as {
        curl: string;
        placeholders: readonly { variable: string; in: string; path: readonly string[] }[];
      };
      const listed = detail.placeholders.map(({ variable, in: part, path }) => [variable, part, ...path]);
      return [detail.curl.replaceAll(server.url, 'URL'), ...listed];
    };
    const groups = '/security/iam/v1/groups';
    const login = '/security/iam/v1/user-identities/login';
    expect(await curlOf(`${login}?clientId=${client.clientId}&q=a%26b`, basic('ann', 'p'), 'POST')).toEqual([
      `curl -X POST -u "$IAM_USERNAME":"$IAM_PASSWORD" 'URL${login}?clientId=plain-client&q='"$IAM_Q"`,
      ['IAM_USERNAME', 'header', 'Authorization'],
      ['IAM_PASSWORD', 'header', 'Authorization'],
      ['IAM_Q', 'query', 'q'],
    ]);
    const known = basic(client.clientId, client.clientSecret);
    expect(await curlOf(groups, known, 'POST', { groupName: "it's", extra: 1 })).toEqual([
      `curl -X POST -u plain-client:"$IAM_CLIENT_SECRET" -H 'Content-Type: application/json' --data-raw '{"groupName":"it'\\''s"}' URL${groups}`,
      ['IAM_CLIENT_SECRET', 'header', 'Authorization'],
    ]);
    const bearer = { Authorization: 'Bearer x', 'If-Match': '"1"' };
    expect(await curlOf(`${groups}/ops`, bearer, 'DELETE')).toEqual([
      `curl -X DELETE -H 'Authorization: Bearer '"$IAM_TOKEN" -H 'If-Match: "1"' URL${groups}/ops`,
      ['IAM_TOKEN', 'header', 'Authorization'],
    ]);
    const token = '/security/iam/v1/client-identities/connect/token';
    const body = 'grant_type=client_credentials&client_id=plain-client&client_secret=wrong';
    const form = ['Content-Type', 'application/x-www-form-urlencoded'] as const;
    await server.send({ method: 'POST', path: token, headers: [form], body });
    const [item] = await listRequests(server);
    expect((await send(server, `${path}/${item?.id}`)).body).toMatchObject({
      curl: `curl -X POST -H 'Content-Type: ${form[1]}' --data-urlencode grant_type=client_credentials --data-urlencode client_id=plain-client --data-urlencode client_secret="$IAM_CLIENT_SECRET" ${server.url}${token}`,
      placeholders: [{ variable: 'IAM_CLIENT_SECRET', in: 'body', path: ['client_secret'] }],
    });
  });

  test('finds requests by operation, caller, status and error, page by page', async () => {
    await using server = await startServer();
    const client = await server.makeClient();
    const user = await asUser(server, { userId: 'ann', roles: ['ADMIN'] });
    for (let at = 0; at < 5; at += 1) await send(server, '/security/iam/v1/groups', { headers: asAdmin });
    await send(server, '/security/iam/v1/groups', { headers: basic(client.clientId, client.clientSecret) });
    await user.call('groups.get', { params: { groupId: 'iam-administrators' } }).catch(() => undefined);
    await send(server, '/nothing');
    const counted = async (query: string) => (await listRequests(server, query)).length;
    expect(await counted('?operation=groups.list')).toBe(6);
    for (const target of [path, `${path}/wait`])
      expect(await send(server, `${target}?operation=groups.lists`)).toMatchObject({
        status: 400,
        body: [{ code: 'FIELD_VALUE', details: { field: 'operation' } }],
      });
    expect(await counted('?operation=groups.list&caller=test-admin')).toBe(5);
    expect(await counted(`?caller=${client.clientId}`)).toBe(1);
    expect(await counted('?caller=ann')).toBe(1);
    const [shown] = (await listRequests(server, `?caller=${client.clientId}`)) as readonly { callerName?: string }[];
    expect(await counted(`?caller=${shown?.callerName}`)).toBeGreaterThan(0);
    expect(await counted('?caller=NAME-of-ann')).toBe(1);
    expect(await listRequests(server, '?caller=name-of-ann')).toMatchObject([{ callerName: 'name-of-ann' }]);
    expect(await counted('?status=404')).toBe(1);
    expect(await counted('?status=4xx&operation=groups.list')).toBe(await counted(`?error=ROLE_MISSING`));
    expect(await counted('?status=5xx,403&operation=groups.list')).toBe(await counted(`?error=ROLE_MISSING`));
    expect(await counted('?error=PATH_UNKNOWN')).toBe(1);
    const { items, statuses } = await readAllPages(server, `${path}?limit=2&operation=groups.list`);
    expect([items.length, statuses]).toEqual([6, [206, 206, 200]]);
    expect(new Set(items.map((item) => (item as Item).id)).size).toBe(6);
  });

  test('is stable while pages are read', async () => {
    await using server = await startServer();
    for (let at = 0; at < 4; at += 1) await send(server, '/security/iam/v1/groups', { headers: asAdmin });
    const first = await send(server, `${path}?limit=2`);
    await send(server, '/security/iam/v1/groups', { headers: asAdmin });
    const [, next = ''] = /^<.*(\?.*)>/.exec(String(first.headers.link)) ?? [];
    const rest = await listRequests(server, next);
    const ids = [...(first.body as Item[]), ...rest].map(({ id }) => id);
    expect([ids.length, new Set(ids).size]).toEqual([4, 4]);
  });

  const shared = sharedServer();
  test.each(['600', 'abc', '4x', '', '40'])('rejects the status %j', async (status) => {
    const server = shared();
    expect(await send(server, `${path}?status=${status}`)).toMatchObject({ status: 400 });
  });

  test('contains neither requests to itself nor probes', async () => {
    await using server = await startServer();
    for (const at of ['/healthz', '/readyz', '/_iam/users', '/_iam/nothing', path, `${path}/x`, '/metrics'])
      await send(server, at);
    expect(await listRequests(server)).toEqual([]);
  });

  test('retains the configured number of entries and reports others as unknown', async () => {
    await using server = await startServer({ flags: { 'request-log-size': '2' } });
    const responses = [];
    for (let at = 0; at < 3; at += 1)
      responses.push(await send(server, '/security/iam/v1/groups', { headers: asAdmin }));
    expect(await listRequests(server)).toHaveLength(2);
    const statuses = await Promise.all(
      responses.map(async ({ headers }) => (await send(server, `${path}/${headers['x-request-id']}`)).status),
    );
    expect(statuses).toEqual([404, 200, 200]);
    expect(await send(server, `${path}/x`)).toMatchObject({ status: 404, body: [{ code: 'REQUEST_NOT_FOUND' }] });
  });

  test('is not available without the control plane', async () => {
    await using server = await startServer({ flags: { 'disable-control-plane': true } });
    expect(await send(server, '/security/iam/v1/groups', { headers: asAdmin })).toMatchObject({ status: 200 });
    expect(server.appContext.observability).toBeUndefined();
  });
});
