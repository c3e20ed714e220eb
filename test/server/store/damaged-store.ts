/** The store of a killed process, to damage in copies. */
import { type Chain, hashCommit } from '../../../src/server/store/file/chain.ts';
import { closedSegmentName } from '../../../src/server/store/file/layout.ts';
import { History } from './history.ts';
import { files, StoreHarness } from './store-harness.ts';

/** Commits 1 to 4, a checkpoint, 5 to 9, a checkpoint, 10 to 14; then the process was killed. */
export const COMMITS = 14;
export const closedSegment = `/store/${closedSegmentName(5)}`;

export const model = await (async () => {
  const harness = new StoreHarness();
  const history = new History();
  const store = await harness.open();
  await history.commits(store, 4);
  await store.checkpoint();
  await history.commits(store, 5);
  await store.checkpoint();
  await history.commits(store, 4);
  await history.commit(store, 1000);
  return harness;
})();

/** The offset of each line of a file, and the end of the last one. */
export function findLineOffsets(bytes: Buffer): number[] {
  const starts = [0];
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) starts.push(at + 1);
  return starts;
}

export const wal = model.bytes(files.wal);
export const lineOffsets = findLineOffsets(wal);
export const tail = lineOffsets.at(-2) as number;

const { storeId } = JSON.parse(model.bytes(files.marker).toString()) as { storeId: string };
/** Commits 5 to 14. */
const commitLines = `${model.bytes(closedSegment)}${wal}`.split('\n').filter((line) => line.startsWith('{"sequence"'));

/** The chain as of one of the commits 5 to 14; with a wrong hash as of another. */
export function chainAt(sequence: number): Chain {
  return { storeId, lastHash: hashCommit(commitLines[sequence - 5] ?? '') };
}

export function createHarnessWith(file: string, bytes: Buffer): StoreHarness {
  const harness = model.copy();
  harness.disk.plant(file, bytes);
  return harness;
}

export function createHarnessWithout(...missing: string[]): StoreHarness {
  const harness = model.copy();
  for (const file of missing) harness.disk.unplant(file);
  return harness;
}

export function zeroBytes(bytes: Buffer, from: number, to: number): Buffer {
  return Buffer.from(bytes).fill(0, from, to);
}

export function flipBit(bytes: Buffer, at: number, bit: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] as number) ^ (1 << bit);
  return copy;
}

/** The start of the line that a byte is on. */
export function lineNumberAt(at: number): number {
  return lineOffsets.findLast((start) => start <= at) as number;
}

export async function snapshot(harness: StoreHarness): Promise<Record<string, string>> {
  const names = (await harness.names()).filter((name) => !name.startsWith('iam.lock'));
  return Object.fromEntries(names.map((name) => [name, harness.bytes(harness.path(name)).toString('latin1')]));
}
