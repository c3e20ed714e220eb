import { once } from 'node:events';
import { PassThrough, Readable, Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { run } from '../../../src/cli/run.ts';
import { type FakeServer, startFakeServer } from '../../client/fake-server.ts';
import { drainStream } from '../drain-stream.ts';

const total = 100_000;

/** Lists of this many groups, a thousand per page. */
function manyGroups() {
  return startFakeServer(({ path }) => {
    const query = new URL(path, 'http://x').searchParams;
    const start = Number(query.get('after') ?? 0);
    const size = Math.min(1000, Number(query.get('limit') ?? 100));
    const json = Array.from({ length: size }, (_, at) => ({ groupId: `g${start + at}`, groupName: `group ${start}` }));
    const more = start + size < total;
    const link = { link: `</x?after=${start + size}>; rel="next"` };
    return { status: more ? 206 : 200, json, ...(more ? { headers: link } : {}) };
  });
}

function start(server: FakeServer, words: readonly string[], stdout: Writable, signal = new AbortController().signal) {
  const stderr = new PassThrough();
  const io = { stdin: Readable.from([]), stdout, stderr, signal, releaseSignals: () => undefined };
  const variables = { IAM_BASE_URL: server.url, IAM_TOKEN: 't', XDG_CONFIG_HOME: '/nonexistent' };
  return run(words, io, { variables, now: () => 0, random: () => 0 });
}

const all = ['groups', 'list', '--all', '-o'];

/** Waits until nothing proceeds without the reader. */
async function settle(server: FakeServer): Promise<number> {
  for (let seen = -1; seen !== server.received.length; ) {
    seen = server.received.length;
    for (let turn = 0; turn < 200; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }
  return server.received.length;
}

describe.each(['json', 'jsonl', 'csv', 'name', 'yaml', 'table', 'wide'])(
  'a hundred thousand entries as %s',
  (format) => {
    test('are requested only as they are read', async () => {
      await using server = await manyGroups();
      const stdout = new PassThrough({ highWaterMark: 1024 });
      const over = new AbortController();
      const done = start(server, [...all, format], stdout, over.signal);
      await once(stdout, 'readable');
      const before = await settle(server);
      expect(before).toBeLessThanOrEqual(3);
      drainStream(stdout);
      expect(await settle(server)).toBeGreaterThan(before);
      expect(server.received.length).toBeLessThanOrEqual(before + 3);
      over.abort('SIGINT');
      expect(await done).toBe(130);
    });

    test('are not requested after the reader closes the stream, which is not an error', async () => {
      await using server = await manyGroups();
      const stdout = new Writable({
        highWaterMark: 1,
        write: (_chunk, _encoding, done) => done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })),
      });
      stdout.on('error', () => undefined);
      expect(await start(server, [...all, format], stdout)).toBe(0);
      expect(server.received.length).toBeLessThanOrEqual(2);
    });
  },
);

test('json is one document with every entry', async () => {
  await using server = await manyGroups();
  const stdout = new PassThrough({ highWaterMark: 1024 });
  const done = start(server, [...all, 'json'], stdout);
  const chunks: Buffer[] = [];
  stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  expect(await done).toBe(0);
  const text = Buffer.concat(chunks).toString('utf8');
  const value = JSON.parse(text) as { groupId: string }[];
  expect(new Set(value.map(({ groupId }) => groupId)).size).toBe(total);
  expect(text.slice(0, 60)).toBe(`${JSON.stringify(value, null, 2)}\n`.slice(0, 60));
  expect(text.endsWith('  }\n]\n')).toBe(true);
});

describe.each([
  ['json', (text: string): unknown => JSON.parse(text)],
  ['yaml', (text: string): unknown => parse(text)],
] as const)('incomplete %s is not a valid document', (format, read) => {
  const firstPage = { status: 206, json: [{ groupId: 'g' }], headers: { link: '</x?after=1>; rel="next"' } };

  test('if a later page fails', async () => {
    await using server = await startFakeServer(({ path }) =>
      path.includes('after=') ? { status: 400, json: [{ code: 'X', message: 'x' }] } : firstPage,
    );
    const stdout = new PassThrough();
    expect(await start(server, ['groups', 'list', '-o', format], stdout)).toBe(7);
    const text = drainStream(stdout);
    expect(text).toContain('groupId');
    expect(() => read(text)).toThrow();
  });

  test('if it is interrupted', async () => {
    const over = new AbortController();
    await using server = await startFakeServer(({ path }) => {
      if (path.includes('after=')) over.abort('SIGINT');
      return firstPage;
    });
    const stdout = new PassThrough();
    expect(await start(server, ['groups', 'list', '-o', format], stdout, over.signal)).toBe(130);
    const text = drainStream(stdout);
    expect(text).toContain('groupId');
    expect(() => read(text)).toThrow();
  });
});

test.each(['jsonl', 'csv', 'name', 'table', 'wide'])('a later page that fails is an error as %s', async (format) => {
  const headers = { link: '</x?after=1>; rel="next"' };
  await using server = await startFakeServer(({ path }) =>
    path.includes('after=')
      ? { status: 400, json: [{ code: 'X', message: 'x' }] }
      : { status: 206, json: [{ groupId: 'g' }], headers },
  );
  expect(await start(server, ['groups', 'list', '-o', format], new PassThrough())).toBe(7);
});

test('a table aligns short pages together', async () => {
  await using server = await startFakeServer(({ path }) => {
    if (path.includes('after=')) return { json: [{ groupId: 'g-longer', groupName: 'b', roles: ['R'] }] };
    const link = { link: '</x?after=1>; rel="next"' };
    return { status: 206, json: [{ groupId: 'g', groupName: 'a' }], headers: link };
  });
  const stdout = new PassThrough();
  expect(await start(server, [...all, 'table'], stdout)).toBe(0);
  expect(drainStream(stdout)).toBe('GROUP ID  GROUP NAME  ROLES\ng         a\ng-longer  b           R\n');
});
