import { writeFile } from 'node:fs/promises';
import { describe, expect } from 'vitest';
import { saveProfile } from '../../../src/cli/config/profile.ts';
import { errorResponse, startFakeServer, tokenResponse } from '../../client/fake-server.ts';
import { Home, iam, test } from '../run-cli.ts';

const get = ['groups', 'get', 'ops'];

/** What names the output format. */
interface OutputSources {
  readonly profile?: { readonly output: string };
  readonly project?: string | { readonly output: string };
  readonly variables?: Readonly<Record<string, string>>;
  readonly words?: readonly string[];
}

describe('the exit code of a rejection', () => {
  test.each([
    [404, 'GROUP_NOT_FOUND', 3],
    [404, 'PATH_UNKNOWN', 3],
    [401, 'CREDENTIALS_INVALID', 4],
    [400, 'CREDENTIALS_AMBIGUOUS', 4],
    [401, 'TOKEN_INVALID', 4],
    [403, 'ROLE_MISSING', 5],
    [401, 'ROLE_MISSING', 5],
    [401, 'GRANT_EXCEEDED', 5],
    [412, 'CHANGED_MEANWHILE', 6],
    [422, 'CHANGED_MEANWHILE', 6],
    [422, 'GROUP_NAME_TAKEN', 6],
    [412, 'SOMETHING_NEW_TAKEN', 6],
    [412, 'GROUP_IN_USE', 6],
    [400, 'FIELD_MISSING', 7],
    [422, 'DEPENDENCY_CYCLE', 7],
    [413, 'BODY_TOO_LARGE', 7],
    [429, 'TOO_MANY_ATTEMPTS', 75],
    [500, 'INTERNAL', 75],
    [503, 'STORE_UNAVAILABLE', 75],
    [200, 'GROUP_NAME_TAKEN', 6],
    [200, 'FIELD_VALUE', 7],
    [200, 'NEVER_HEARD_OF', 70],
    [405, 'METHOD_NOT_ALLOWED', 70],
  ])('%i %s is %i', async (status, code, exitCode) => {
    await using server = await startFakeServer(() => errorResponse(status, code));
    const outcome = await iam([...get, '-o', 'json'], server);
    expect(outcome).toMatchObject({ code: exitCode, out: '' });
    const { error } = JSON.parse(outcome.err) as { error: Record<string, unknown> };
    expect(error).toMatchObject({ code, status, requestId: 'request-1', transient: exitCode === 75 });
  });

  test.each([
    ['a proxy response for a server that is down', { status: 502, text: '<html>' }],
    ['a connection that breaks', { hangUp: true }],
    ['a timeout', { silent: true }],
  ])('is 75 for %s', async (_, reply) => {
    await using server = await startFakeServer(() => reply);
    expect((await iam([...get, '--timeout', '0.2'], server)).code).toBe(75);
  });

  test('is 75 if the server is down, with a hint to start one', async () => {
    const server = await startFakeServer(() => ({}));
    await server[Symbol.asyncDispose]();
    const outcome = await iam(get, server);
    expect(outcome.code).toBe(75);
    expect(outcome.err).toContain('iam serve');
  });
});

