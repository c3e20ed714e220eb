/** The limits of a store with a million groups: start, memory, stop, the deletion of a group with 100,000 members, and requests. */
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { type BenchEnvironment, client } from '../environment.ts';
import { type Figure, timeFigure } from '../figure.ts';
import { ConnectionPool } from '../load-driver.ts';
import { groupIdOf } from '../names.ts';
import type { ServerProcess } from '../processes.ts';
import { basic, login, requestOnce } from '../requests.ts';
import { createLoad, requestKinds } from './request-kinds.ts';
import { growthFigure } from './throughput.ts';

const limits = { startMs: 15_000, restartMs: 10_000, stopMs: 5_000, memoryMb: 700, blockMs: 50 } as const;
/** Time for the writes before the kill, which leave a log of some megabytes. */
const writeMs = 3_000;
/** Time in which the store writes the checkpoint due to earlier writes. */
const idleMs = 15_000;

export async function millionFigures(bench: BenchEnvironment): Promise<Figure[]> {
  const folder = await bench.store('million');
  const first = await bench.startUnmonitored(folder);
  const started = [
    timeFigure('start, 1,000,000 groups', first.start.wallMs, { atMost: limits.startMs }),
    memoryFigure(first),
  ];
  const stopped = await measure(() => first.stop());
  const server = await bench.startMonitored('million', folder);
  const token = await login(server.port, basic(client.id, client.secret));
  const roles = Array.from({ length: 40 }, (_, at) => `ROLE_OF_A_GROUP_${at}`);
  const writes = await ConnectionPool.open(
    server.port,
    16,
    createLoad({ size: 'million', folder, server, token }, roles),
  );
  writes.start();
  await setTimeout(writeMs);
  await writes.stop();
  writes.close();
  await server.kill();
  const second = await bench.startUnmonitored(folder);
  const restarted = timeFigure('start after a kill, 1,000,000 groups', second.start.wallMs, {
    atMost: limits.restartMs,
  });
  await second.stop();
  const deleted = await deleteFigures(bench, folder);
  const figures = [
    ...started,
    timeFigure('stop, 1,000,000 groups', stopped, { atMost: limits.stopMs }),
    restarted,
    ...deleted,
  ];
  for (const kind of requestKinds.filter(({ sizes }) => sizes.includes('small')))
    figures.push(await growthFigure(bench, kind));
  return figures;
}

/** Deletes the group with the most members. */
async function deleteFigures(bench: BenchEnvironment, folder: string): Promise<Figure[]> {
  const server = await bench.startMonitored('million', folder);
  try {
    const authorization = `Bearer ${await login(server.port, basic(client.id, client.secret))}`;
    await setTimeout(idleMs);
    await server.query('reset');
    const deletedMs = await measure(async () => {
      const { status } = await requestOnce(server.port, {
        method: 'DELETE',
        path: `/groups/${groupIdOf(0)}`,
        authorization,
      });
      if (status !== 204 && status !== 200) throw new Error(`the deletion returned ${status}`);
    });
    await setTimeout(idleMs);
    const { blockMs, wallBlockMs } = await server.query('usage');
    const floor = `${wallBlockMs.toFixed(0)} ms by wall`;
    return [
      timeFigure('deletion of a group with 100,000 members', deletedMs),
      timeFigure('block in the deletion', blockMs, { floor, atMost: limits.blockMs }),
    ];
  } finally {
    await server.stop();
  }
}

async function measure(work: () => Promise<void>): Promise<number> {
  const before = performance.now();
  await work();
  return performance.now() - before;
}

/** The highest memory of the process since its start, or NaN except on Linux. */
function memoryFigure({ pid }: ServerProcess): Figure {
  const megabytes = process.platform === 'linux' ? readPeakKilobytes(pid) / 1e3 : Number.NaN;
  const target = { atMost: limits.memoryMb };
  return {
    name: 'memory, 1,000,000 groups',
    ours: `${megabytes.toFixed(0)} MB`,
    floor: '',
    result: megabytes,
    unit: 'MB',
    target,
  };
}

function readPeakKilobytes(pid: number): number {
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]) * 1.024;
}
