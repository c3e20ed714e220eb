import { execFileSync } from 'node:child_process';
import { describe, expect } from 'vitest';
import { saveProfile } from '../../../src/cli/config/profile.ts';
import { stripUserInfo } from '../../../src/cli/config/server-url.ts';
import { formatCurlCommand } from '../../../src/cli/http/curl.ts';
import { redactPath } from '../../../src/cli/http/redact.ts';
import { FieldTree } from '../../../src/contract/redaction.ts';
import { errorResponse, startFakeServer, tokenResponse } from '../../client/fake-server.ts';
import { type CliResult, iam, test } from '../run-cli.ts';

/** Part of every secret of these tests; it must not be printed anywhere. */
const canary = 'canary-7f3a';
const loud = ['--debug', '--verbose', '--curl'];

function expectSilence({ out, err }: CliResult): void {
  expect(out + err).not.toContain(canary);
  const encoded = Buffer.from(`user:${canary}`).toString('base64').slice(-12);
  expect(out + err).not.toContain(encoded);
}

const signIns: readonly Record<string, string>[] = [
  { IAM_TOKEN: canary },
  { IAM_API_KEY: canary },
  { IAM_CLIENT_ID: 'user', IAM_CLIENT_SECRET: canary },
  { IAM_USERNAME: 'user', IAM_PASSWORD: canary, IAM_CLIENT_ID: 'app' },
];

const requests: readonly [readonly string[], string][] = [
  [['groups', 'list'], ''],
  [
    ['api-key', 'create', '--app-id', 'a', '--client-id', 'c', '--api-key-file', '-', '--secret-output', '/dev/null/x'],
    canary,
  ],
  [['api-key', 'create', '--app-id', 'a', '--client-id', 'c', '--api-key-file', '-'], canary],
  [
    ['call', 'generate-token.create', '--anonymous', '-f', '-'],
    JSON.stringify({ grantType: 'password', password: canary, clientSecret: canary }),
  ],
  [['call', 'groups.list', '--query', `code=${canary}`, '--query', `access_token=${canary}`], ''],
  [
    ['api', 'POST', `/groups?token=${canary}`, '-f', '-'],
    JSON.stringify([{ deep: { validationCode: canary, samlResponse: canary } }]),
  ],
  [
    [
      'api',
      'GET',
      '/groups',
      '--header',
      `x-secret=${canary}`,
      '--header',
      `cookie=${canary}`,
      '--header',
      `authorization=Bearer ${canary}`,
    ],
    '',
  ],
];

describe('a secret', () => {
  for (const variables of signIns)
    test.each(requests)(
      `with ${Object.keys(variables).join(', ')} is not in the debug output of %j`,
      async (words, stdin) => {
        for (const failing of [false, true]) {
          await using server = await startFakeServer(({ path }) =>
            path.includes('/login')
              ? { ...tokenResponse(canary), status: 201 }
              : failing
                ? errorResponse(400, 'FIELD_VALUE')
                : { json: [] },
          );
          const runOptions = { variables: { ...variables, IAM_BASE_URL: server.url }, stdin };
          expectSilence(await iam([...words, ...loud], runOptions));
          expectSilence(await iam([...words, ...loud, '-o', 'json'], runOptions));
        }
      },
    );

  test.each(requests)('is not in a dry run of %j, nor if the server is down', async (words, stdin) => {
    const variables = { IAM_TOKEN: canary, IAM_BASE_URL: 'http://127.0.0.1:9' };
    for (const more of [['--dry-run'], ['--dry-run', '-o', 'yaml'], ['--timeout', '0.5']]) {
      const isRead = words[1] === 'list' && more.includes('--dry-run');
      if (!isRead) expectSilence(await iam([...words, ...loud, ...more], { variables, stdin }));
    }
  });

  test('of a profile is not printed by profile commands', async ({ home }) => {
    const baseUrl = 'http://127.0.0.1:9';
    const secrets = { token: canary, apiKey: canary, clientId: 'me', clientSecret: canary };
    await saveProfile('p', { baseUrl, ...secrets, proxy: `http://user:${canary}@proxy.example:3128` }, home.variables);
    const commandLines = [
      ['profile', 'show'],
      ['profile', 'list'],
      ['config', 'explain'],
      ['config', 'get', 'token'],
      ['config', 'get', 'proxy'],
      ['doctor'],
      ['groups', 'list'],
    ];
    for (const words of commandLines)
      for (const format of ['table', 'wide', 'json', 'yaml', 'csv', 'jsonl', 'name'])
        expectSilence(await home.iam([...words, '-o', format, ...loud, '--timeout', '1']));
  });

  test('in the URL of a server is not printed', async ({ home }) => {
    const variables = { IAM_BASE_URL: `http://user:${canary}@127.0.0.1:9`, IAM_TOKEN: 't' };
    for (const words of [
      ['groups', 'list'],
      ['doctor'],
      ['config', 'explain'],
      ['whoami'],
      ['groups', 'delete', 'x', '--dry-run'],
    ])
      expectSilence(await home.iam([...words, ...loud], { variables }));
    expectSilence(await home.iam(['profile', 'add', 'x', '--base-url', variables.IAM_BASE_URL]));
  });
});

const nothing = new FieldTree([{ type: 'object' }]);