describe('an error', () => {
  test('for people has the reason, the request id and a hint', async () => {
    await using server = await startFakeServer(() => errorResponse(404, 'GROUP_NOT_FOUND', 'Group not found.'));
    expect(await iam(get, server)).toEqual({
      code: 3,
      out: '',
      err: [
        'error: ops: Group not found.',
        '  reason   GROUP_NOT_FOUND (404)',
        '  request  request-1',
        '  hint     List groups with `iam groups list`.',
        '',
      ].join('\n'),
    });
  });

  test('for programs is one object on standard error, also for usage errors', async () => {
    const outcome = await iam(['groups', 'list', '--limit', 'x', '-o', 'jsonl']);
    expect(outcome).toMatchObject({ code: 2, out: '' });
    expect(JSON.parse(outcome.err)).toMatchObject({ error: { code: 'USAGE', transient: false, items: [] } });
  });

  test.each([
    ['a profile', { profile: { output: 'json' } }, true],
    ['a project file', { project: { output: 'jsonl' } }, true],
    ['a profile that the project file overrides', { profile: { output: 'json' }, project: { output: 'table' } }, false],
    [
      'a profile that the environment overrides',
      { profile: { output: 'json' }, variables: { IAM_OUTPUT: 'csv' } },
      false,
    ],
    ['a profile that an option overrides', { profile: { output: 'json' }, words: ['-o', 'table'] }, false],
    ['the environment, beside a file that is not JSON', { project: '{', variables: { IAM_OUTPUT: 'json' } }, true],
    ['the environment, without the profile', { words: ['--profile', 'x'], variables: { IAM_OUTPUT: 'json' } }, true],
    ['a file that is not JSON', { profile: { output: 'json' }, project: '{' }, false],
  ] as readonly [string, OutputSources, boolean][])('follows the output format of %s', async (_, sources, isJson) => {
    await using home = await Home.make();
    const { profile = {}, project = {}, variables = {}, words = [] } = sources;
    await saveProfile('p', { baseUrl: 'http://127.0.0.1:9', ...profile }, home.variables);
    await writeFile(home.file('.iamrc.json'), typeof project === 'string' ? project : JSON.stringify(project));
    for (const command of [get, ['groups', 'lst']]) {
      const { err } = await home.iam([...command, ...words], { variables, folder: home.folder });
      expect(err).toMatch(isJson ? /^\{"error":\{"code":"/ : /^error: /);
    }
  });

  test('reports every item and how long to wait', async () => {
    const items = [
      { code: 'TOO_MANY_ATTEMPTS', message: 'Too many.' },
      { code: 'OTHER', message: 'Also this.' },
    ];
    await using server = await startFakeServer(() => ({ status: 429, json: items, headers: { 'retry-after': '30' } }));
    const { err } = await iam(get, server);
    expect(err).toContain('Also this.');
    expect(err).toContain('  hint     Try again in 30 s. ');
  });

  test.each([
    ['5', 'Try again in 5 s. '],
    [undefined, 'Try again later. '],
  ])('say once when to try again (Retry-After: %s)', async (retryAfter, expected) => {
    const headers = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
    await using server = await startFakeServer(() => ({ ...errorResponse(503, 'STORE_UNAVAILABLE', 'No.'), headers }));
    const { err } = await iam([...get, '--max-wait', '0'], server);
    expect(err).toContain(`  hint     ${expected}The server log contains the reason.\n`);
  });

  test('cannot control the terminal', async () => {
    await using server = await startFakeServer(() =>
      errorResponse(404, 'GROUP_NOT_FOUND', 'No \u001b[31mgroup\u0007\u202e.'),
    );
    expect((await iam(get, server)).err).toContain(String.raw`error: ops: No \u001b[31mgroup\u0007\u202e.`);
  });

  test('is colored on a terminal, unless disabled', async () => {
    await using server = await startFakeServer(() => errorResponse(404, 'GROUP_NOT_FOUND'));
    const paint = '\u001b[';
    const variables = { IAM_TOKEN: 't' };
    expect((await iam(get, { ...server, columns: 80 })).err).toContain(paint);
    expect((await iam(get, { ...server, columns: 80, variables: { ...variables, NO_COLOR: '1' } })).err).not.toContain(
      paint,
    );
    expect((await iam([...get, '--color', 'never'], { ...server, columns: 80 })).err).not.toContain(paint);
    expect((await iam(get, server)).err).not.toContain(paint);
    expect((await iam(get, { ...server, variables: { ...variables, FORCE_COLOR: '1' } })).err).toContain(paint);
    expect(
      (await iam([...get, '--color', 'always'], { ...server, variables: { ...variables, NO_COLOR: '1' } })).err,
    ).toContain(paint);
  });
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
])('%s aborts a pending request with %i', async (signal, exitCode) => {
  const controller = new AbortController();
  await using server = await startFakeServer(() => {
    controller.abort(signal);
    return { silent: true };
  });
  expect((await iam(get, { ...server, signal: controller.signal })).code).toBe(exitCode);
});

describe('a confirmation', () => {
  const remove = ['groups', 'delete', 'ops'];

  test.each([
    ['standard input is not a terminal', {}, []],
    ['in continuous integration', { columns: 80, variables: { IAM_TOKEN: 't', CI: 'true' } }, []],
    ['with --no-input', { columns: 80 }, ['--no-input']],
  ])('in non-interactive mode is exit code 10, and nothing is sent: %s', async (_, runOptions, words) => {
    await using server = await startFakeServer(() => ({ status: 204 }));
    const outcome = await iam([...remove, ...words], { ...server, ...runOptions });
    expect(outcome).toMatchObject({ code: 10, out: '' });
    expect(outcome.err).toContain('--yes');
    expect(server.received).toEqual([]);
  });
});

describe('signing in', () => {
  test('is required before the first request', async () => {
    await using server = await startFakeServer(() => ({}));
    const outcome = await iam(get, { ...server, variables: { IAM_BASE_URL: server.url } });
    expect(outcome.code).toBe(4);
    expect(outcome.err).toContain('IAM_CLIENT_ID');
    expect(server.received).toEqual([]);
  });

  test('is not required for public operations', async () => {
    await using server = await startFakeServer(() => ({ json: { keys: [{ kid: 'k1' }] } }));
    const outcome = await iam(['keys', '-o', 'name'], { variables: { IAM_BASE_URL: server.url } });
    expect(outcome).toEqual({ code: 0, out: 'k1\n', err: '' });
  });

  test('rejects incomplete client credentials', async () => {
    const outcome = await iam(get, { variables: { IAM_CLIENT_ID: 'me' } });
    expect(outcome.code).toBe(4);
    expect(outcome.err).toContain('secret is missing');
  });

  test('accepts an API key', async () => {
    await using server = await startFakeServer(() => ({ json: { groupId: 'g' } }));
    await iam(get, { variables: { IAM_BASE_URL: server.url, IAM_API_KEY: 'key' } });
    expect(server.received[0]?.headers).toMatchObject({ 'x-api-key': 'key' });
  });

  test('of a profile caches its token, and obtains a new one before it reports a missing role', async ({ home }) => {
    let logins = 0;
    await using server = await startFakeServer(({ path, headers }) => {
      if (path.endsWith('/login')) return tokenResponse(`token-${++logins}`);
      return headers.authorization === 'Bearer token-2'
        ? { json: { groupId: 'g2' } }
        : errorResponse(403, 'ROLE_MISSING');
    });
    const add = ['profile', 'add', 'p', '--base-url', server.url, '--client-id', 'me', '--secret-file', '-'];
    expect((await home.iam(add, { stdin: 'secret\n' })).code).toBe(0);
    expect((await home.iam(get)).code).toBe(5);
    expect(logins).toBe(1);
    expect((await home.iam(get)).code).toBe(0);
    expect((await home.iam(get)).code).toBe(0);
    expect(logins).toBe(2);
  });

  test('does not use a token that is about to expire', async ({ home }) => {
    await using server = await startFakeServer(({ path }) =>
      path.endsWith('/login') ? tokenResponse('t') : { json: { groupId: 'g' } },
    );
    await home.iam(['profile', 'add', 'p', '--base-url', server.url, '--client-id', 'me', '--secret-file', '-'], {
      stdin: 's',
    });
    await home.iam(get, { now: () => 1_800_000_000_000 });
    await home.iam(get, { now: () => 1_800_000_000_000 + 3_590_000 });
    expect(server.received.filter(({ path }) => path.endsWith('/login'))).toHaveLength(2);
  });
});

test.each([
  ['on a terminal', ['serve', '--port', 'x'], { columns: 80 }, true],
  ['with --color always', ['serve', '--port', 'x', '--color', 'always'], {}, true],
  ['with NO_COLOR', ['serve', '--port', 'x'], { columns: 80, variables: { NO_COLOR: '1' } }, false],
] as const)('an error of `iam serve` %s has the colour of other errors', async (_, words, options, isRed) => {
  const { code, err } = await iam(words, options);
  expect([code, err.startsWith(isRed ? '\u001B[31m\u001B[1merror:' : 'error: --port')]).toEqual([2, true]);
});
