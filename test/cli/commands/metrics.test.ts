import { expect, test } from 'vitest';
import { startFakeServer } from '../../client/fake-server.ts';
import { startServer } from '../../harness.ts';
import { iam } from '../run-cli.ts';

const at = (second: number) => `2026-03-01T12:00:${second}.000Z`;
const idle = { at: at(10), requests: 0, errors: 0, logins: 0 };
const busy = { at: at(20), requests: 3, errors: 1, logins: 2, median: 0.004, p95: 0.00996, p99: 0.0200001 };
const start = () => startFakeServer(() => ({ json: { intervalSeconds: 10, points: [idle, busy] } }));

test('metrics prints the intervals with requests', async () => {
  await using server = await start();
  expect(await iam(['metrics'], server)).toEqual({
    code: 0,
    out:
      'AT                        REQUESTS  ERRORS  LOGINS  MEDIAN  P95    P99\n' +
      '2026-03-01T12:00:20.000Z  3         1       2       4 ms    10 ms  20 ms\n',
    err: '',
  });
  const json = await iam(['metrics', '-o', 'json', '--all'], server);
  expect(JSON.parse(json.out)).toEqual([idle, busy]);
  expect((await iam(['metrics', '--all', '-o', 'csv'], server)).out.split('\n')).toHaveLength(4);
});

test('metrics counts the requests of a server, and rejects too many intervals', async () => {
  await using server = await startServer();
  expect(await iam(['metrics'], { url: server.url })).toMatchObject({ code: 0, out: '' });
  await server.send({ method: 'GET', path: '/security/iam/v1/groups' });
  const { out } = await iam(['metrics', '--limit', '6', '-o', 'json'], { url: server.url });
  expect(JSON.parse(out)).toMatchObject([{ requests: 1, errors: 1, logins: 0 }]);
  expect((await iam(['metrics', '--limit', '361'], { url: server.url })).code).toBe(7);
});
