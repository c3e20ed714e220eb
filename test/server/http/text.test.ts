/** U+0000 and lone surrogates, which a store may not be able to contain, in every place of a request. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { servicePrefix } from '../../../src/contract/prefix.ts';
import { adminClient, appClientId, startServer, type TestServer } from '../../harness.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const asAdmin = { authorization: `Basic ${btoa(`${adminClient.clientId}:${adminClient.clientSecret}`)}` };

/** @param body sent as it is: JSON.stringify would write a lone surrogate as an sequence as well */
async function send(method: string, path: string, { body, headers = {} }: { body?: string; headers?: object } = {}) {
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const response = await fetch(server.url + path, { method, headers: { ...type, ...headers }, ...(body && { body }) });
  return { status: response.status, items: (await response.json()) as { code: string; details?: object }[] };
}

describe.each([
  ['U+0000', '\\u0000'],
  ['a lone high surrogate', '\\ud800'],
  ['a lone low surrogate', '\\uDFFF'],
])('%s in JSON', (_name, sequence) => {
  test('is 400, in a declared field', async () => {
    const body = `{"groupName":"ops","roles":["A${sequence}"]}`;
    const { status, items } = await send('POST', `${servicePrefix}/groups`, { body, headers: asAdmin });
    expect([status, items]).toEqual([
      400,
      [expect.objectContaining({ code: 'FIELD_TYPE', details: { field: 'roles[0]' } })],
    ]);
    const { items: groups } = await server.admin.groups.list();
    expect(groups.map(({ groupName }) => groupName)).not.toContain('ops');
  });

  test('is 400 without credentials, and in the name of a field', async () => {
    const path = `${servicePrefix}/user-identities/retrieve-identity?clientId=${appClientId}`;
    for (const body of [`{"userName":"a${sequence}"}`, `{"userName${sequence}":"a"}`])
      expect((await send('POST', path, { body })).status).toBe(400);
  });
});

test('a whole pair of surrogates is text', async () => {
  const { groupId } = await server.admin.groups.create({ body: { groupName: 'cats \u{1f408}', roles: ['CAT'] } });
  expect(await server.admin.groups.get({ params: { groupId } })).toMatchObject({ groupName: 'cats \u{1f408}' });
});

test('U+0000 in a path or a query parameter names nothing', async () => {
  expect((await send('GET', `${servicePrefix}/groups/a%00b`, { headers: asAdmin })).status).toBe(404);
  const path = `${servicePrefix}/user-identities/retrieve-identity?clientId=a%00b`;
  const { status, items } = await send('POST', path, { body: '{"userName":"ada"}' });
  expect([status, items[0]?.code]).toEqual([401, 'CREDENTIALS_INVALID']);
});

test('U+0000 in Basic credentials is malformed', async () => {
  for (const pair of ['a\0b:secret', 'a:sec\0ret']) {
    const headers = { authorization: `Basic ${btoa(pair)}` };
    const client = await send('POST', `${servicePrefix}/client-identities/login`, { headers });
    const user = await send('POST', `${servicePrefix}/user-identities/login?clientId=${appClientId}`, {
      body: '{}',
      headers,
    });
    expect([client.status, user.status]).toEqual([401, 401]);
  }
});

test('U+0000 in a form is rejected', async () => {
  const response = await fetch(`${server.url}/oauth2/introspect`, {
    method: 'POST',
    body: new URLSearchParams({ token: 'a\0b', client_id: 'a', client_secret: 'c' }),
  });
  expect([response.status, await response.json()]).toEqual([
    400,
    expect.objectContaining({ error: 'invalid_request' }),
  ]);
});
