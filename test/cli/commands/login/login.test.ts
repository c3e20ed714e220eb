import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { getSessionPath } from '../../../../src/cli/auth/session-file.ts';
import {
  errorResponse,
  type FakeServer,
  type ReceivedRequest,
  startFakeServer,
  tokenResponse,
} from '../../../client/fake-server.ts';
import { Home, test } from '../../run-cli.ts';

const start = 1_800_000_000_000;
const minute = 60_000;
const get = ['groups', 'get', 'ops'];

/** Issues `access-1`, `refresh-1` and so on; accepts only the latest of each. */
function loginServer(): Promise<FakeServer> {
  let issued = 0;
  const grant = () => {
    issued += 1;
    const token = { accessToken: `access-${issued}`, refreshToken: `refresh-${issued}`, expiresIn: '600' };
    return { status: 201, json: { ...token, tokenType: 'Bearer', scope: [] } };
  };
  return startFakeServer(({ path: target, headers, body }) => {
    if (target.includes('/user-identities/login'))
      return headers.authorization === basic('alice', 'right') ? grant() : errorResponse(401, 'CREDENTIALS_INVALID');
    if (target.endsWith('/generate-token'))
      return body.includes(`"refresh-${issued}"`) ? grant() : errorResponse(401, 'CREDENTIALS_INVALID');
    if (target.endsWith('/client-identities/login'))
      return headers.authorization === basic('bot', 'secret')
        ? tokenResponse('bot-token')
        : errorResponse(401, 'CREDENTIALS_INVALID');
    if (target === '/_iam/revoke') return { json: {} };
    const isGood = [`Bearer access-${issued}`, 'Bearer bot-token'].includes(String(headers.authorization));
    return isGood ? { json: { groupId: 'g' } } : errorResponse(401, 'TOKEN_INVALID');
  });
}

const basic = (name: string, secret: string) => `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`;
const asAlice = (url: string) => [
  'login',
  '--base-url',
  url,
  '--user',
  'alice',
  '--client-id',
  'app',
  '--password-stdin',
];
const sent = ({ received }: FakeServer, part: string): ReceivedRequest[] =>
  received.filter(({ path: target }) => target.includes(part));

