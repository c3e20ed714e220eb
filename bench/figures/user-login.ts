/** Logins of users against what the hash of their passwords alone allows, in rounds that take turns on one core. */

import { hashPassword } from '../../src/server/identity/passwords.ts';
import { settingsTable } from '../../src/server/settings-table.ts';
import type { BenchEnvironment } from '../environment.ts';
import { type Figure, type Rate, ratioFigure } from '../figure.ts';
import { ConnectionPool } from '../load-driver.ts';
import { userPassword } from '../names.ts';
import type { ServerProcess } from '../processes.ts';
import { userLoginLoad } from './request-kinds.ts';
import { runRound } from './throughput.ts';

const atLeast = 0.85;
/** A hash takes its time: shorter rounds would end with too few. */
const roundMs = 2_000;
const warmUpMs = 1_000;
const rounds = 7;
/** More than are checked at the same time, so that one always waits. */
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
  const order = { password: userPassword, passwordHash, atOnce: settingsTable.hashConcurrency.default, milliseconds };
  await floor.resume();
  const before = await floor.query('usage');
  const { perSecond, answers } = await withBusyDriver(() => floor.hash(order));
  const after = await floor.query('usage');
  await floor.suspend();
  return { perSecond, cpuMs: (after.cpuMs - before.cpuMs) / answers };
}

/** The driver's core is as busy as in the other turns: the two may share a clock and a cache. */
async function withBusyDriver<Result>(work: () => Promise<Result>): Promise<Result> {
  let working = true;
  const stayAwake = () => {
    if (working) setImmediate(stayAwake);
  };
  stayAwake();
  return work().finally(() => {
    working = false;
  });
}
