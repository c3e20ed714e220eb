import { describe, expect, test } from 'vitest';
import { errorResponse, type FakeResponse, startFakeServer } from '../../client/fake-server.ts';
import { iam } from '../run-cli.ts';

const busy = (seconds: number): FakeResponse => ({
  ...errorResponse(503, 'STORE_UNAVAILABLE'),
  headers: { 'retry-after': String(seconds) },
});

/** Returns these responses in order, then a group. */
function serverWith(...replies: FakeResponse[]) {
  return startFakeServer(() => replies.shift() ?? { json: { groupId: 'g' } });
}

describe('a request to a busy server', () => {
  test('is retried after Retry-After', async () => {
    await using server = await serverWith(busy(0), errorResponse(429, 'TOO_MANY_CALLS'));
    expect(await iam(['groups', 'get', 'ops', '-o', 'name'], server)).toEqual({ code: 0, out: 'g\n', err: '' });
    expect(server.received).toHaveLength(3);
  });

  test('fails after the max attempts', async () => {
    await using server = await startFakeServer(() => busy(0));
    expect((await iam(['groups', 'get', 'ops'], server)).code).toBe(75);
    expect(server.received).toHaveLength(3);
  });

  test('is not retried beyond --max-wait', async () => {
    await using server = await serverWith(busy(60));
    expect((await iam(['groups', 'get', 'ops'], server)).code).toBe(75);
    expect((await iam(['groups', 'get', 'ops', '--max-wait', '0'], server)).code).toBe(0);
    expect(server.received).toHaveLength(2);
  });

  test('is not retried if it is not idempotent', async () => {
    await using server = await serverWith(busy(0));
    expect((await iam(['groups', 'create', '--group-name', 'x'], server)).code).toBe(75);
    expect(server.received).toHaveLength(1);
  });
});

describe('after a broken connection', () => {
  test('a read is retried', async () => {
    await using server = await serverWith({ hangUp: true });
    expect((await iam(['groups', 'get', 'ops'], server)).code).toBe(0);
  });

  test('a delete is not retried, because it may have succeeded', async () => {
    await using server = await serverWith({ hangUp: true });
    expect((await iam(['groups', 'delete', 'ops', '--yes'], server)).code).toBe(75);
    expect(server.received).toHaveLength(1);
  });
});

describe('an unknown outcome', () => {
  test('of a write is not retried, and has an exit code of its own', async () => {
    await using server = await serverWith(errorResponse(503, 'OUTCOME_UNKNOWN'));
    const { code, err } = await iam(['groups', 'delete', 'ops', '--yes'], server);
    expect(code).toBe(76);
    expect(err).toContain('See whether it was made with `iam groups get ops` before you send it again.');
    expect(server.received).toHaveLength(1);
  });

  test.each([
    [['groups', 'create', '--group-name', 'x'], 'iam groups list'],
    [['groups', 'add-role', 'team a', 'DEPLOY'], "iam groups get 'team a'"],
    [['call', 'user-identities.lock', '--file', '-', '--yes'], undefined],
  ])('of %j names the command that shows it: %s', async (words, command) => {
    await using server = await startFakeServer(() => errorResponse(503, 'OUTCOME_UNKNOWN'));
    const { code, err } = await iam(words, { url: server.url, stdin: '{"userId":"ada"}' });
    expect(code).toBe(76);
    expect(err).toContain(command === undefined ? 'Read what the request changes before' : `\`${command}\``);
  });

  test('does not end a read', async () => {
    await using server = await serverWith(errorResponse(503, 'OUTCOME_UNKNOWN'));
    expect((await iam(['groups', 'get', 'ops'], server)).code).toBe(0);
  });
});

test.each(['many', '-1', ''])('--max-wait %j is a usage error', async (value) => {
  await using server = await startFakeServer(() => ({}));
  expect((await iam(['groups', 'get', 'ops', `--max-wait=${value}`], server)).code).toBe(2);
  expect(server.received).toEqual([]);
});
