import { getEventListeners } from 'node:events';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { ClientError, createClient, InputError, NetworkError } from '../../src/client/index.ts';
import { errorResponse, type FakeHandler, startFakeServer, tokenResponse } from './fake-server.ts';

const pair = { clientId: 'kit-admin', clientSecret: 'pässword:1' };
const group = { groupId: 'g1', groupName: 'ops', roles: ['DEPLOY'], dependencies: [] };

/** Logs in with token-1, token-2, ...; all other requests are passed to `respond`. */
function afterLogin(respond: FakeHandler): FakeHandler {
  let logins = 0;
  return (request) =>
    request.path.endsWith('/client-identities/login') ? tokenResponse(`token-${++logins}`) : respond(request);
}

describe('a request of an operation', () => {
  test('fills the path, sends the body and returns the parsed response', async () => {
    await using server = await startFakeServer(() => ({ status: 201, json: {} }));
    const client = createClient({ baseUrl: server.url, credentials: { token: 'secret-token' } });
    await expect(
      client.groups.addRole({ params: { groupId: 'ops & dev' }, body: { roleName: 'DEPLOY' } }),
    ).resolves.toEqual({});
    await client.close();
    expect(server.received).toMatchObject([
      {
        method: 'POST',
        path: '/security/iam/v1/groups/ops%20%26%20dev/role',
        body: '{"roleName":"DEPLOY"}',
        headers: { authorization: 'Bearer secret-token', 'content-type': 'application/json' },
      },
    ]);
  });

  test('adds no listener to its signal, which many requests can share', async () => {
    const { signal } = new AbortController();
    const counts: number[] = [];
    await using server = await startFakeServer(() => {
      counts.push(getEventListeners(signal, 'abort').length);
      return { status: 204 };
    });
    const client = createClient({ baseUrl: server.url });
    await client.groups.remove({ params: { groupId: 'ops' }, signal });
    await client.close();
    expect(counts).toEqual([0]);
  });

  test('resolves to undefined for a response without a body', async () => {
    await using server = await startFakeServer(() => ({ status: 204 }));
    const client = createClient({ baseUrl: server.url });
    await expect(client.groups.remove({ params: { groupId: 'ops' } })).resolves.toBeUndefined();
    await client.close();
  });

  test('sends If-Match if a tag is passed', async () => {
    await using server = await startFakeServer(() => ({ status: 204 }));
    const client = createClient({ baseUrl: server.url });
    await client.groups.update({ params: { groupId: 'ops' }, body: { groupName: 'ops' }, ifMatch: '"v1"' });
    await client.close();
    expect(server.received[0]?.headers['if-match']).toBe('"v1"');
  });

  test('returns a page with the cursor of the next one, and iterates over all pages', async () => {
    await using server = await startFakeServer(({ path }) =>
      path.includes('after=c1')
        ? { json: [{ ...group, groupId: 'g2' }] }
        : { status: 206, json: [group], headers: { link: '</security/iam/v1/groups?limit=1&after=c1>; rel="next"' } },
    );
    const client = createClient({ baseUrl: server.url });
    await expect(client.groups.list({ query: { limit: 1 } })).resolves.toEqual({ items: [group], next: 'c1' });
    const all: unknown[] = [];
    for await (const item of client.items('groups.list', { query: { limit: 1 } })) all.push(item);
    await client.close();
    expect(all).toHaveLength(2);
    expect(server.received.at(-1)?.path).toBe('/security/iam/v1/groups?limit=1&after=c1');
  });

  test('by id returns status, headers and request id', async () => {
    await using server = await startFakeServer(() => ({ json: group, headers: { etag: '"v7"' } }));
    const client = createClient({ baseUrl: server.url });
    const response = await client.call('groups.get', { params: { groupId: 'ops' } });
    await client.close();
    expect(response).toMatchObject({ status: 200, headers: { etag: '"v7"' }, body: group, requestId: 'request-1' });
  });

  test.each(['.', '..', ''])('sends nothing for %j in a path', async (groupId) => {
    await using server = await startFakeServer(() => ({}));
    const client = createClient({ baseUrl: server.url });
    await expect(client.groups.get({ params: { groupId } })).rejects.toThrow(InputError);
    expect(server.received).toEqual([]);
  });

  test.each([
    [{ path: { groupId: 'ops' } }, 'groups.get has no input path; allowed: params, query, body, '],
    [{ query: {} }, 'groups.get requires the path parameter groupId: params: { groupId: ... }.'],
  ])('says how input is passed: %j', async (input, message) => {
    const client = createClient({ baseUrl: 'http://127.0.0.1:1' });
    await expect(client.groups.get(input as never)).rejects.toThrow(message);
  });

  test('has a method for each operation, with the types of its declaration', async () => {
    const client = createClient({ baseUrl: 'http://127.0.0.1:1' });
    expectTypeOf(client.groups.get).parameter(0).toHaveProperty('params');
    expectTypeOf(client.groups.get).returns.resolves.toHaveProperty('groupName').toEqualTypeOf<string>();
    expectTypeOf(client.groups.list).returns.resolves.toHaveProperty('next').toEqualTypeOf<string | undefined>();
    expectTypeOf(client.groups.remove).returns.resolves.toEqualTypeOf<undefined>();
    expectTypeOf(client.groups.addRole).parameter(0).toHaveProperty('body').toEqualTypeOf<{ roleName: string }>();
    // @ts-expect-error groupId is required
    await expect(client.groups.get({})).rejects.toThrow(InputError);
  });
});

