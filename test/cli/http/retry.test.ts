/** How long and how often a request is sent, with a fake clock: no test waits. */
import { describe, expect, test } from 'vitest';
import { startRetries } from '../../../src/cli/http/retry.ts';
import { NetworkError } from '../../../src/client/errors.ts';
import { errorResponse, type FakeResponse, startFakeServer } from '../../client/fake-server.ts';
import { iam, type RunOptions } from '../run-cli.ts';

const busy = (seconds: number): FakeResponse => ({
  ...errorResponse(503, 'STORE_UNAVAILABLE'),
  headers: { 'retry-after': String(seconds) },
});

/** Returns these responses in order, then a group. */
function serverWith(...replies: FakeResponse[]) {
  return startFakeServer(() => replies.shift() ?? { json: { groupId: 'g' } });
}

const get = ['groups', 'get', 'ops'];
const create = ['groups', 'create', '--group-name', 'x'];
const remove = ['groups', 'delete', 'ops', '--yes'];

/** Runs a command whose waits only advance its clock. */
async function iamWithClock(
  words: readonly string[],
  options: RunOptions,
  onPause: (now: number) => unknown = () => 0,
) {
  let now = 1_800_000_000_000;
  const start = now;
  const pause = async (milliseconds: number) => {
    now += milliseconds;
    await onPause(now - start);
  };
  const outcome = await iam(words, { ...options, now: () => now, pause });
  return { ...outcome, waited: now - start };
}

describe('a request to a busy server', () => {
  test('is sent again after Retry-After, also a create', async () => {
    await using server = await serverWith(busy(2), busy(3), busy(1), busy(1));
    const { code, err, waited } = await iamWithClock([...create, '-o', 'name'], server);
    expect([code, waited, server.received.length]).toEqual([0, 7_000, 5]);
    expect(err.match(/The server is busy\. Retrying in 2 s\./g)).toHaveLength(1);
  });

  test('is sent again until --max-wait has passed, not three times', async () => {
    await using server = await startFakeServer(() => errorResponse(429, 'TOO_MANY_CALLS'));
    const { code, waited } = await iamWithClock([...get, '--max-wait', '30'], server);
    expect(code).toBe(75);
    expect(waited).toBeGreaterThan(29_000);
    expect(server.received.length).toBeGreaterThan(30);
  });

  test('fails at once if Retry-After is beyond --max-wait', async () => {
    await using server = await serverWith(busy(60));
    expect((await iam(get, server)).code).toBe(75);
    expect((await iam([...get, '--max-wait', '0'], server)).code).toBe(0);
    expect(server.received).toHaveLength(2);
  });

  test('is not sent again without Retry-After if it is not idempotent', async () => {
    await using server = await serverWith(errorResponse(503, 'STORE_UNAVAILABLE'));
    expect((await iam(create, server)).code).toBe(75);
    expect(server.received).toHaveLength(1);
  });
});

describe.each([429, 503])('%i of a gateway with Retry-After', (status) => {
  const gateway: FakeResponse = { status, text: '<html>', headers: { 'retry-after': '1' } };

  test('does not say that nothing was changed: a create is not sent again', async () => {
    await using server = await serverWith(gateway);
    expect((await iamWithClock(create, server)).code).toBe(76);
    expect(server.received).toHaveLength(1);
  });

  test.each([get, remove])('is waited for by %s %s', async (...words) => {
    await using server = await serverWith(gateway);
    expect(await iamWithClock(words, server)).toMatchObject({ code: 0, waited: 1_000 });
  });
});

describe('a server that cannot be reached', () => {
  test('fails the command at once, and the hint names --max-wait', async () => {
    await using server = await serverWith();
    await server[Symbol.asyncDispose]();
    const { code, err, waited } = await iamWithClock(create, server);
    expect([code, waited]).toEqual([75, 0]);
    expect(err).toContain('--max-wait SECONDS');
  });

  test.each([
    ['--max-wait', ['--max-wait', '60'], {}],
    ['its variable', [], { IAM_MAX_WAIT: '60' }],
  ])('is waited for with %s, also by a write, with a line at a terminal', async (_, words, variables) => {
    const { url, start } = await reserveAddress();
    const onPause = (passed: number) => (passed > 2_000 ? start() : undefined);
    const options = { url, columns: 100, variables: { IAM_BASE_URL: url, IAM_TOKEN: 't', ...variables } };
    const outcome = await iamWithClock([...create, ...words, '-o', 'name', '--no-input'], options, onPause);
    await using server = await start();
    expect([outcome.code, outcome.out, server.received.length]).toEqual([0, 'g\n', 1]);
    expect(outcome.err.match(/Cannot reach .* Trying again for up to 60 s\./g)).toHaveLength(1);
  });

  test('is given up after the time, with the outcome that nothing was changed', async () => {
    const { url } = await reserveAddress();
    const { code, waited, err } = await iamWithClock([...create, '--max-wait', '5'], { url });
    expect([code, waited]).toEqual([75, 5_000]);
    expect(err).not.toContain('--max-wait');
  });
});

