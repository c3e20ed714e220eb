import { describe, expect, test } from 'vitest';
import { startFakeServer } from '../../client/fake-server.ts';
import { iam } from '../run-cli.ts';

const clock = { now: '2026-03-01T12:00:00.000Z', frozen: false, offset: 0 };

describe('iam clock', () => {
  test.each([[['clock']], [['clock', 'show']]])('%j prints the clock', async (words) => {
    await using server = await startFakeServer(() => ({ json: clock }));
    const outcome = await iam([...words, '-o', 'json'], server);
    expect([outcome.code, JSON.parse(outcome.out)]).toEqual([0, clock]);
    expect(server.received).toMatchObject([{ method: 'GET', path: '/_iam/clock' }]);
  });

  test.each([
    [['set', '2030-01-31T12:00:00Z'], { set: '2030-01-31T12:00:00Z' }],
    [['set', '2030-01-31T12:00:00Z', '--freeze'], { set: '2030-01-31T12:00:00Z', freeze: true }],
    [['advance', '10m'], { advance: '10m' }],
    [['advance', '--freeze', '--', '-1h'], { advance: '-1h', freeze: true }],
    [['freeze'], { freeze: true }],
    [['unfreeze'], { freeze: false }],
    [['reset'], { reset: true }],
    [['to-expiry', 's1'], { to: 'expiry', of: 's1' }],
    [['to-expiry', 's1', '--offset', '-1s', '--freeze'], { to: 'expiry', of: 's1', offset: '-1s', freeze: true }],
  ])('%j sets the clock and prints the new time', async ([command = '', ...words], body) => {
    await using server = await startFakeServer(() => ({ json: clock }));
    const outcome = await iam(['clock', command, '-o', 'json', ...words], server);
    expect([outcome.code, outcome.err, JSON.parse(outcome.out)]).toEqual([0, '', clock]);
    expect(server.received).toMatchObject([{ method: 'PUT', path: '/_iam/clock' }]);
    expect(JSON.parse(server.received[0]?.body ?? '')).toEqual(body);
  });

  test.each([
    [['set'], 10],
    [['advance'], 10],
    [['to-expiry'], 10],
    [['nonsense'], 2],
    [['freeze', 'now'], 2],
  ])('%j exits with %d and sends nothing', async (words, code) => {
    await using server = await startFakeServer(() => ({ json: clock }));
    expect((await iam(['clock', ...words], server)).code).toBe(code);
    expect(server.received).toEqual([]);
  });
});
