/** A store as a kill left it, for breaking things in copies of it. */
import { closedSegmentName } from '../../../src/server/store/json/layout.ts';
import { Bench, files } from './fault-bench.ts';
import { History } from './history.ts';

/** Commits 1 to 4, a checkpoint, 5 to 9, a checkpoint, 10 to 14; then the process was killed. */
export const COMMITS = 14;
export const closedSegment = `/store/${closedSegmentName(5)}`;

export const model = await (async () => {
  const bench = new Bench();
  const history = new History();
  const store = await bench.open();
  await history.commits(store, 4);
  await store.checkpoint();
  await history.commits(store, 5);
  await store.checkpoint();
  await history.commits(store, 4);
  await history.commit(store, 1000);
  return bench;
})();

/** Where each line of a file begins, and where the last one ends. */
export function lineStarts(bytes: Buffer): number[] {
  const starts = [0];
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) starts.push(at + 1);
  return starts;
}

export const journal = model.bytes(files.journal);
export const starts = lineStarts(journal);
export const tail = starts.at(-2) as number;

export function withFile(file: string, bytes: Buffer): Bench {
  const bench = model.copy();
  bench.disk.plant(file, bytes);
  return bench;
}

export function without(...missing: string[]): Bench {
  const bench = model.copy();
  for (const file of missing) bench.disk.unplant(file);
  return bench;
}

export function zeroed(bytes: Buffer, from: number, to: number): Buffer {
  return Buffer.from(bytes).fill(0, from, to);
}

export function flipped(bytes: Buffer, at: number, bit: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] as number) ^ (1 << bit);
  return copy;
}

/** The start of the line that a byte is on. */
export function lineOf(at: number): number {
  return starts.findLast((start) => start <= at) as number;
}

export async function snapshot(bench: Bench): Promise<Record<string, string>> {
  const names = (await bench.names()).filter((name) => !name.startsWith('iam.lock'));
  return Object.fromEntries(names.map((name) => [name, bench.bytes(bench.path(name)).toString('latin1')]));
}