test('a wait ends at an interrupt, also that of a request which no interrupt ends', async () => {
  const interrupt = new AbortController();
  const pause = async (_: number, signal: AbortSignal) => {
    interrupt.abort('SIGINT');
    expect(signal.aborted).toBe(true);
  };
  const rules = {
    maxWait: { milliseconds: 600_000, isChosen: true },
    environment: { now: () => 0, random: () => 0, pause },
    signal: interrupt.signal,
    onUnreachable: () => undefined,
    onBusy: () => undefined,
  };
  const waitBeforeRetry = startRetries(rules, new AbortController().signal);
  const failure = new NetworkError('refused', 'ECONNREFUSED', undefined);
  expect(await waitBeforeRetry({ failure, isSent: false, isIdempotent: false })).toBe(false);
});

/** An address on which a server starts later, once. */
async function reserveAddress() {
  const first = await startFakeServer(() => ({}));
  await first[Symbol.asyncDispose]();
  let started: ReturnType<typeof startFakeServer> | undefined;
  const start = () =>
    (started ??= startFakeServer(() => ({ json: { groupId: 'g' } }), Number(new URL(first.url).port)));
  return { url: first.url, start };
}

describe('after a lost connection', () => {
  test('a read is sent again', async () => {
    await using server = await serverWith({ hangUp: true });
    expect((await iam(get, server)).code).toBe(0);
  });

  test.each([create, remove])('a write is not, because it may have taken effect: %s %s', async (...words) => {
    await using server = await serverWith({ hangUp: true });
    expect((await iam(words, server)).code).toBe(76);
    expect(server.received).toHaveLength(1);
  });
});

describe('an unknown outcome that the server reports', () => {
  test('of a write is not tried again', async () => {
    await using server = await serverWith(errorResponse(503, 'OUTCOME_UNKNOWN'));
    const { code, err } = await iam(remove, server);
    expect([code, server.received.length]).toEqual([76, 1]);
    expect(err).toContain('It may be deleted already. See what is left with `iam groups get ops`');
  });

  test('does not end a read', async () => {
    await using server = await serverWith(errorResponse(503, 'OUTCOME_UNKNOWN'));
    expect((await iam(get, server)).code).toBe(0);
  });
});

describe('a write that was repeated after a gateway error is read back', () => {
  const gateway: FakeResponse = { status: 502, text: '<html>' };

  test('a delete that finds nothing is done', async () => {
    await using server = await serverWith(gateway, errorResponse(404, 'GROUP_NOT_FOUND'));
    expect(await iam(remove, server)).toMatchObject({ code: 0, err: 'groups delete ops: done\n' });
  });

  const before = { groupId: 'ops', groupName: 'ops', roles: ['VIEW'], dependencies: [] };
  test.each([
    ['done if the target has its values', ['DEPLOY', 'VIEW'], 0],
    ['unknown if it has others', ['VIEW'], 76],
  ])('an update with If-Match that finds another ETag is %s', async (_, roles, code) => {
    const replies = [{ json: before, headers: { etag: '"1"' } }, gateway, errorResponse(422, 'CHANGED_MEANWHILE')];
    await using server = await startFakeServer(() => replies.shift() ?? { json: { ...before, roles } });
    const outcome = await iam(['groups', 'update', 'ops', '--add-role', 'DEPLOY'], server);
    expect(outcome.code, outcome.err).toBe(code);
  });

  test('any other rejection of the repetition leaves it unknown', async () => {
    await using server = await serverWith(gateway, errorResponse(403, 'ROLE_MISSING'));
    expect((await iam(remove, server)).code).toBe(76);
  });
});

test.each(['many', '-1', ''])('--max-wait %j is a usage error', async (value) => {
  await using server = await startFakeServer(() => ({}));
  expect((await iam([...get, `--max-wait=${value}`], server)).code).toBe(2);
  expect(server.received).toEqual([]);
});
