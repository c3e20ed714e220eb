/** What the servers that were measured used: memory, and the longest time that they were away from their event loop. */
import { statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type BenchEnvironment, type ServerUnderTest, sizes } from '../environment.ts';
import type { Figure } from '../figure.ts';
import { ConnectionPool } from '../load-driver.ts';
import { createLoad, getLoad } from './request-kinds.ts';

const longestBlockMs = 50;
/** Within this an idle store has written the checkpoint that earlier writes make due: it would come too early here. */
const idleMs = 4_000;
/** As long as this a checkpoint is waited for. */
const patienceMs = 20_000;

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

/** The longest block of all servers so far, and under reads and writes while a large store writes a checkpoint. */
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
    target: { atMost: longestBlockMs },
  };
}

/** Groups with many roles, so that the journal soon outgrows the last checkpoint, which is when the next one is due. */
async function loadDuringCheckpoint(subject: ServerUnderTest): Promise<void> {
  const { server, folder, size } = subject;
  const roles = Array.from({ length: 400 }, (_, at) => `ROLE_OF_A_LARGE_GROUP_${at}`);
  const writes = await ConnectionPool.open(server.port, 16, createLoad(subject, roles));
  const reads = await ConnectionPool.open(server.port, 8, getLoad(subject, sizes[size]));
  const before = checkpointTime(folder);
  const giveUpAt = performance.now() + patienceMs;
  writes.start();
  reads.start();
  while (checkpointTime(folder) === before && performance.now() < giveUpAt) await setTimeout(50);
  // What came during the checkpoint is then moved, a slice at a time.
  await setTimeout(1_000);
  await Promise.all([writes.stop(), reads.stop()]);
  writes.close();
  reads.close();
  if (checkpointTime(folder) === before) throw new Error('no checkpoint was written under load');
}

/** 0 in the moment in which the new one takes the place of the old one. */
function checkpointTime(folder: string): number {
  return statSync(path.join(folder, 'iam.json'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
