import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { PassThrough, Readable, Writable } from 'node:stream';
import { describe, expect } from 'vitest';
import { run as runWords } from '../../../src/cli/run.ts';
import { errorResponse, type FakeServer, startFakeServer } from '../../client/fake-server.ts';
import { Home, test, tokenVariables } from '../run-cli.ts';

const created = { status: 201, json: { groupId: 'g' } };
const creating = ['--operation', 'groups.create', '-o', 'jsonl'];

async function rows(home: Home, count: number): Promise<string> {
  const names = Array.from({ length: count }, (_, at) => `group-${at}`);
  await writeFile(home.file('rows.csv'), `groupName\n${names.join('\n')}\n`);
  return home.file('rows.csv');
}

function run(
  home: Home,
  server: { url: string },
  words: readonly string[],
  variables: Record<string, string> = tokenVariables,
) {
  return home.iam(['bulk', 'run', ...words], { url: server.url, variables });
}

const nameIn = (server: FakeServer, at: number) =>
  (JSON.parse(server.received[at]?.body ?? '{}') as { groupName?: string }).groupName;

describe('a server that returns Retry-After', () => {
  test.each([429, 503])('receives the same row again after the delay on %d, for any operation', async (status) => {
    await using home = await Home.make();
    let requests = 0;
    await using server = await startFakeServer(() => {
      requests += 1;
      return requests === 1 ? { ...errorResponse(status, 'BUSY'), headers: { 'retry-after': '0' } } : created;
    });
    const outcome = await run(home, server, [await rows(home, 2), ...creating, '--concurrency', '1']);
    expect(outcome.code).toBe(0);
    expect([0, 1, 2].map((at) => nameIn(server, at))).toEqual(['group-0', 'group-0', 'group-1']);
  });

  test('ends the run if the delay exceeds --max-wait', async ({ home }) => {
    await using server = await startFakeServer(() => ({
      ...errorResponse(429, 'BUSY'),
      headers: { 'retry-after': '60' },
    }));
    const file = await rows(home, 50);
    const outcome = await run(home, server, [file, ...creating, '--max-wait', '5', '--concurrency', '2']);
    expect(outcome.code).toBe(75);
    expect(outcome.err).toContain('Run the same command again to resume');
    expect(server.received.length).toBeLessThanOrEqual(3);
  });

  test('receives only idempotent rows again if Retry-After is missing', async ({ home }) => {
    await using server = await startFakeServer(() => errorResponse(503, 'BUSY'));
    expect((await run(home, server, [await rows(home, 1), ...creating])).code).toBe(8);
    expect(server.received).toHaveLength(1);
    await writeFile(home.file('reads.jsonl'), '{"operation":"groups.get","params":{"groupId":"ops"}}\n');
    const waiting = ['--max-wait', '0.2'];
    expect(
      (await run(home, server, [home.file('reads.jsonl'), ...waiting, '--resume-log', home.file('reads.resume-log')]))
        .code,
    ).toBe(8);
    expect(server.received).toHaveLength(4);
  });
});

describe('a run ends before its last row', () => {
  test('after --max-errors failed rows', async ({ home }) => {
    await using server = await startFakeServer(() => errorResponse(412, 'X'));
    const words = [await rows(home, 100), ...creating, '--max-errors', '5', '--concurrency', '2'];
    const outcome = await run(home, server, words);
    expect(outcome.code).toBe(8);
    expect(outcome.err).toContain('--max-errors');
    expect(server.received.length).toBeGreaterThanOrEqual(5);
    expect(server.received.length).toBeLessThanOrEqual(7);
  });

  test.each([
    ['rejected credentials', errorResponse(401, 'CREDENTIALS_INVALID'), 4],
    ['a rejected token', errorResponse(401, 'TOKEN_INVALID'), 4],
  ])('on %s, because all rows would fail', async (_what, reply, code) => {
    await using home = await Home.make();
    await using server = await startFakeServer(() => reply);
    const words = [await rows(home, 100), ...creating, '--concurrency', '2'];
    expect((await run(home, server, words)).code).toBe(code);
    expect(server.received.length).toBeLessThanOrEqual(4);
  });

  test('if the server is unreachable, and all rows can be sent later', async ({ home }) => {
    const words = [await rows(home, 100), ...creating, '--concurrency', '4'];
    const outcome = await run(home, { url: 'http://127.0.0.1:9' }, words);
    expect(outcome.code).toBe(75);
    expect(outcome.out.split('\n').length).toBeLessThan(10);
  });

  test('if not signed in, before the first row', async ({ home }) => {
    await using server = await startFakeServer(() => created);
    expect((await run(home, server, [await rows(home, 2), ...creating], {})).code).toBe(4);
    expect(server.received).toEqual([]);
  });
});