describe('--curl', () => {
  test('prints each request on standard error, and changes nothing else', async () => {
    await using server = await startFakeServer(({ path }) =>
      path.includes('/login') ? tokenResponse('t') : { json: [{ groupId: 'g' }] },
    );
    const variables = { IAM_CLIENT_ID: 'me', IAM_CLIENT_SECRET: 's', IAM_BASE_URL: server.url };
    const plainly = await iam(['groups', 'list', '-o', 'json'], { variables });
    const outcome = await iam(['groups', 'list', '-o', 'json', '--curl'], { variables });
    expect(outcome).toMatchObject({ code: 0, out: plainly.out });
    const base = `${server.url}/security/iam/v1`;
    expect(outcome.err.split('\n')).toEqual([
      `curl -X POST -u "$IAM_CLIENT_ID":"$IAM_CLIENT_SECRET" ${base}/client-identities/login`,
      `curl -X GET -H 'accept: application/json' -H 'authorization: Bearer '"$IAM_TOKEN" '${base}/groups?limit=1000'`,
      '',
    ]);
  });

  test('with --dry-run prints the request', async () => {
    await using server = await startFakeServer(() => ({}));
    const outcome = await iam(['groups', 'create', '--group-name', "it's", '--dry-run', '--curl', '-q'], server);
    expect(outcome.out).toContain('POST');
    expect(outcome.err).toBe(
      `curl -X POST -H 'content-type: application/json' -H 'authorization: Bearer '"$IAM_TOKEN" --data-raw '{"groupName":"it'\\''s"}' ${server.url}/security/iam/v1/groups\n`,
    );
    expect(server.received).toEqual([]);
  });

  test('is a valid shell command, with variables for secrets', () => {
    const secret = { type: 'string', sensitive: 'secret' } as const;
    const deep = { type: 'array', items: { properties: { password: secret } } };
    const body = new FieldTree([{ properties: { clientSecret: secret, name: {}, deep } }]);
    const query = new FieldTree([{ properties: { token: secret, z: {} } }]);
    const request = {
      method: 'POST',
      url: 'http://x/y?token=a&z=$(id)`id`',
      headers: { 'X-Api-Key': 'a', Cookie: 'b', accept: "it's; $HOME" },
      body: { clientSecret: 'secret', name: `"'$HOME \u202e\u009b`, deep: [{ password: 'secret' }] },
    };
    const line = formatCurlCommand(request, { query, body, headers: nothing });
    expect(line).not.toContain('secret"');
    const variables = { IAM_TOKEN: 'T', IAM_API_KEY: 'K', IAM_COOKIE: 'C', IAM_CLIENT_SECRET: 'S', IAM_PASSWORD: 'P' };
    const script = `curl() { printf '%s\\n' "$@"; }; ${line}`;
    const words = execFileSync('sh', ['-c', script], { env: { ...variables, PATH: process.env.PATH } })
      .toString()
      .trimEnd()
      .split('\n');
    expect(words).toEqual([
      ...['-X', 'POST', '-H', 'x-api-key: K', '-H', 'cookie: C', '-H', "accept: it's; $HOME", '--data-raw'],
      String.raw`{"clientSecret":"S","name":"\"'$HOME \u202e\u009b","deep":[{"password":"P"}]}`,
      'http://x/y?token=T&z=$(id)`id`',
    ]);
  });

  test('omits a body that cannot be parsed', () => {
    const text = { method: 'POST', url: 'http://x/', body: 'password=secret' };
    const unknown = { ...text, body: { name: 'secret' } };
    const line = 'curl -X POST --data-raw "$IAM_BODY" http://x/';
    expect(formatCurlCommand(text, { query: nothing, headers: nothing, body: nothing })).toBe(line);
    expect(formatCurlCommand(unknown, { query: nothing, headers: nothing, body: undefined })).toBe(line);
  });

  test('has a variable for each undeclared field', () => {
    const request = { method: 'POST', url: 'http://x/?home=secret', body: { path: 'secret', '-': 'secret' } };
    expect(formatCurlCommand(request, { query: nothing, headers: nothing, body: nothing })).toBe(
      `curl -X POST --data-raw '{"path":"'"$IAM_UNDECLARED_PATH"'","-":"'"$IAM_UNDECLARED_"'"}' 'http://x/?home='"$IAM_UNDECLARED_HOME"`,
    );
  });
});

test('--verbose logs requests and responses, without headers', async () => {
  await using server = await startFakeServer(() => ({ json: [] }));
  const { err } = await iam(['groups', 'list', '--verbose', '-o', 'json'], server);
  expect(err).toMatch(
    /^> GET \/security\/iam\/v1\/groups\?limit=1000\n< 200 after \d+ ms, request request-1\nNo results.\n$/,
  );
});

test.each([
  ['/a?code=1&b=2', '/a?code=(secret)&b=2'],
  ['/a?regionCode=1', '/a?regionCode=1'],
  ['/a?token=1&b=2', '/a?token=(not declared)&b=2'],
  ['/a', '/a'],
])('the path %s is printed as %s', (path, printed) => {
  const declared = { code: { sensitive: 'one-time' }, b: {}, regionCode: {} } as const;
  expect(redactPath(path, new FieldTree([{ properties: declared }]))).toBe(printed);
});

test.each([
  ['http://a:b@c/', 'http://(secret)@c/'],
  ['http://a:p@ss@c/', 'http://(secret)@c/'],
  ['http://c/x@y', 'http://c/x@y'],
])('the URL %s is printed as %s', (address, printed) => {
  expect(stripUserInfo(address)).toBe(printed);
});
