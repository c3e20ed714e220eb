/** One to three servers on one database, each limited to a share of a core, as on machines of their own. */
import process from 'node:process';
import { findQuotaProblem, limitCpu } from '../cpu-quota.ts';
import { type BenchEnvironment, sizes } from '../environment.ts';
import { type Figure, formatRate } from '../figure.ts';
import { ConnectionPool } from '../load-driver.ts';
import { median } from '../statistics.ts';
import { getLoad } from './request-kinds.ts';

/** Small, so that the database and the driver have most of the machine. */
const share = 0.15;
const rounds = 9;
const roundMs = 3_000;
// The servers that run in fewer rounds must be as optimized as the first.
const warmUpMs = 15_000;
/** For each server. */
const callers = 8;
/** How many times the rate of one server that many servers must reach. */
const targets = new Map([
  [2, 1.9],
  [3, 2.8],
]);

/** Reads by several servers, compared with one of them in the same round. */
export async function serverFigures(bench: BenchEnvironment): Promise<Figure[]> {
  const problem = findQuotaProblem();
  if (problem !== undefined) {
    process.stderr.write(`servers: skipped, ${problem}\n`);
    return [];
  }
  const first = await bench.server('small');
  const others = await bench.startBeside('small', targets.size);
  const servers = [first.server, ...others];
  const pools = await Promise.all(
    servers.map(({ port }) => ConnectionPool.open(port, callers, getLoad(first, sizes.small))),
  );
  await driveAll(pools, warmUpMs);
  const lifts = servers.map(({ pid }) => limitCpu(pid, share));
  try {
    return await measureCounts(pools);
  } finally {
    for (const lift of lifts) lift();
    for (const pool of pools) pool.close();
    await Promise.all(others.map((server) => server.stop()));
  }
}

/** Measures one server, two and three in each round. */
async function measureCounts(pools: readonly ConnectionPool[]): Promise<Figure[]> {
  const rates = pools.map(() => [] as number[]);
  for (let round = 0; round < rounds; round += 1)
    for (const [at, ofCount] of rates.entries()) ofCount.push(await driveAll(pools.slice(0, at + 1), roundMs));
  const [alone = [], ...more] = rates;
  return more.map((ofCount, at): Figure => {
    const count = at + 2;
    const target = targets.get(count);
    return {
      name: `get, ${count} servers of ${share * 100} % of a core`,
      ours: formatRate(ofCount),
      floor: `${formatRate(alone)} by one`,
      result: median(ofCount.map((rate, round) => rate / (alone[round] ?? Number.NaN))),
      unit: 'ratio',
      ...(target === undefined ? {} : { target: { atLeast: target } }),
    };
  });
}

/** @returns the responses per second of all */
async function driveAll(pools: readonly ConnectionPool[], milliseconds: number): Promise<number> {
  const results = await Promise.all(pools.map((pool) => pool.drive(milliseconds)));
  return results.reduce((sum, { perSecond }) => sum + perSecond, 0);
}