describe('rows that delete', () => {
  const deleting = async (home: Home, count: number) => {
    const ids = Array.from({ length: count }, (_, at) => `g${at}`);
    await writeFile(home.file('groups.csv'), `groupId\n${ids.join('\n')}\n`);
    return [home.file('groups.csv'), '--operation', 'groups.remove'];
  };

  test('need their number as confirmation; --yes is not enough', async ({ home }) => {
    await using server = await startFakeServer(() => ({ status: 204 }));
    const words = await deleting(home, 3);
    for (const more of [[], ['--yes']]) {
      const outcome = await run(home, server, [...words, ...more]);
      expect([outcome.code, outcome.err.includes('--confirm 3')]).toEqual([10, true]);
    }
    expect((await run(home, server, [...words, '--confirm', '4'])).code).toBe(2);
    expect(server.received).toEqual([]);
    expect((await run(home, server, [...words, '--confirm', '3'])).code).toBe(0);
    expect(server.received).toHaveLength(3);
  });

  test('need --yes if there is one', async ({ home }) => {
    await using server = await startFakeServer(() => ({ status: 204 }));
    const words = await deleting(home, 1);
    expect((await run(home, server, words)).code).toBe(10);
    expect(server.received).toEqual([]);
    expect((await run(home, server, [...words, '--yes'])).code).toBe(0);
  });

  test('count only if they are still to be sent', async ({ home }) => {
    const deleted = new Set<string>();
    await using server = await startFakeServer(({ path }) => {
      const isFirst = !deleted.has(path) && deleted.size === 2;
      deleted.add(path);
      return isFirst ? errorResponse(412, 'X') : { status: 204 };
    });
    const words = await deleting(home, 3);
    expect((await run(home, server, [...words, '--confirm', '3', '--concurrency', '1'])).code).toBe(8);
    expect((await run(home, server, [...words, '--yes'])).code).toBe(0);
    expect(server.received).toHaveLength(4);
  });

  test('are resumed by the same command, with the number of all rows', async ({ home }) => {
    let isBusy = true;
    await using server = await startFakeServer(({ path }) =>
      isBusy && !path.endsWith('/g0') ? errorResponse(412, 'X') : { status: 204 },
    );
    const same = [...(await deleting(home, 4)), '--confirm', '4', '--concurrency', '1'];
    expect((await run(home, server, same)).code).toBe(8);
    isBusy = false;
    expect((await run(home, server, [...same, '--max-errors', '1'])).code).toBe(0);
    expect(server.received).toHaveLength(7);
  });
});

describe('rows beyond max-changes', () => {
  const few = { ...tokenVariables, IAM_MAX_CHANGES: '3' };

  test('are rejected before the first is sent; reads do not count', async ({ home }) => {
    await using server = await startFakeServer(() => created);
    const outcome = await run(home, server, [await rows(home, 4), ...creating], few);
    expect(outcome).toMatchObject({ code: 2, out: '' });
    expect(outcome.err).toContain('This command makes 4; nothing was sent.');
    expect(server.received).toEqual([]);
    expect((await run(home, server, [await rows(home, 3), ...creating], few)).code).toBe(0);
    const reads = Array.from({ length: 5 }, () => '{"operation":"groups.get","params":{"groupId":"ops"}}\n').join('');
    await writeFile(home.file('reads.jsonl'), reads);
    expect((await run(home, server, [home.file('reads.jsonl')], few)).code).toBe(0);
  });

  test('are counted by the entries of their lists', async ({ home }) => {
    await using server = await startFakeServer(() => created);
    const row = (...ids: string[]) =>
      JSON.stringify({
        operation: 'user-accesses.add-user',
        params: { groupName: 'ops' },
        body: ids.map((userId) => ({ userId })),
      });
    await writeFile(home.file('members.jsonl'), `${row('u1', 'u2')}\n${row('u3', 'u4')}\n`);
    const outcome = await run(home, server, [home.file('members.jsonl')], few);
    expect([outcome.code, outcome.err]).toEqual([
      2,
      expect.stringContaining('This command makes 4; nothing was sent.'),
    ]);
    expect(server.received).toEqual([]);
  });
});