describe('the base URL', () => {
  test.each(['', '/', '/iam', '/iam/', '/iam/security/iam/v1', '/iam/security/iam/v1/'])(
    'may end with %j',
    async (end) => {
      await using server = await startFakeServer(() => ({ json: { keys: [] } }));
      const client = createClient({ baseUrl: server.url + end });
      await client.keys.get();
      await client.close();
      expect(server.received[0]?.path).toBe(`${end.startsWith('/iam') ? '/iam' : ''}/security/iam/v1/keys`);
    },
  );

  test.each(['localhost:8080', 'ftp://x', '', 'http://user:secret@host'])('is rejected as %j', (baseUrl) => {
    expect(() => createClient({ baseUrl })).toThrow(InputError);
  });

  test('is the only origin that receives the token', async () => {
    await using server = await startFakeServer(() => ({
      status: 307,
      headers: { location: 'http://elsewhere.invalid/' },
    }));
    const client = createClient({ baseUrl: server.url, credentials: { token: 'secret' } });
    await expect(client.raw('GET', 'http://elsewhere.invalid/groups')).rejects.toThrow(InputError);
    await expect(client.raw('GET', '//elsewhere.invalid/groups')).resolves.toMatchObject({ status: 307 });
    await client.close();
    expect(server.received).toMatchObject([{ path: '//elsewhere.invalid/groups' }]);
  });
});

describe('credentials', () => {
  test('log in once for concurrent requests', async () => {
    await using server = await startFakeServer(afterLogin(() => ({ json: group })));
    const client = createClient({ baseUrl: server.url, credentials: pair });
    await Promise.all([
      client.call('groups.get', { params: { groupId: 'a' } }),
      client.call('groups.get', { params: { groupId: 'b' } }),
    ]);
    await client.close();
    const [login, ...requests] = server.received;
    expect(login).toMatchObject({ path: '/security/iam/v1/client-identities/login', body: '' });
    expect(login?.headers.authorization).toBe(`Basic ${Buffer.from('kit-admin:pässword:1').toString('base64')}`);
    expect(requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer token-1', 'Bearer token-1']);
  });

  test('log in again once if the token is rejected', async () => {
    await using server = await startFakeServer(
      afterLogin(({ headers }) =>
        headers.authorization === 'Bearer token-2' ? { json: group } : errorResponse(401, 'TOKEN_INVALID'),
      ),
    );
    const client = createClient({ baseUrl: server.url, credentials: pair });
    await expect(client.groups.get({ params: { groupId: 'ops' } })).resolves.toEqual(group);
    await client.close();
    expect(server.received).toHaveLength(4);
  });

  test('fail after one new login', async () => {
    await using server = await startFakeServer(afterLogin(() => errorResponse(401, 'TOKEN_INVALID')));
    const client = createClient({ baseUrl: server.url, credentials: pair });
    await expect(client.groups.get({ params: { groupId: 'ops' } })).rejects.toMatchObject({ code: 'TOKEN_INVALID' });
    await client.close();
    expect(server.received).toHaveLength(4);
  });

  test('do not log in again for a missing role', async () => {
    await using server = await startFakeServer(afterLogin(() => errorResponse(401, 'ROLE_MISSING')));
    const client = createClient({ baseUrl: server.url, credentials: pair });
    await expect(client.groups.get({ params: { groupId: 'ops' } })).rejects.toMatchObject({ code: 'ROLE_MISSING' });
    await client.close();
    expect(server.received).toHaveLength(2);
  });

  test('that are rejected fail the request, and the next request logs in again', async () => {
    let logins = 0;
    await using server = await startFakeServer(({ path }) => {
      if (!path.endsWith('/login')) return { json: group };
      return ++logins === 1 ? errorResponse(401, 'CREDENTIALS_INVALID') : tokenResponse('token');
    });
    const client = createClient({ baseUrl: server.url, credentials: pair });
    await expect(client.groups.get({ params: { groupId: 'ops' } })).rejects.toMatchObject({
      code: 'CREDENTIALS_INVALID',
    });
    await expect(client.groups.get({ params: { groupId: 'ops' } })).resolves.toEqual(group);
    await client.close();
  });

  test('as an API key or a Basic pair are sent with every request', async () => {
    await using server = await startFakeServer(() => ({ json: group }));
    const byKey = createClient({ baseUrl: server.url, credentials: { apiKey: 'key' } });
    const byBasic = createClient({ baseUrl: server.url, credentials: { basic: { clientId: 'a', clientSecret: 'b' } } });
    await byKey.groups.get({ params: { groupId: 'ops' } });
    await byBasic.groups.get({ params: { groupId: 'ops' } });
    await Promise.all([byKey.close(), byBasic.close()]);
    expect(server.received[0]?.headers).toMatchObject({ 'x-api-key': 'key' });
    expect(server.received[1]?.headers.authorization).toBe(`Basic ${Buffer.from('a:b').toString('base64')}`);
  });

  test('are not sent with public operations and anonymous requests', async () => {
    await using server = await startFakeServer(() => ({ json: { keys: [] } }));
    const client = createClient({ baseUrl: server.url, credentials: { token: 'secret' } });
    await client.keys.get();
    await client.raw('GET', '/security/iam/v1/groups', { anonymous: true });
    await client.close();
    expect(server.received.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined]);
  });

  test('are sent as Basic by the login operation', async () => {
    await using server = await startFakeServer(afterLogin(() => ({})));
    const client = createClient({ baseUrl: server.url, credentials: pair });
    await expect(client.clientIdentities.login()).resolves.toMatchObject({ accessToken: 'token-1' });
    await client.close();
    expect(server.received[0]?.headers.authorization).toMatch(/^Basic /);
  });
});

