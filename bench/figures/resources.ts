/** Resources of the measured servers: memory and the longest block of the event loop. */
import { statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type BenchEnvironment, type ServerUnderTest, sizes } from '../environment.ts';
import type { Figure } from '../figure.ts';
import { ConnectionPool } from '../load-driver.ts';
import { createLoad, getLoad } from './request-kinds.ts';

const maxBlockMs = 50;
/** Time in which an idle store writes the checkpoint due to earlier writes, which would distort the measurement. */
const idleMs = 4_000;
/** Maximum wait for a checkpoint. */
const checkpointTimeoutMs = 20_000;

export async function memoryFigures(bench: BenchEnvironment): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const size of ['small', 'large'] as const) {
    const { server } = await bench.server(size);
    await server.resume();
    const { rssBytes } = await server.query('usage');
    const megabytes = rssBytes / 1e6;
    const name = `memory, ${sizes[size].toLocaleString('en')} groups`;
    figures.push({ name, ours: `${megabytes.toFixed(0)} MB`, floor: '', result: megabytes, unit: 'MB' });
  }
  return figures;
}

/** Returns the longest block of each server so far, and of a large store during a checkpoint under load. */
export async function blockFigures(bench: BenchEnvironment): Promise<Figure[]> {
  const large = await bench.server('large');
  const earlier = (await bench.servers()).filter(({ server }) => server !== large.server);
  const figures: Figure[] = [];
  for (const subject of [...earlier, large]) figures.push(await blockFigure(subject, 'block'));
  await setTimeout(idleMs);
  await large.server.query('reset');
  await loadDuringCheckpoint(large);
  return [...figures, await blockFigure(large, 'block in checkpoint')];
}

async function blockFigure({ server, size }: ServerUnderTest, name: string): Promise<Figure> {
  await server.resume();
  const { blockMs, wallBlockMs } = await server.query('usage');
  return {
    name: `${name}, ${sizes[size].toLocaleString('en')} groups`,
    ours: `${blockMs.toFixed(1)} ms`,
    floor: `${wallBlockMs.toFixed(0)} ms by wall`,
    result: blockMs,
    unit: 'ms',
    target: { atMost: maxBlockMs },
  };
}

/** Writes groups with many roles, so that the write-ahead log soon outgrows the checkpoint and triggers the next one. */
async function loadDuringCheckpoint(subject: ServerUnderTest): Promise<void> {
  const { server, folder, size } = subject;
  const roles = Array.from({ length: 400 }, (_, at) => `ROLE_OF_A_LARGE_GROUP_${at}`);
  const writes = await ConnectionPool.open(server.port, 16, createLoad(subject, roles));
  const reads = await ConnectionPool.open(server.port, 8, getLoad(subject, sizes[size]));
  const before = checkpointTime(folder);
  const deadline = performance.now() + checkpointTimeoutMs;
  writes.start();
  reads.start();
  while (checkpointTime(folder) === before && performance.now() < deadline) await setTimeout(50);
  // After the checkpoint, the concurrent writes are merged in slices.
  await setTimeout(1_000);
  await Promise.all([writes.stop(), reads.stop()]);
  writes.close();
  reads.close();
  if (checkpointTime(folder) === before) throw new Error('no checkpoint was written under load');
}

/** Returns the time of the checkpoint file; 0 while it is being replaced. */
function checkpointTime(folder: string): number {
  return statSync(path.join(folder, 'iam.json'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
