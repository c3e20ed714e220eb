/** User logins compared with the rate of their password hash alone, in alternating rounds on one core. */

import { settingsTable } from '../../src/server/config/settings-table.ts';
import { hashPassword } from '../../src/server/users/passwords.ts';
import type { BenchEnvironment } from '../environment.ts';
import { type Figure, type Rate, ratioFigure } from '../figure.ts';
import { ConnectionPool } from '../load-driver.ts';
import { userPassword } from '../names.ts';
import type { ServerProcess } from '../processes.ts';
import { userLoginLoad } from './request-kinds.ts';
import { runRound } from './throughput.ts';

const atLeast = 0.85;
/** Hashes are slow: shorter rounds would complete too few. */
const roundMs = 2_000;
const warmUpMs = 1_000;
const rounds = 7;
/** More than the hash concurrency, so that the queue is never empty. */
const connections = 8;

export async function userLoginFigures(bench: BenchEnvironment): Promise<Figure[]> {
  const { server } = await bench.server('people');
  const floor = await bench.hashFloor();
  const passwordHash = await hashPassword(userPassword);
  await server.resume();
  const pool = await ConnectionPool.open(server.port, connections, userLoginLoad('users'));
  await bench.suspendAll();
  const ours: Rate[] = [];
  const floors: Rate[] = [];
  for (let round = -1; round < rounds; round += 1) {
    const milliseconds = round < 0 ? warmUpMs : roundMs;
    const bare = await runFloorRound(floor, passwordHash, milliseconds);
    const rate = await runRound({ server, pool }, milliseconds);
    if (round < 0) continue;
    floors.push(bare);
    ours.push(rate);
  }
  pool.close();
  return [ratioFigure('user-login', ours, floors, atLeast)];
}

async function runFloorRound(floor: ServerProcess, passwordHash: string, milliseconds: number): Promise<Rate> {
  const hashRequest = {
    password: userPassword,
    passwordHash,
    concurrency: settingsTable.hashConcurrency.default,
    milliseconds,
  };
  await floor.resume();
  const before = await floor.query('usage');
  const { perSecond, responses } = await withBusyDriver(() => floor.hash(hashRequest));
  const after = await floor.query('usage');
  await floor.suspend();
  return { perSecond, cpuMs: (after.cpuMs - before.cpuMs) / responses };
}

/** Keeps the driver's core as busy as in the other rounds, as cores may share a clock and a cache. */
async function withBusyDriver<Result>(work: () => Promise<Result>): Promise<Result> {
  let working = true;
  const spin = () => {
    if (working) setImmediate(spin);
  };
  spin();
  return work().finally(() => {
    working = false;
  });
}
