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
  readonly server: number[];
  readonly disk: number[];
}

export async function singleWriterFigures(bench: BenchEnvironment): Promise<Figure[]> {
  const subject = await bench.server('small');
  const folder = bench.emptyFolder();
  const server = await ServerProcess.floor(path.join(folder, 'server'));
  const file = await open(path.join(folder, 'disk'), 'a');
  try {
    const { ours, server: bare, disk } = await measureRounds(subject, server, file);
    return [
      figureOf('post, one connection', ours, disk, { atMost }),
      figureOf('post, one connection, bare server', ours, bare),
    ];
  } finally {
    await file.close();
    await server.stop();
    await subject.server.suspend();
  }
}

async function measureRounds(subject: ServerUnderTest, server: ServerProcess, file: FileHandle): Promise<Durations> {
  await subject.server.resume();
  server.setResponse({ status: 201, headers: ['Content-Length', '2'], body: '{}' });
  const load = createLoad(subject);
  for (const { port } of [subject.server, server]) await warm(port, load);
  const durations: Durations = { ours: [], server: [], disk: [] };
  for (let round = 0; round < rounds; round += 1) {
    durations.disk.push(await measureSyncs(file));
    durations.server.push(await measureRequests(server.port, load));
    durations.ours.push(await measureRequests(subject.server.port, load));
  }
  return durations;
}

async function warm(port: number, load: Load): Promise<void> {
  const pool = await ConnectionPool.open(port, warmUp.connections, load);
  await pool.drive(warmUp.milliseconds);
  pool.close();
}

/** @returns the median of the milliseconds of a request on one connection */
async function measureRequests(port: number, load: Load): Promise<number> {
  const durations: number[] = [];
  const pool = await ConnectionPool.open(port, 1, timed(load, durations));
  await pool.drive(roundMs);
  pool.close();
  return median(durations);
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
