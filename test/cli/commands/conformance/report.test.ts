/** The report for people, and rows for programs. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminClient, startServer, type TestServer } from '../../../harness.ts';
import { iam } from '../../run-cli.ts';
import { type DeviatingDeployment, startDeviation } from './deployment.ts';

let server: TestServer;
let target: DeviatingDeployment;
beforeAll(async () => {
  server = await startServer();
  target = await startDeviation(server, {
    response: (reply, { method, path }) => {
      const { etag: _, ...headers } = reply.headers;
      return method === 'GET' && path.startsWith('/groups/') ? { ...reply, headers } : reply;
    },
  });
});
afterAll(async () => {
  await target[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const variables = { IAM_CLIENT_ID: adminClient.clientId, IAM_CLIENT_SECRET: adminClient.clientSecret };

function run(words: readonly string[], columns?: number) {
  const now = () => server.clock.now().getTime();
  const options = { url: target.url, variables, now, ...(columns === undefined ? {} : { columns }) };
  return iam(['conformance', '--operation', 'groups.get', ...words], options);
}

test('shows counts, each difference with a command that repeats it, what was not checked, and a summary', async () => {
  const { code, out, err } = await run([]);
  expect({ code, err }).toEqual({ code: 1, err: '' });
  const [group] = (await server.admin.groups.list({ query: { limit: 1 } })).items;
  expect(out.replaceAll(target.url, 'URL').replaceAll(group?.groupId ?? '', 'ID')).toBe(
    `OPERATION   CASES  SAME  DIFFERENT  ACCEPTED  NOT CHECKED
groups.get  16     7     1          0         8

Differences:
  groups.get: reads
    header etag: expected present, got absent
    $ curl -i -X GET -H "authorization: Bearer $IAM_TOKEN" URL/security/iam/v1/groups/ID

Not checked, at least in part:
  the deployment has too few entities to read:
    groups.get
  needs --allow-writes:
    groups.get

1 operation, 16 cases: 7 same, 1 different, 0 accepted, 8 not checked
`,
  );
});

test('shows progress on a terminal, and removes it', async () => {
  const { code, err } = await run([], 80);
  expect(code).toBe(1);
  expect(err).toMatch(/^\r\d+ of \d+ cases, \d+ different/);
  expect(err.endsWith('\r\u001b[K')).toBe(true);
});

test('is a row for each difference with -o csv and jsonl', async () => {
  const { out } = await run(['-o', 'jsonl']);
  expect(JSON.parse(out)).toMatchObject({ operation: 'groups.get', case: 'reads', aspect: 'header', name: 'etag' });
  const csv = await run(['-o', 'csv']);
  expect(csv.out).toMatch(
    /^operation,case,aspect,name,expected,seen,accepted,reproduce,cases,where,baseline\ngroups.get,reads,header,etag,/,
  );
});

test('wrong options are rejected', async () => {
  const words = ['conformance', '--operation', 'user-identities.factors.list', '--existing', 'colour=red'];
  expect((await iam(words, { url: target.url, variables })).code).toBe(2);
  const { code, err } = await iam(['conformance', '--concurrency', '0'], { url: target.url, variables });
  expect({ code, hasMessage: err.includes('--concurrency must be') }).toEqual({ code: 2, hasMessage: true });
});

test.each([
  ['soft-error=true', 'the server has no setting soft-error.', 'Did you mean soft-errors?'],
  ['port=1', '--reference-setting cannot set port.', ''],
])('--reference-setting %s is rejected', async (setting, message, hint) => {
  const { code, err } = await run(['--reference-setting', setting]);
  expect(code).toBe(2);
  expect(err).toContain(message);
  expect(err).toContain(hint);
});

test('the reference has the settings of --reference-setting', async () => {
  const { code, out } = await run(['--reference-setting', 'log-level=error', '-o', 'json']);
  expect({ code, differences: (JSON.parse(out) as { differences: object[] }).differences.length }).toEqual({
    code: 1,
    differences: 1,
  });
  const wrong = await run(['--reference-setting', 'expires-in=never']);
  expect({ code: wrong.code, err: wrong.err.split('\n')[0] }).toEqual({
    code: 2,
    err: expect.stringContaining('error: --reference-setting: '),
  });
});