describe('a failure', () => {
  const get = (baseUrl: string, total = 60_000) => {
    const client = createClient({ baseUrl, timeouts: { total } });
    return client.groups.get({ params: { groupId: 'ops' } }).finally(() => client.close());
  };

  test('has status, code, items, request id and retry delay', async () => {
    const items = [
      { code: 'TOO_MANY_ATTEMPTS', message: 'Wait.' },
      { code: 'OTHER', message: 'And more.' },
    ];
    await using server = await startFakeServer(() => ({ status: 429, json: items, headers: { 'retry-after': '30' } }));
    const error = await get(server.url).catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(ClientError);
    expect(error).toMatchObject({
      status: 429,
      code: 'TOO_MANY_ATTEMPTS',
      items,
      requestId: 'request-1',
      retryAfter: 30,
      message: 'Wait.',
    });
  });

  test('is an error array, also with status 200', async () => {
    await using server = await startFakeServer(() => errorResponse(200, 'GROUP_NAME_TAKEN'));
    await expect(get(server.url)).rejects.toMatchObject({ status: 200, code: 'GROUP_NAME_TAKEN' });
  });

  test('without an error array has a code with its status', async () => {
    await using server = await startFakeServer(() => ({ status: 502, text: '<html>unavailable</html>' }));
    await expect(get(server.url)).rejects.toMatchObject({ status: 502, code: 'HTTP_502', items: [] });
  });

  test.each([
    ['a broken connection', { hangUp: true }, undefined, /was lost/],
    ['a missing response', { silent: true }, 200, /within 0.2 s/],
  ])('is a network error for %s', async (_, reply, total, message) => {
    await using server = await startFakeServer(() => reply);
    const error = await get(server.url, total).catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(NetworkError);
    expect((error as Error).message).toMatch(message);
  });

  test('is a network error for a refused connection', async () => {
    const server = await startFakeServer(() => ({}));
    await server[Symbol.asyncDispose]();
    await expect(get(server.url)).rejects.toMatchObject({ name: 'NetworkError', code: 'ECONNREFUSED' });
  });

  test('is returned unchanged by a raw request', async () => {
    await using server = await startFakeServer(() => errorResponse(404, 'PATH_UNKNOWN'));
    const client = createClient({ baseUrl: server.url });
    await expect(client.raw('get', '/nothing', { query: { a: 1 } })).resolves.toMatchObject({
      status: 404,
      requestId: 'request-1',
    });
    await client.close();
    expect(server.received[0]).toMatchObject({ method: 'GET', path: '/nothing?a=1' });
  });
});
