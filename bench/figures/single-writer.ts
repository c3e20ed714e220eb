/** The time of a durable write of a single caller, compared with a write and fdatasync of as many bytes on the same disk. */
import { type FileHandle, open } from 'node:fs/promises';
import path from 'node:path';
import type { BenchEnvironment } from '../environment.ts';
import { type Figure, formatValue } from '../figure.ts';
import { ConnectionPool, type Load } from '../load-driver.ts';
import { median } from '../statistics.ts';
import { createLoad } from './request-kinds.ts';

const atMost = 1.3;
const rounds = 15;
const roundMs = 300;
/** About what the log gets for a new group. */
const lineBytes = 512;

export async function singleWriterFigures(bench: BenchEnvironment): Promise<Figure[]> {
  const subject = await bench.server('small');
  await subject.server.resume();
  const durations: number[] = [];
  const pool = await ConnectionPool.open(subject.server.port, 1, timed(createLoad(subject), durations));
  const file = await open(path.join(bench.emptyFolder(), 'bare'), 'a');
  const ratios: number[] = [];
  const floors: number[] = [];
  const ours: number[] = [];
  await pool.drive(roundMs);
  for (let round = 0; round < rounds; round += 1) {
    const floor = await measureSyncs(file);
    durations.length = 0;
    await pool.drive(roundMs);
    const own = median(durations);
    floors.push(floor);
    ours.push(own);
    ratios.push(own / floor);
  }
  pool.close();
  await file.close();
  await subject.server.suspend();
  const times = { oursMs: median(ours), floorMs: median(floors) };
  return [
    {
      name: 'post, one connection',
      ours: formatValue(times.oursMs, 'ms'),
      floor: formatValue(times.floorMs, 'ms'),
      result: median(ratios),
      unit: 'ratio',
      target: { atMost },
    },
  ];
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
