/** Files of a store that are cut, zeroed, followed by noise, or have a bit flipped: torn is cut off, damage is refused. */
import { deepStrictEqual, ok } from 'node:assert/strict';
import { closedSegmentName } from '../../../src/server/store/json/layout.ts';
import type { StoreOpenError } from '../../../src/server/store/json/open-error.ts';
import { encodeBatch } from '../../../src/server/store/json/wal-record.ts';
import { Overlay } from '../../../src/server/store/overlay.ts';
import {
  COMMITS,
  flipBit,
  lineNumberAt,
  lineOffsets,
  model,
  snapshot,
  tail,
  wal,
  zeroBytes,
} from '../../server/store/damaged-store.ts';
import { countCommits } from '../../server/store/history.ts';
import { between, createSeededRandom } from '../../server/store/random.ts';
import { files, StoreHarness } from '../../server/store/store-harness.ts';
import { withSeededBug } from '../seeded-bugs/disk.ts';
import { type Budget, type Finding, hasBudget, runRounds, type Suite } from '../suite.ts';

type Plant = string | undefined;

/** How often each random kind of damage is done in a full run. */
const SAMPLES = 2000;

export const cuts = createPlaceSuite(
  'cuts',
  'the journal cut at every byte of its last three commits',
  listCutPlaces(),
  cut,
);

export const sectors = createPlaceSuite(
  'sectors',
  'each sector of the journal zeroed: the last commit is cut off, any other one is damage',
  Array.from({ length: wal.length - (lineOffsets[1] as number) }, (_, at) => at + (lineOffsets[1] as number)),
  zeroSector,
);

export const tails = createSampleSuite('tails', 'random bytes, or zeros, after the last commit', addNoise);
export const journalFlips = createSampleSuite(
  'journal-flips',
  'a bit of the journal flipped: always refused with its line',
  flip,
);
export const checkpointFlips = createSampleSuite(
  'checkpoint-flips',
  'a bit of the checkpoint flipped: the one before is used, or the start refused',
  flipCheckpoint,
);

function createPlaceSuite(
  name: string,
  about: string,
  places: readonly number[],
  trial: (at: number, seededBug: Plant) => Promise<void>,
): Suite {
  return {
    name,
    about,
    async run(budget) {
      const findings: Finding[] = [];
      let done = 0;
      // Fewer than all of them are spread over the whole.
      const step = Math.max(1, Math.floor(places.length / budget.count));
      for (; hasBudget(budget, done) && done * step < places.length && findings.length === 0; done += 1) {
        const at = places[done * step] as number;
        await trial(at, budget.seededBug).catch((error: Error) => {
          const bugOption = budget.seededBug === undefined ? '' : ` --plant ${budget.seededBug}`;
          findings.push({
            problem: `at byte ${at}: ${error.message}`,
            reproduce: `npm run torture -- --only ${name}${bugOption}`,
          });
        });
      }
      budget.log(`${done} of ${places.length} places`);
      return findings;
    },
  };
}