describe('a user who logs in', () => {
  test('stays signed in for later commands, and no secret is printed', async ({ home }) => {
    await using server = await loginServer();
    const outcome = await home.iam(asAlice(server.url), { stdin: 'right\n' });
    expect(outcome).toEqual({ code: 0, out: '', err: `Signed in to ${server.url} as alice.\n` });
    expect(sent(server, '/login')[0]?.path).toContain('clientId=app&remember-me=true');
    expect((await home.iam(get)).code).toBe(0);
    expect(server.received.at(-1)?.headers.authorization).toBe('Bearer access-1');
    expect(server.received).toHaveLength(2);
  });

  test('stores tokens in a private file and no password', async ({ home }) => {
    await using server = await loginServer();
    await home.iam(asAlice(server.url), { stdin: 'right' });
    const file = getSessionPath('default', home.variables);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(path.dirname(file))).mode & 0o777).toBe(0o700);
    const all = await readdir(home.folder, { recursive: true, withFileTypes: true });
    for (const entry of all.filter((one) => one.isFile()))
      expect(await readFile(path.join(entry.parentPath, entry.name), 'utf8')).not.toContain('right');
  });

  test('with a wrong password is rejected and keeps the earlier session', async ({ home }) => {
    await using server = await loginServer();
    await home.iam(asAlice(server.url), { stdin: 'right' });
    expect((await home.iam(asAlice(server.url), { stdin: 'wrong' })).code).toBe(4);
    expect((await home.iam(get)).code).toBe(0);
  });

  test('stays signed in after the token expires', async ({ home }) => {
    await using server = await loginServer();
    await home.iam(asAlice(server.url), { stdin: 'right' });
    const later = { now: () => start + 11 * minute };
    expect([(await home.iam(get, later)).code, (await home.iam(get, later)).code]).toEqual([0, 0]);
    expect(sent(server, '/generate-token').map(({ body }) => JSON.parse(body) as unknown)).toEqual([
      { grantType: 'refresh_token', clientId: 'app', refreshToken: 'refresh-1' },
    ]);
    expect(sent(server, '/groups').map(({ headers }) => headers.authorization)).toEqual([
      'Bearer access-2',
      'Bearer access-2',
    ]);
  });

  test('gets a missing-role error, not a sign-in error, if the session cannot be refreshed', async ({ home }) => {
    await using server = await startFakeServer(({ path: target }) => {
      if (target.includes('/user-identities/login'))
        return { json: { accessToken: 'a', refreshToken: 'r', expiresIn: '600', tokenType: 'Bearer', scope: [] } };
      return target.endsWith('/generate-token')
        ? errorResponse(401, 'CREDENTIALS_INVALID')
        : errorResponse(403, 'ROLE_MISSING');
    });
    await home.iam(asAlice(server.url), { stdin: 'right' });
    const outcome = await home.iam(get);
    expect(outcome).toMatchObject({ code: 5, out: '', err: expect.stringContaining('ROLE_MISSING (403)') });
    expect(sent(server, '/generate-token')).toHaveLength(1);
  });

  test('refreshes once for concurrent commands with an expired token', async ({ home }) => {
    await using server = await loginServer();
    await home.iam(asAlice(server.url), { stdin: 'right' });
    const later = { now: () => start + 11 * minute };
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => home.iam(get, later)));
    expect(outcomes.map(({ code }) => code)).toEqual(outcomes.map(() => 0));
    expect(sent(server, '/generate-token')).toHaveLength(1);
  });

  test('gets a hint to log in again if the session has expired', async ({ home }) => {
    await using server = await loginServer();
    await home.iam(asAlice(server.url), { stdin: 'right' });
    const file = getSessionPath('default', home.variables);
    await writeFile(file, (await readFile(file, 'utf8')).replace('refresh-1', 'refresh-0'));
    const outcome = await home.iam(get, { now: () => start + 11 * minute });
    expect(outcome.code).toBe(4);
    expect(outcome.err).toContain('iam login --user alice');
  });

  test('with a rejected token obtains another one with the refresh token', async ({ home }) => {
    await using server = await loginServer();
    await home.iam(asAlice(server.url), { stdin: 'right' });
    const file = getSessionPath('default', home.variables);
    await writeFile(file, (await readFile(file, 'utf8')).replace('access-1', 'access-0'));
    expect((await home.iam(get)).code).toBe(0);
    expect(sent(server, '/generate-token')).toHaveLength(1);
  });

  test('is printed by whoami, without the token', async ({ home }) => {
    const claims = { sub: 'u1', user_id: 'u1', client_id: 'app', authorities: ['ROLE_AUTH-BASIC'], exp: 1_800_000_600 };
    const jwt = `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.s`;
    await using server = await startFakeServer(({ method }) => (method === 'GET' ? { json: [] } : tokenResponse(jwt)));
    await home.iam(asAlice(server.url), { stdin: 'right' });
    const { out } = await home.iam(['whoami', '-o', 'json']);
    expect(JSON.parse(out)).toMatchObject({
      userName: 'alice',
      userId: 'u1',
      profile: 'default',
      signedInBy: 'session',
    });
    expect(out).not.toContain(jwt);
    expect((await home.iam(['profile', 'list', '-o', 'json'])).out).toContain('"userName": "alice"');
  });

  test('is no longer printed by whoami after the server rejects the token', async ({ home }) => {
    await using server = await loginServer();
    await home.iam(asAlice(server.url), { stdin: 'right' });
    const file = getSessionPath('default', home.variables);
    await writeFile(
      file,
      (await readFile(file, 'utf8')).replace('access-1', 'access-0').replace('refresh-1', 'unknown'),
    );
    const ended = { code: 4, out: '', err: expect.stringContaining('`iam login --user alice`') };
    expect(await home.iam(['whoami'])).toMatchObject(ended);
  });

  test.each([
    ['', true],
    ['/', true],
    ['/s/checkout', false],
  ])('uses the session at %j after its base URL: %s', async (below, isUsed) => {
    await using home = await Home.make();
    await using server = await loginServer();
    await home.iam(asAlice(server.url), { stdin: 'right' });
    const other = `${server.url}${below}`;
    const outcome = await home.iam([...get, '--base-url', other]);
    const again = await home.iam(asAlice(other), { stdin: 'right' });
    expect([outcome.code, again.code]).toEqual(isUsed ? [0, 0] : [4, 4]);
    for (const { err } of isUsed ? [] : [outcome, again]) {
      expect(err).toContain(`for ${server.url}, not for ${other} (--base-url); none were sent.`);
      expect(err).toContain(
        `\`iam profile add NAME --base-url ${other}\`, and sign in with \`iam login --profile NAME\``,
      );
    }
    expect((await home.iam(get)).code).toBe(0);
  });

  test('signs in again after the base URL of the profile changes', async ({ home }) => {
    await using server = await loginServer();
    await home.iam(asAlice(server.url), { stdin: 'right' });
    await home.iam(['config', 'set', 'base-url', `${server.url}/s/checkout`]);
    const outcome = await home.iam(get);
    expect(outcome).toMatchObject({ code: 4, err: expect.stringContaining('`iam login --user alice`') });
    expect(outcome.err).toContain(`The session of alice is for ${server.url}, not for ${server.url}/s/checkout;`);
    expect((await home.iam(asAlice(server.url), { stdin: 'right' })).code).toBe(4);
    expect((await home.iam(['login', '--user', 'alice', '--password-stdin'], { stdin: 'right' })).code).toBe(0);
    expect((await home.iam(get)).code).toBe(0);
  });

  test('replaces no profile of another server that is not selected', async ({ home }) => {
    await using server = await loginServer();
    await home.iam(['profile', 'add', 'other', '--base-url', server.url]);
    await home.iam(['profile', 'add', 'default', '--base-url', 'http://127.0.0.1:9', '--max-changes', '1']);
    await home.iam(['profile', 'remove', 'other', '--yes']);
    expect((await home.iam(asAlice(server.url), { stdin: 'right' })).code).toBe(4);
    expect((await home.iam(['profile', 'show', 'default', '-o', 'json'])).out).toContain('"maxChanges": 1');
  });

  test('sends its tokens to no other server', async ({ home }) => {
    await using server = await loginServer();
    await using other = await startFakeServer(() => ({ json: {} }));
    await home.iam(asAlice(server.url), { stdin: 'right' });
    expect((await home.iam([...get, '--base-url', other.url])).code).toBe(4);
    expect(other.received).toEqual([]);
  });
});