describe('many rows', () => {
  test('apply backpressure from the reader of the report', async ({ home }) => {
    await using server = await startFakeServer(() => created);
    const over = new AbortController();
    const stdout = new PassThrough({ highWaterMark: 1 });
    const io = {
      ...{ stdin: Readable.from([]), stdout, stderr: new PassThrough() },
      ...{ signal: over.signal, releaseSignals: () => undefined },
    };
    const variables = { ...home.variables, ...tokenVariables, IAM_BASE_URL: server.url };
    const words = ['bulk', 'run', await rows(home, 10_000), ...creating, '--concurrency', '8'];
    const done = runWords(words, io, { variables, now: () => 0, random: () => 0 });
    await once(stdout, 'readable');
    let seen = -1;
    while (seen !== server.received.length) {
      seen = server.received.length;
      for (let turn = 0; turn < 200; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(server.received.length).toBeLessThanOrEqual(10);
    over.abort('SIGINT');
    stdout.resume();
    expect(await done).toBe(130);
    expect(server.received.length).toBeLessThanOrEqual(10);
  });

  test('are sent with --concurrency requests at a time', async ({ home }) => {
    const names = new Set<string>();
    let [underWay, most] = [0, 0];
    await using server = await startFakeServer(async ({ body }) => {
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise((resolve) => setImmediate(resolve));
      names.add((JSON.parse(body) as { groupName: string }).groupName);
      underWay -= 1;
      return created;
    });
    const outcome = await run(home, server, [await rows(home, 1_001), ...creating, '--concurrency', '16']);
    expect(outcome.code).toBe(0);
    expect(outcome.err).toBe('1000 of 1001 rows\n1001 of 1001 rows done.\n');
    expect(outcome.out.trim().split('\n')).toHaveLength(1_001);
    expect([names.size, server.received.length]).toEqual([1_001, 1_001]);
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(16);
  });

  test('print no progress with --quiet and a bar on a terminal', async ({ home }) => {
    await using server = await startFakeServer(() => created);
    const words = ['bulk', 'run', await rows(home, 3), ...creating];
    const progress = await home.iam(words, { url: server.url, variables: tokenVariables, columns: 80 });
    expect(progress.err).toContain('\r[########                ] 1 of 3 rows');
    const quiet = await home.iam([...words, '--resume-log', home.file('other'), '-q'], {
      url: server.url,
      variables: tokenVariables,
      columns: 80,
    });
    expect(quiet).toMatchObject({ code: 0, err: '' });
  });

  test('are all sent after the reader of the report closed the pipe', async ({ home }) => {
    await using server = await startFakeServer(() => created);
    const stdout = new Writable({
      highWaterMark: 1,
      write: (_chunk, _encoding, done) => done(Object.assign(new Error('closed'), { code: 'EPIPE' })),
    });
    stdout.on('error', () => undefined);
    const io = {
      ...{ stdin: Readable.from([]), stdout, stderr: new PassThrough() },
      ...{ signal: new AbortController().signal, releaseSignals: () => undefined },
    };
    const variables = { ...home.variables, ...tokenVariables, IAM_BASE_URL: server.url };
    const words = ['bulk', 'run', await rows(home, 30), ...creating];
    expect(await runWords(words, io, { variables, now: () => 0, random: () => 0 })).toBe(0);
    expect(server.received).toHaveLength(30);
  });
});
