import { describe, expect, test } from 'vitest';
import { createMetricSeries } from '../../../../../src/server/observability/metric-series.ts';
import { appClientId, createFakeClock, startServer } from '../../../../harness.ts';
import { send } from '../../control-client.ts';

describe('the series of metrics', () => {
  test('counts requests, errors and logins by interval, with percentiles', async () => {
    const users = [{ userId: 'ann', userName: 'ann', password: 'correct horse battery staple' }];
    await using server = await startServer({ seed: { users } });
    await send(server, '/security/iam/v1/groups');
    server.clock.advance(20);
    const authorization = `Basic ${Buffer.from('ann:correct horse battery staple').toString('base64')}`;
    const login = `/security/iam/v1/user-identities/login?clientId=${appClientId}`;
    expect((await send(server, login, { method: 'POST', headers: { authorization } })).status).toBe(201);
    // An adjusted clock does not move the intervals.
    await send(server, '/_iam/clock', { method: 'PUT', body: { advance: '30d' } });
    const { body } = await send(server, '/_iam/metrics/series?limit=3');
    expect(body).toEqual({
      intervalSeconds: 10,
      points: [
        expect.objectContaining({ at: '2026-03-01T12:00:00.000Z', requests: 1, errors: 1, logins: 0 }),
        { at: '2026-03-01T12:00:10.000Z', requests: 0, errors: 0, logins: 0 },
        expect.objectContaining({ at: '2026-03-01T12:00:20.000Z', requests: 1, errors: 0, logins: 1 }),
      ],
    });
    for (const limit of ['0', '361', 'x'])
      expect((await send(server, `/_iam/metrics/series?limit=${limit}`)).status).toBe(400);
  });

  test('estimates percentiles, and deletes what is older than an hour', () => {
    const clock = createFakeClock();
    const series = createMetricSeries(clock);
    const request = (duration: number) => series.add({ duration, status: 200, isLogin: false });
    for (let at = 0; at < 98; at += 1) request(4);
    request(200);
    request(60_000);
    const [point] = series.list(1);
    expect(point).toMatchObject({ requests: 100, errors: 0 });
    expect(point?.median).toBeGreaterThan(0.0025);
    expect(point?.median).toBeLessThanOrEqual(0.005);
    expect(point?.p99).toBeCloseTo(0.25, 5);
    clock.advance(3_590);
    expect(series.list(1_000)).toHaveLength(360);
    expect(series.list(360)[0]).toMatchObject({ requests: 100 });
    clock.advance(10);
    expect(series.list(360).every(({ requests }) => requests === 0)).toBe(true);
    series.add({ duration: 1, status: undefined, isLogin: true });
    expect(series.list(1)).toMatchObject([{ requests: 1, errors: 1, logins: 0 }]);
  });
});
