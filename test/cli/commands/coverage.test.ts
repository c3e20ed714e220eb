import { expect, test } from 'vitest';
import { startFakeServer } from '../../client/fake-server.ts';
import { iam } from '../run-cli.ts';

const share = (exercised: number, total: number) => ({ exercised, total, percent: (exercised / total) * 100 });
const report = {
  operations: share(1, 2),
  statuses: share(2, 4),
  codes: share(1, 2),
  items: [
    {
      operation: 'a.b',
      calls: 3,
      statuses: [
        { status: 200, calls: 2 },
        { status: 401, calls: 1 },
      ],
      codes: [{ code: 'TOKEN_INVALID', status: 401, calls: 1 }],
      others: [],
    },
    {
      operation: 'a.c',
      calls: 0,
      statuses: [
        { status: 200, calls: 0 },
        { status: 403, calls: 0 },
      ],
      codes: [{ code: 'ROLE_MISSING', status: 403, calls: 0 }],
      others: [],
    },
  ],
};
const start = () => startFakeServer(({ method }) => (method === 'GET' ? { json: report } : { status: 204 }));

test('coverage prints the exercised operations', async () => {
  await using server = await start();
  expect(await iam(['coverage'], server)).toEqual({
    code: 0,
    out: 'OPERATION  CALLS  STATUSES  CODES\na.b        3      200, 401  TOKEN_INVALID\n',
    err: 'operations 1 of 2 (50 %)\nstatuses 2 of 4 (50 %)\nerror codes 1 of 2 (50 %)\n',
  });
});

test('coverage prints what is missing', async () => {
  await using server = await start();
  const { out } = await iam(['coverage', '--missing'], server);
  expect(out).toBe('OPERATION  CALLS  STATUSES  CODES\na.c        0      200, 403  ROLE_MISSING\n');
  const json = await iam(['coverage', '--missing', '-o', 'json'], server);
  expect(JSON.parse(json.out)).toEqual({ ...report, items: [report.items[1]] });
});

test('coverage exits with 1 below the threshold', async () => {
  await using server = await start();
  expect((await iam(['coverage', '--threshold', '50'], server)).code).toBe(0);
  const below = await iam(['coverage', '--threshold', '51', '-o', 'json'], server);
  expect([below.code, JSON.parse(below.out)]).toEqual([1, report]);
  expect(below.err).toContain('Coverage of documented statuses is 50 %, below the threshold of 51 %.');
  expect((await iam(['coverage', '--threshold', '101'], server)).code).toBe(2);
});

test('coverage resets its counts', async () => {
  await using server = await start();
  expect(await iam(['coverage', '--reset', '--dry-run'], server)).toMatchObject({ code: 0 });
  expect(server.received).toEqual([]);
  expect(await iam(['coverage', '--reset'], server)).toMatchObject({ code: 0, err: 'Reset the coverage counters.\n' });
  expect(server.received.map(({ method, path }) => `${method} ${path}`)).toEqual(['DELETE /_iam/coverage']);
});
