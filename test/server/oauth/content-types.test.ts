/** The OAuth endpoints accept forms and JSON with the same parameters, and reject other content types as documented. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestServer } from '../../harness.ts';
import { credentials, introspectPath, postBody, revokePath, startOAuth, tokenPath } from './oauth-requests.ts';

const secret = { client_id: 'web', client_secret: 'secret-of-the-web-client' };
const endpoints = [
  [tokenPath, { grant_type: 'client_credentials' }],
  [revokePath, { token: 'unknown' }],
  [introspectPath, { token: 'unknown' }],
] as const;

interface Documented {
  readonly paths: Readonly<
    Record<
      string,
      {
        readonly post: {
          readonly requestBody: { readonly content: object };
          readonly responses: Readonly<Record<string, unknown>>;
        };
      }
    >
  >;
}

describe.each(endpoints)('%s', (path, fields) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startOAuth();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const post = (type: string, body: string, more = {}) =>
    postBody(server, path, body, { 'content-type': type, ...more });
  const form = new URLSearchParams({ ...fields, ...secret }).toString();
  const json = JSON.stringify({ ...fields, ...secret });

  test.each([
    ['application/x-www-form-urlencoded', form],
    ['application/x-www-form-urlencoded; charset=UTF-8', form],
    ['Application/X-WWW-Form-Urlencoded', form],
    ['application/json', json],
    ['application/json; charset=utf-8', json],
  ])('accepts %s', async (type, body) => {
    expect(await post(type, body)).toMatchObject({ status: 200 });
  });

  test('accepts JSON with Basic credentials, and ignores unknown members', async () => {
    const body = JSON.stringify({ ...fields, client_secret: '', audience: ['x'], more: { deep: 1 } });
    expect(await post('application/json', body, { authorization: credentials.web })).toMatchObject({ status: 200 });
  });

  test.each([
    'text/plain',
    'multipart/form-data; boundary=x',
    'application/xml',
    'application/json; charset=latin1',
    'x/y',
  ])('rejects %j with 415 and the documented body', async (type) => {
    const response = await post(type, form);
    expect(response.status).toBe(415);
    expect(response.json).toEqual({ error: 'invalid_request', error_description: expect.any(String) });
    const { paths } = (await (await fetch(`${server.url}/openapi.json`)).json()) as Documented;
    const { requestBody, responses } = paths[path.replace('/security/iam/v1', '')]?.post ?? {};
    expect(Object.keys(requestBody?.content ?? {})).toEqual(['application/x-www-form-urlencoded', 'application/json']);
    expect(responses?.['415']).toMatchObject({
      content: { 'application/json': { schema: { $ref: '#/components/schemas/OAuthError' } } },
    });
  });

  test.each([
    ['[]', 400],
    ['null', 400],
    ['"grant_type=client_credentials"', 400],
    ['{', 400],
    ['', 400],
    [JSON.stringify({ ...fields, ...secret, client_id: 7 }), 400],
    [JSON.stringify({ ...fields, ...secret, client_secret: ['secret-of-the-web-client'] }), 400],
    [JSON.stringify({ ...fields, ...secret, more: 'x'.repeat(1_000_001) }), 413],
  ])('rejects the JSON body %.40s', async (body, status) => {
    const response = await post('application/json', body);
    expect(response).toMatchObject({ status, json: { error: 'invalid_request' } });
  });

  test.each(['%FF', '%E9%E8', '%C3%28', '%ED%A0%80', '100%', '%u00e9'])(
    'rejects the value %s of a form',
    async (value) => {
      const type = 'application/x-www-form-urlencoded';
      for (const name of ['client_secret', 'scope', 'm%C3%B6re']) {
        const response = await post(type, `${new URLSearchParams({ ...fields, client_id: 'web' })}&${name}=${value}`);
        expect(response).toMatchObject({ status: 400, json: { error: 'invalid_request' } });
        expect(response.json.error_description).toBe(
          `${name === 'm%C3%B6re' ? 'm?re' : name} is not valid percent-encoding of UTF-8.`,
        );
      }
      expect(await post(type, `${value}=a`)).toMatchObject({ status: 400, json: { error: 'invalid_request' } });
    },
  );

  test('rejects a compressed body', async () => {
    const response = await post('application/json', json, { 'content-encoding': 'gzip' });
    expect(response).toMatchObject({ status: 415, json: { error: 'invalid_request' } });
  });

  test('responds to a preflight of a loopback origin, and not to others', async () => {
    const preflight = async (origin: string) => {
      const headers = { origin, 'access-control-request-method': 'POST' };
      const response = await fetch(`${server.url}${path}`, { method: 'OPTIONS', headers });
      return [response.status, response.headers.get('access-control-allow-origin')];
    };
    expect(await preflight('http://localhost:5173')).toEqual([204, 'http://localhost:5173']);
    expect(await preflight('https://evil.example')).toEqual([204, null]);
  });
});

test('operations outside the service prefix have the base URL as server in the API document', async () => {
  await using server = await startOAuth();
  const { paths } = (await (await fetch(`${server.url}/openapi.json`)).json()) as Documented;
  for (const path of [revokePath, introspectPath])
    expect(paths[path]?.post).toMatchObject({ servers: [{ url: server.url }], tags: ['oauth2'] });
});

test.each(['authorize', 'login', 'device', 'logout'])(
  'a repeated field of a form to the page %s is 400',
  async (page) => {
    await using server = await startOAuth();
    const body = new URLSearchParams('unknown=a&unknown=b');
    const { status, headers } = await fetch(`${server.url}/oauth2/${page}`, { method: 'POST', body });
    expect([status, headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8']);
  },
);