describe('a client that logs in', () => {
  const asBot = (url: string) => ['login', '--base-url', url, '--client-id', 'bot', '--secret-stdin'];

  test('is signed in until its token expires', async ({ home }) => {
    await using server = await loginServer();
    expect((await home.iam(asBot(server.url), { stdin: 'secret\n' })).code).toBe(0);
    expect((await home.iam(get)).code).toBe(0);
    const outcome = await home.iam(get, { now: () => start + 61 * minute });
    expect(outcome).toMatchObject({ code: 4, err: expect.stringContaining('`iam login`') });
  });

  test('with a secret in the profile signs in again with it', async ({ home }) => {
    await using server = await loginServer();
    const add = ['profile', 'add', 'p', '--base-url', server.url, '--client-id', 'bot', '--secret-file', '-'];
    await home.iam(add, { stdin: 'secret' });
    expect((await home.iam(['login'])).code).toBe(0);
    expect((await home.iam(get, { now: () => start + 61 * minute })).code).toBe(0);
  });

  test('uses the secret of the environment if it belongs to the client', async ({ home }) => {
    await using server = await loginServer();
    const words = ['login', '--base-url', server.url];
    const variables = { IAM_CLIENT_ID: 'bot', IAM_CLIENT_SECRET: 'secret' };
    expect((await home.iam(words, { variables })).code).toBe(0);
    expect((await home.iam([...words, '--client-id', 'other'], { variables })).code).toBe(10);
  });
});

