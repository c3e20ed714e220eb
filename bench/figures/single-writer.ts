/**
 * The time of a durable write of a single caller, compared with a write and fdatasync of as many bytes on the same disk, and
 * with the same request to a bare server that does both.
 */
import { type FileHandle, open } from 'node:fs/promises';
import path from 'node:path';
import type { BenchEnvironment, ServerUnderTest } from '../environment.ts';
import { type Figure, formatValue } from '../figure.ts';
import { ConnectionPool, type Load } from '../load-driver.ts';
import { ServerProcess } from '../processes.ts';
import { median } from '../statistics.ts';
import { createLoad } from './request-kinds.ts';

const atMost = 1.3;
const rounds = 15;
const roundMs = 300;
/** Long enough for V8 to optimize the hot code, which a single caller would not reach. */
const warmUp = { connections: 32, milliseconds: 3_000 };
/** About what the log gets for a new group. */
const lineBytes = 512;

/** Median milliseconds in each round. */
interface Durations {
  readonly ours: number[];
  readonly bare: number[];
  readonly disk: number[];
}

export async function singleWriterFigures(bench: BenchEnvironment): Promise<Figure[]> {
  const subject = await bench.server('small');
  const folder = bench.emptyFolder();
  const bare = await ServerProcess.floor({ path: path.join(folder, 'bare'), lineBytes });
  const file = await open(path.join(folder, 'disk'), 'a');
  const durations = await measureRounds(subject, bare, file);
  await file.close();
  await bare.stop();
  return [
    figureOf('post, one connection', durations.ours, durations.disk, { atMost }),
    figureOf('post, one connection, bare server', durations.ours, durations.bare),
  ];
}

async function measureRounds(subject: ServerUnderTest, bare: ServerProcess, file: FileHandle): Promise<Durations> {
  bare.setResponse({ status: 201, headers: ['Content-Length', '2'], body: '{}' });
  const load = createLoad(subject);
  for (const server of [subject.server, bare]) await drive(server, load, warmUp);
  const durations: Durations = { ours: [], bare: [], disk: [] };
  for (let round = 0; round < rounds; round += 1) {
    durations.disk.push(await measureSyncs(file));
    durations.bare.push(await measureRequests(bare, load));
    durations.ours.push(await measureRequests(subject.server, load));
  }
  return durations;
}

/** @returns the median of the milliseconds of a request on one connection */
async function measureRequests(server: ServerProcess, load: Load): Promise<number> {
  const durations: number[] = [];
  await drive(server, timed(load, durations), { connections: 1, milliseconds: roundMs });
  return median(durations);
}

/** Runs a load on a server that is suspended otherwise. */
async function drive(server: ServerProcess, load: Load, { connections, milliseconds }: typeof warmUp): Promise<void> {
  await server.resume();
  const pool = await ConnectionPool.open(server.port, connections, load);
  await pool.drive(milliseconds);
  pool.close();
  await server.suspend();
}

/** A load that records the time of each response. */
function timed(load: Load, durations: number[]): Load {
  let sentAt: number | undefined;
  return {
    ...load,
    next(previousBody) {
      const now = performance.now();
      if (sentAt !== undefined) durations.push(now - sentAt);
      sentAt = now;
      return load.next(previousBody);
    },
  };
}

/** @returns the median of the milliseconds of a write and its sync */
async function measureSyncs(file: FileHandle): Promise<number> {
  const line = Buffer.alloc(lineBytes, 'x');
  const durations: number[] = [];
  const startedAt = performance.now();
  while (performance.now() - startedAt < roundMs) {
    const before = performance.now();
    await file.write(line);
    await file.datasync();
    durations.push(performance.now() - before);
  }
  return median(durations);
}

function figureOf(name: string, ours: readonly number[], floor: readonly number[], target?: Figure['target']): Figure {
  return {
    name,
    ours: formatValue(median(ours), 'ms'),
    floor: formatValue(median(floor), 'ms'),
    result: median(ours.map((duration, round) => duration / (floor[round] ?? Number.NaN))),
    unit: 'ratio',
    ...(target === undefined ? {} : { target }),
  };
}
