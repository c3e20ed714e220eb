/** Truncates, zeroes, extends or bit-flips files of a store: a torn tail is cut off, other damage is rejected. */
import { deepStrictEqual, ok } from 'node:assert/strict';
import { closedSegmentName } from '../../../src/server/store/file/layout.ts';
import { Overlay } from '../../../src/server/store/memory/overlay.ts';
import type { StoreOpenError } from '../../../src/server/store/open-error.ts';
import {
  COMMITS,
  chainAt,
  flipBit,
  lineNumberAt,
  lineOffsets,
  model,
  snapshot,
  tail,
  wal,
  zeroBytes,
} from '../../server/store/damaged-store.ts';
import { encodeLines } from '../../server/store/encode-lines.ts';
import { countCommits } from '../../server/store/history.ts';
import { between, createSeededRandom } from '../../server/store/random.ts';
import { files, StoreHarness } from '../../server/store/store-harness.ts';
import { withSeededBug } from '../seeded-bugs.ts';
import { type Budget, type Finding, hasBudget, runRounds, type Suite } from '../suite.ts';

type BugName = string | undefined;

/** Samples of each random kind of damage in a full run. */
const SAMPLES = 2000;

export const cuts = createPositionSuite(
  'cuts',
  'the write-ahead log truncated at every byte of its last three commits: complete commits are recovered',
  listCutPositions(),
  cut,
);

export const sectors = createPositionSuite(
  'sectors',
  'each sector of the write-ahead log zeroed: the last commit is cut off, any other one is reported as damage',
  Array.from({ length: wal.length - (lineOffsets[1] as number) }, (_, at) => at + (lineOffsets[1] as number)),
  zeroSector,
);

export const tails = createSampleSuite(
  'tails',
  'random bytes or zeros after the last commit are cut off and quarantined',
  addNoise,
);
export const walFlips = createSampleSuite(
  'wal-flips',
  'a flipped bit in the write-ahead log: the start is rejected with the position of the line',
  flip,
);
export const checkpointFlips = createSampleSuite(
  'checkpoint-flips',
  'a flipped bit in the checkpoint: the previous one is used, or the start is rejected',
  flipCheckpoint,
);

function createPositionSuite(
  name: string,
  about: string,
  positions: readonly number[],
  trial: (at: number, seededBug: BugName) => Promise<void>,
): Suite {
  return {
    name,
    about,
    async run(budget) {
      const findings: Finding[] = [];
      let done = 0;
      // With a smaller count, the positions are spread evenly.
      const step = Math.max(1, Math.floor(positions.length / budget.count));
      for (; hasBudget(budget, done) && done * step < positions.length && findings.length === 0; done += 1) {
        const at = positions[done * step] as number;
        await trial(at, budget.seededBug).catch((error: Error) => {
          const bugOption = budget.seededBug === undefined ? '' : ` --bug ${budget.seededBug}`;
          findings.push({
            problem: `at byte ${at}: ${error.message}`,
            reproduce: `npm run stress -- --only ${name}${bugOption}`,
          });
        });
      }
      budget.log(`${done} of ${positions.length} positions`);
      return findings;
    },
  };
}

function createSampleSuite(
  name: string,
  about: string,
  trial: (seed: number, seededBug: BugName) => Promise<void>,
): Suite {
  return {
    name,
    about,
    async run(budget: Budget) {
      const bounded = { ...budget, count: Math.min(budget.count, SAMPLES) };
      const { findings, done } = await runRounds(name, bounded, (seed) => trial(seed, budget.seededBug));
      budget.log(`${done} samples`);
      return findings;
    },
  };
}

function listCutPositions(): number[] {
  const from = lineOffsets.at(-4) as number;
  return Array.from({ length: wal.length - from }, (_, at) => from + at);
}

function createHarness(file: string, bytes: Buffer, seededBug: BugName): StoreHarness {
  const harness = new StoreHarness(model.copy().disk, (disk) => withSeededBug(disk, seededBug));
  harness.disk.plant(file, bytes);
  return harness;
}

async function cut(length: number, seededBug: BugName): Promise<void> {
  const harness = createHarness(files.wal, wal.subarray(0, length), seededBug);
  const whole = lineOffsets.filter((start) => start <= length).length;
  await assertOpens(harness, COMMITS - lineOffsets.length + whole);
  const rest = wal.subarray(lineNumberAt(length), length);
  deepStrictEqual(
    (await harness.quarantinedFiles()).join(),
    rest.toString(),
    'the bytes that were cut off are not quarantined',
  );
}

async function zeroSector(at: number, seededBug: BugName): Promise<void> {
  if (at < tail) {
    const harness = createHarness(files.wal, zeroBytes(wal, at, at + 512), seededBug);
    return assertRejected(harness, files.wal, lineNumberAt(at));
  }
  const sectorEnd = Math.min(at - (at % 512) + 512, wal.length);
  const harness = createHarness(files.wal, zeroBytes(wal, at, sectorEnd), seededBug);
  await assertOpens(harness, COMMITS - 1);
  deepStrictEqual((await harness.quarantinedFiles()).length, 1, 'the bytes that were cut off are not quarantined');
}

