import { describe, expect, test } from 'vitest';
import { startServer, type TestServer } from '../../harness.ts';
import { iam } from '../run-cli.ts';

function at(server: TestServer, seconds = 0) {
  return { url: server.url, now: () => server.clock.now().getTime() + seconds * 1000 };
}

async function adminToken(server: TestServer): Promise<string> {
  const variables = { IAM_CLIENT_ID: adminId(server), IAM_CLIENT_SECRET: adminSecret(server) };
  const { out, code } = await iam(['token', 'generate'], { ...at(server), variables });
  expect(code).toBe(0);
  return out;
}

const adminId = ({ appContext: fixture }: TestServer) => fixture.settings.adminClientId ?? '';
const adminSecret = ({ appContext: fixture }: TestServer) => fixture.settings.adminClientSecret ?? '';

describe('token generate', () => {
  test('prints only the token, which the server accepts', async () => {
    await using server = await startServer();
    const token = await adminToken(server);
    expect(token).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
    await expect(server.as({ token: token.trim() }).groups.list()).resolves.toBeDefined();
  });

  test('reports that an API key has no token', async () => {
    await using server = await startServer();
    const { code, out, err } = await iam(['token', 'generate'], { ...at(server), variables: { IAM_API_KEY: 'key' } });
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain('An API key has no access token');
  });
});

describe('token inspect --verify', () => {
  const verify = (server: TestServer, token: string, seconds = 0) =>
    iam(['token', 'inspect', '--verify', '-f', '-', '-o', 'json'], {
      ...at(server, seconds),
      stdin: token,
      variables: {},
    });

  test('accepts a token of the server, and prints its claims', async () => {
    await using server = await startServer();
    const { code, out } = await verify(server, await adminToken(server));
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ valid: true, iss: server.url, client_id: adminId(server) });
  });

  test('rejects an expired or altered token, or one of another server, with exit code 1 and no output', async () => {
    await using server = await startServer();
    await using other = await startServer();
    const token = (await adminToken(server)).trim();
    const [header = '', claims = '', signature = ''] = token.split('.');
    const altered = Buffer.from(Buffer.from(claims, 'base64url').toString().replace('"sub":"', '"sub":"x')).toString(
      'base64url',
    );
    const none = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url');
    for (const [text, seconds] of [
      [token, 3601],
      [[header, altered, signature].join('.'), 0],
      [[none, claims, ''].join('.'), 0],
      [await adminToken(other), 0],
    ] as const) {
      const { code, out, err } = await verify(server, text, seconds);
      expect({ code, out }).toEqual({ code: 1, out: '' });
      expect(err).toContain('TOKEN_INVALID');
    }
  });

  test('reports text that is not a token without a request', async () => {
    await using server = await startServer();
    expect((await verify(server, 'no token')).code).toBe(2);
  });
});