describe('logging out', () => {
  test('deletes the session, and the profile signs in as before', async ({ home }) => {
    await using server = await loginServer();
    const add = ['profile', 'add', 'p', '--base-url', server.url, '--client-id', 'bot', '--secret-file', '-'];
    await home.iam(add, { stdin: 'secret' });
    await home.iam(['login', '--user', 'alice', '--client-id', 'app', '--password-stdin'], { stdin: 'right' });
    expect((await home.iam(get)).code).toBe(0);
    expect((await home.iam(['logout'])).err).toContain('Signed out alice.');
    expect(await readdir(path.dirname(getSessionPath('p', home.variables)))).toEqual([]);
    await home.iam(get);
    expect(sent(server, '/groups').map(({ headers }) => headers.authorization)).toEqual([
      'Bearer access-1',
      'Bearer bot-token',
    ]);
  });

  test('revokes both tokens on the server without other credentials', async ({ home }) => {
    await using server = await loginServer();
    await home.iam(asAlice(server.url), { stdin: 'right' });
    expect(await home.iam(['logout'])).toEqual({ code: 0, out: '', err: 'Signed out alice.\n' });
    const revocations = sent(server, '/_iam/revoke');
    expect(revocations.map(({ method, body }) => [method, JSON.parse(body) as unknown])).toEqual([
      ['POST', { token: 'refresh-1' }],
      ['POST', { token: 'access-1' }],
    ]);
    for (const { headers } of revocations) expect(headers).not.toHaveProperty('authorization');
    expect((await home.iam(get)).code).toBe(4);
  });

  test('revokes the cached token of a client', async ({ home }) => {
    await using server = await loginServer();
    await home.iam(['profile', 'add', 'p', '--base-url', server.url, '--client-id', 'bot', '--secret-file', '-'], {
      stdin: 'secret',
    });
    await home.iam(get);
    expect((await home.iam(['logout'])).code).toBe(0);
    expect(sent(server, '/_iam/revoke').map(({ body }) => JSON.parse(body) as unknown)).toEqual([
      { token: 'bot-token' },
    ]);
  });

  test('deletes the tokens if the server is unreachable, with a warning', async ({ home }) => {
    const server = await loginServer();
    await home.iam(asAlice(server.url), { stdin: 'right' });
    await server[Symbol.asyncDispose]();
    const outcome = await home.iam(['logout']);
    expect(outcome).toMatchObject({ code: 0, out: '' });
    expect(outcome.err).toBe(
      `warning: Could not revoke the tokens at ${server.url}; they stay valid until they expire.\nSigned out alice.\n`,
    );
    expect(await readdir(path.dirname(getSessionPath('default', home.variables)))).toEqual([]);
  });

  test('sends the tokens only to their own server', async ({ home }) => {
    await using server = await loginServer();
    await using other = await loginServer();
    await home.iam(asAlice(server.url), { stdin: 'right' });
    const outcome = await home.iam(['logout'], { variables: { IAM_BASE_URL: other.url } });
    expect(outcome).toMatchObject({ code: 0, err: expect.stringContaining('Could not revoke') });
    expect(other.received).toEqual([]);
    expect(await readdir(path.dirname(getSessionPath('default', home.variables)))).toEqual([]);
  });

  test('without a session succeeds', async ({ home }) => {
    expect(await home.iam(['logout'])).toEqual({ code: 0, out: '', err: 'Not signed in.\n' });
  });
});

describe('a user in the environment', () => {
  const alice = { IAM_USERNAME: 'alice', IAM_PASSWORD: 'right', IAM_CLIENT_ID: 'app' };

  test('is signed in for one command, and nothing is stored', async ({ home }) => {
    await using server = await loginServer();
    const variables = { ...alice, IAM_BASE_URL: server.url };
    expect((await home.iam(get, { variables })).code).toBe(0);
    expect(sent(server, '/login')[0]?.path).not.toContain('remember-me');
    expect(await readdir(home.folder)).toEqual([]);
  });

  test.each([
    ['a command', () => get],
    ['a bulk run', (file: string) => ['bulk', 'run', file, '--operation', 'groups.create']],
  ])('logs in again in %s after a login that the server was too busy for', async (_, words) => {
    await using home = await Home.make();
    const busy = { ...errorResponse(503, 'TOO_BUSY'), headers: { 'retry-after': '0' } };
    const logins = [busy];
    await using server = await startFakeServer(({ path: target }) =>
      target.includes('/login') ? (logins.shift() ?? tokenResponse('t')) : { json: { groupId: 'g' } },
    );
    const variables = { ...alice, IAM_BASE_URL: server.url };
    await writeFile(home.file('rows.csv'), 'groupName\na\nb\n');
    expect((await home.iam(words(home.file('rows.csv')), { variables })).code).toBe(0);
    expect(sent(server, '/login')).toHaveLength(2);
  });

  test('requires a client for the login', async ({ home }) => {
    const outcome = await home.iam(get, { variables: { ...alice, IAM_CLIENT_ID: '' } });
    expect(outcome).toMatchObject({ code: 4, err: expect.stringContaining('IAM_CLIENT_ID') });
  });
});

test.each([
  [2, ['login', '--user', 'a', '--client-id', 'c', '--password-stdin', '--secret-stdin']],
  [2, ['login', '--client-id', 'c', '--password-stdin']],
  [10, ['login']],
  [10, ['login', '--user', 'a', '--client-id', 'c']],
  [10, ['login', '--client-id', 'c']],
])('%i for incomplete options: iam %j', async (code, words) => {
  await using home = await Home.make();
  await using server = await startFakeServer(() => ({}));
  expect((await home.iam([...words, '--base-url', server.url])).code).toBe(code);
  expect(server.received).toEqual([]);
});