async function addNoise(seed: number, seededBug: BugName): Promise<void> {
  const random = createSeededRandom(seed);
  const noise = Buffer.from(Array.from({ length: between(random, 1, 3000) }, () => between(random, 0, 256)));
  const rest = seed % 4 === 0 ? Buffer.alloc(between(random, 1, 5000)) : noise;
  const harness = createHarness(files.wal, Buffer.concat([wal, rest]), seededBug);
  await assertOpens(harness, COMMITS);
  deepStrictEqual(await harness.quarantinedFiles(), [rest], 'the bytes that were cut off are not quarantined');
}

/** Flips a bit before the last commit; damage in the last one cannot be distinguished from a torn write. */
async function flip(seed: number, seededBug: BugName): Promise<void> {
  const random = createSeededRandom(seed);
  const at = between(random, 0, tail);
  const harness = createHarness(files.wal, flipBit(wal, at, between(random, 0, 8)), seededBug);
  await assertRejected(harness, files.wal, lineNumberAt(at));
}

async function flipCheckpoint(seed: number, seededBug: BugName): Promise<void> {
  const random = createSeededRandom(seed);
  const checkpoint = model.bytes(files.checkpoint);
  const wrong = flipBit(checkpoint, between(random, 0, checkpoint.length), between(random, 0, 8));
  const alone = createHarness(files.checkpoint, wrong, seededBug);
  alone.disk.unplant(files.previous);
  await assertRejected(alone, files.checkpoint);
  const harness = createHarness(files.checkpoint, wrong, seededBug);
  await assertOpens(harness, COMMITS);
}

async function assertOpens(harness: StoreHarness, commits: number): Promise<void> {
  const store = await harness.open();
  deepStrictEqual(await countCommits(store), commits, 'the state differs from the content of the files');
  await store.close();
}

/** Verifies that the start is rejected with the file and the offset, and that the files stay unchanged. */
async function assertRejected(harness: StoreHarness, file: string, offset?: number): Promise<void> {
  const before = await snapshot(harness);
  const error: StoreOpenError = await harness.catchOpenError();
  ok(error.kind === 'damaged' || error.kind === 'newer-format', error.stack ?? error.message);
  deepStrictEqual(error.file, file, error.message);
  if (offset !== undefined) deepStrictEqual(error.offset, offset, error.message);
  deepStrictEqual(await snapshot(harness), before, 'a rejected start changed the files');
}

/** A log with duplicate, missing or reordered commits, or with commits of an earlier start; and a log replayed twice. */
export const replays = createPositionSuite(
  'replays',
  'replaying any prefix of the log twice equals replaying it once; duplicates, missing commits and earlier starts are rejected',
  Array.from({ length: (lineOffsets.length - 2) * 5 }, (_, at) => at),
  replay,
);

async function replay(number: number, seededBug: BugName): Promise<void> {
  const line = 1 + Math.floor(number / 5);
  const lines = lineOffsets.slice(0, -1).map((start, at) => wal.subarray(start, lineOffsets[at + 1]));
  const [before, here, after] = [lines.slice(0, line), lines[line] as Buffer, lines.slice(line + 1)];
  const offset = lineOffsets[line] as number;
  // A batch of an earlier start: its number is lower, so it cannot follow.
  const earlier = encodeLines({ first: COMMITS + 1, epoch: 0, chain: chainAt(COMMITS) }, [
    new Overlay('overlay'),
  ]).bytes;
  const trials = [
    () => assertLinesRejected([...lines, earlier], wal.length, seededBug),
    () => replayTwice(line, seededBug),
    () => assertLinesRejected([...before, here, here, ...after], offset + here.length, seededBug),
    () => (after.length === 0 ? undefined : assertLinesRejected([...before, ...after], offset, seededBug)),
    () =>
      line < 2
        ? undefined
        : assertLinesRejected([...before, lines[line - 1] as Buffer, here, ...after], offset, seededBug),
  ];
  await trials[number % trials.length]?.();
}

/** Replays a log whose commits the checkpoint already contains. */
async function replayTwice(line: number, seededBug: BugName): Promise<void> {
  const prefix = wal.subarray(0, lineOffsets[line + 1]);
  const harness = createHarness(files.wal, prefix, seededBug);
  const store = await harness.open();
  await store.checkpoint();
  const again = new StoreHarness(harness.copy().disk, (disk) => withSeededBug(disk, seededBug));
  again.disk.plant(files.wal, prefix);
  again.disk.unplant(`/store/${closedSegmentName(10)}`);
  await assertOpens(again, 9 + line);
}

async function assertLinesRejected(lines: readonly Buffer[], offset: number, seededBug: BugName): Promise<void> {
  await assertRejected(createHarness(files.wal, Buffer.concat(lines), seededBug), files.wal, offset);
}