function createSampleSuite(
  name: string,
  about: string,
  trial: (seed: number, seededBug: Plant) => Promise<void>,
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

function listCutPlaces(): number[] {
  const from = lineOffsets.at(-4) as number;
  return Array.from({ length: wal.length - from }, (_, at) => from + at);
}

function createBench(file: string, bytes: Buffer, seededBug: Plant): StoreHarness {
  const bench = new StoreHarness(model.copy().disk, (disk) => withSeededBug(disk, seededBug));
  bench.disk.plant(file, bytes);
  return bench;
}

async function cut(length: number, seededBug: Plant): Promise<void> {
  const bench = createBench(files.wal, wal.subarray(0, length), seededBug);
  const whole = lineOffsets.filter((start) => start <= length).length;
  await assertOpens(bench, COMMITS - lineOffsets.length + whole);
  const rest = wal.subarray(lineNumberAt(length), length);
  deepStrictEqual((await bench.quarantinedFiles()).join(), rest.toString(), 'what was cut off is not kept');
}

async function zeroSector(at: number, seededBug: Plant): Promise<void> {
  if (at < tail) {
    const bench = createBench(files.wal, zeroBytes(wal, at, at + 512), seededBug);
    return assertRejected(bench, files.wal, lineNumberAt(at));
  }
  const sectorEnd = Math.min(at - (at % 512) + 512, wal.length);
  const bench = createBench(files.wal, zeroBytes(wal, at, sectorEnd), seededBug);
  await assertOpens(bench, COMMITS - 1);
  deepStrictEqual((await bench.quarantinedFiles()).length, 1, 'what was cut off is not kept');
}

async function addNoise(seed: number, seededBug: Plant): Promise<void> {
  const random = createSeededRandom(seed);
  const noise = Buffer.from(Array.from({ length: between(random, 1, 3000) }, () => between(random, 0, 256)));
  const rest = seed % 4 === 0 ? Buffer.alloc(between(random, 1, 5000)) : noise;
  const bench = createBench(files.wal, Buffer.concat([wal, rest]), seededBug);
  await assertOpens(bench, COMMITS);
  deepStrictEqual(await bench.quarantinedFiles(), [rest], 'what was cut off is not kept');
}

/** Of the last commit nobody can tell whether it was torn in writing, so the places are before it. */
async function flip(seed: number, seededBug: Plant): Promise<void> {
  const random = createSeededRandom(seed);
  const at = between(random, 0, tail);
  const bench = createBench(files.wal, flipBit(wal, at, between(random, 0, 8)), seededBug);
  await assertRejected(bench, files.wal, lineNumberAt(at));
}

async function flipCheckpoint(seed: number, seededBug: Plant): Promise<void> {
  const random = createSeededRandom(seed);
  const checkpoint = model.bytes(files.checkpoint);
  const wrong = flipBit(checkpoint, between(random, 0, checkpoint.length), between(random, 0, 8));
  const alone = createBench(files.checkpoint, wrong, seededBug);
  alone.disk.unplant(files.previous);
  await assertRejected(alone, files.checkpoint);
  const bench = createBench(files.checkpoint, wrong, seededBug);
  if (/^\{\n"formatVersion":[2-9]/.test(wrong.toString())) await assertRejected(bench, files.checkpoint);
  else await assertOpens(bench, COMMITS);
}

async function assertOpens(bench: StoreHarness, commits: number): Promise<void> {
  const store = await bench.open();
  deepStrictEqual(await countCommits(store), commits, 'this is not the state that the files hold');
  await store.close();
}

/** Refused with the file and the place, and every file still as it was. */
async function assertRejected(bench: StoreHarness, file: string, offset?: number): Promise<void> {
  const before = await snapshot(bench);
  const error: StoreOpenError = await bench.refusal();
  ok(error.kind === 'damaged' || error.kind === 'newer-format', error.stack ?? error.message);
  deepStrictEqual(error.file, file, error.message);
  if (offset !== undefined) deepStrictEqual(error.offset, offset, error.message);
  deepStrictEqual(await snapshot(bench), before, 'a refused start changed the files');
}

/** A journal whose commits come twice, leave one out, or are from an earlier start; and the same one replayed twice. */
export const replays = createPlaceSuite(
  'replays',
  'any beginning of the journal replayed twice is the same as once; duplicates, gaps and earlier starts are refused',
  Array.from({ length: (lineOffsets.length - 2) * 5 }, (_, at) => at),
  replay,
);

async function replay(number: number, seededBug: Plant): Promise<void> {
  const line = 1 + Math.floor(number / 5);
  const lines = lineOffsets.slice(0, -1).map((start, at) => wal.subarray(start, lineOffsets[at + 1]));
  const [before, here, after] = [lines.slice(0, line), lines[line] as Buffer, lines.slice(line + 1)];
  const offset = lineOffsets[line] as number;
  // The start before had a lower number, and wrote nothing after this one.
  const earlier = Buffer.from(encodeBatch(COMMITS + 1, 0, [new Overlay('overlay')]));
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

/** The checkpoint holds the commits already; the journal from before it brings them again. */
async function replayTwice(line: number, seededBug: Plant): Promise<void> {
  const beginning = wal.subarray(0, lineOffsets[line + 1]);
  const bench = createBench(files.wal, beginning, seededBug);
  const store = await bench.open();
  await store.checkpoint();
  const again = new StoreHarness(bench.copy().disk, (disk) => withSeededBug(disk, seededBug));
  again.disk.plant(files.wal, beginning);
  again.disk.unplant(`/store/${closedSegmentName(10)}`);
  await assertOpens(again, 9 + line);
}

async function assertLinesRejected(lines: readonly Buffer[], offset: number, seededBug: Plant): Promise<void> {
  await assertRejected(createBench(files.wal, Buffer.concat(lines), seededBug), files.wal, offset);
}
