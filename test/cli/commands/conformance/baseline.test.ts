/** The baseline of accepted differences. */
import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminClient, startServer, type TestServer } from '../../../harness.ts';
import { Home, iam } from '../../run-cli.ts';
import { checkConformance, type DeviatingDeployment, type Deviation, startDeviation } from './deployment.ts';

let server: TestServer;
let target: DeviatingDeployment;
let home: Home;
const deviation: Deviation = {
  response: (reply, { method, path }) => {
    const { etag: _, ...headers } = reply.headers;
    return method === 'GET' && path.startsWith('/groups/') ? { ...reply, headers } : reply;
  },
};
beforeAll(async () => {
  server = await startServer();
  target = await startDeviation(server, deviation);
  home = await Home.make();
});
afterAll(async () => {
  await target[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  await home[Symbol.asyncDispose]();
});

const words = ['--operation', 'groups.get'];
const etag = { aspect: 'header', name: 'etag', expected: 'present', seen: 'absent' };

async function check(file: string, more: readonly string[] = [], url = target.url) {
  return checkConformance(server, url, [...words, '--baseline', file, ...more]);
}

test.each(['new.json', 'new.yaml'])('--update-baseline writes %s, which accepts the differences', async (name) => {
  const file = home.file(name);
  const first = await check(file, ['--update-baseline']);
  expect(first.code).toBe(0);
  const text = await readFile(file, 'utf8');
  expect(text).toContain('urn:iam-standin:schema:conformance-baseline');
  const { code, report } = await check(file);
  expect(code).toBe(0);
  expect(report.summary).toMatchObject({ different: 0, accepted: 1 });
  expect(report.differences).toEqual([expect.objectContaining({ ...etag, accepted: true })]);
  expect(report.staleBaseline).toEqual([]);
});

test('the same difference in many cases is one entry, which accepts all of them', async () => {
  await using gateway = await startDeviation(server, {
    response: (reply) => {
      const { 'x-request-id': _, ...headers } = reply.headers;
      return { ...reply, headers };
    },
  });
  const variables = { IAM_CLIENT_ID: adminClient.clientId, IAM_CLIENT_SECRET: adminClient.clientSecret };
  const options = { url: gateway.url, variables, now: () => server.clock.now().getTime() };
  const { out } = await iam(['conformance', ...words], options);
  const [, cases, line] =
    /^Differences:\n {2}(\d+) cases of groups\.get, such as .*\n {4}header x-request-id: .*\n {4}\$ curl .*\n {4}accept with (.*)$/m.exec(
      out,
    ) ?? [];
  expect(Number(cases)).toBeGreaterThan(4);
  const file = home.file('grouped.json');
  await writeFile(file, `{"differences": [${line}]}`);
  const { code, report } = await check(file, [], gateway.url);
  expect({ code, differences: report.differences.length }).toEqual({ code: 0, differences: 1 });
  await check(home.file('written.json'), ['--update-baseline'], gateway.url);
  expect(JSON.parse(await readFile(home.file('written.json'), 'utf8'))).toMatchObject({
    differences: [JSON.parse(line ?? '')],
  });
});

test('an entry accepts the differences that have all its values', async () => {
  const file = home.file('entries.json');
  const accept = async (entry: object) => {
    await writeFile(file, JSON.stringify({ differences: [entry] }));
    const { code, report } = await check(file);
    return { code, reasons: report.differences.map(({ reason }) => reason) };
  };
  expect(await accept({ aspect: 'header', name: 'etag', reason: 'known' })).toEqual({ code: 0, reasons: ['known'] });
  expect(await accept({ operation: 'groups.get' })).toEqual({ code: 0, reasons: [undefined] });
  expect((await accept({ ...etag, operation: 'groups.list' })).code).toBe(1);
  expect((await accept({ ...etag, seen: 'other' })).code).toBe(1);
});

test('reports entries that accept nothing any more, and removes them with --update-baseline', async () => {
  const file = home.file('stale.json');
  const stale = { operation: 'groups.get', case: 'unknown id', aspect: 'status', expected: '404', seen: '200' };
  const unchecked = { operation: 'groups.get', case: 'by id', aspect: 'status' };
  const other = { operation: 'groups.list', aspect: 'code' };
  await writeFile(file, JSON.stringify({ differences: [stale, unchecked, other] }));
  const { code, report } = await check(file);
  expect({ code, stale: report.staleBaseline }).toEqual({ code: 1, stale: [stale] });
  await check(file, ['--update-baseline']);
  const { differences } = JSON.parse(await readFile(file, 'utf8')) as { differences: object[] };
  expect(differences).toEqual([unchecked, other, { operation: 'groups.get', case: 'reads', ...etag }]);
});

test('an entry of another reason stays, and one difference is accepted once', async () => {
  const file = home.file('reason.json');
  const entry = { operation: 'groups.get', case: 'reads', ...etag, reason: 'known' };
  await writeFile(file, JSON.stringify({ differences: [entry] }));
  await check(file, ['--update-baseline']);
  expect((JSON.parse(await readFile(file, 'utf8')) as { differences: object[] }).differences).toEqual([entry]);
});

test.each([
  ['a list', [], 'body must be object, not array'],
  ['an unknown aspect', { differences: [{ aspect: 'colour' }] }, 'differences[].aspect must be one of'],
  ['an unknown key', { differences: [{ operations: 'x' }] }, 'differences[].operations must be absent'],
  ['an entry that accepts everything', { differences: [{ name: 'etag' }] }, 'needs an operation or an aspect'],
])('rejects %s before the first request', async (_what, document, message) => {
  const file = home.file('wrong.json');
  await writeFile(file, JSON.stringify(document));
  const sent = target.received.length;
  const { code, err } = await check(file);
  expect(code).toBe(2);
  expect((JSON.parse(err) as { error: { message: string } }).error.message).toContain(message);
  expect(target.received.length).toBe(sent);
});

test('a missing file is an error without --update-baseline', async () => {
  expect((await check(home.file('missing.json'))).code).toBe(2);
  expect((await checkConformance(server, target.url, ['--update-baseline'])).code).toBe(2);
});

test('its JSON Schema is printed', async () => {
  const { out } = await iam(['schema', 'conformance-baseline', '-o', 'json']);
  expect(JSON.parse(out)).toMatchObject({ $id: 'urn:iam-standin:schema:conformance-baseline', type: 'object' });
});

test('an entry with an unknown operation is an error that names the nearest', async () => {
  const file = home.file('misspelled.json');
  await writeFile(file, JSON.stringify({ differences: [{ operation: 'groups.gett' }] }));
  const { code, err } = await iam(['conformance', '--base-url', target.url, '--baseline', file]);
  expect(code).toBe(2);
  expect(err).toContain('differences[0]: there is no operation groups.gett.');
  expect(err).toContain('Did you mean groups.get?');
});
