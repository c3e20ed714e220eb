/** Files of a store that are cut, zeroed, followed by noise, or have a bit flipped: torn is cut off, damage is refused. */
import { deepStrictEqual, ok } from 'node:assert/strict';
import { closedSegmentName } from '../../src/server/store/json/layout.ts';
import type { StoreOpenError } from '../../src/server/store/json/open-error.ts';
import { encodeBatch } from '../../src/server/store/json/record.ts';
import { Layer } from '../../src/server/store/layer.ts';
import {
  COMMITS,
  flipped,
  journal,
  lineOf,
  model,
  snapshot,
  starts,
  tail,
  zeroed,
} from '../../test/server/store/damaged-store.ts';
import { Bench, files } from '../../test/server/store/fault-bench.ts';
import { stateOf } from '../../test/server/store/history.ts';
import { between, seeded } from '../../test/server/store/random.ts';
import { planted } from '../planted-disk.ts';
import { type Budget, type Finding, goesOn, rounds, type Suite } from '../suite.ts';

type Plant = string | undefined;

/** How often each random kind of damage is done in a full run. */
const SAMPLES = 2000;

export const cuts = everyPlace('cuts', 'the journal cut at every byte of its last three commits', cutPlaces(), cut);

export const sectors = everyPlace(
  'sectors',
  'each sector of the journal zeroed: the last commit is cut off, any other one is damage',
  Array.from({ length: journal.length - (starts[1] as number) }, (_, at) => at + (starts[1] as number)),
  zeroSector,
);

export const tails = sampled('tails', 'random bytes, or zeros, after the last commit', addNoise);
export const journalFlips = sampled(
  'journal-flips',
  'a bit of the journal flipped: always refused with its line',
  flip,
);
export const checkpointFlips = sampled(
  'checkpoint-flips',
  'a bit of the checkpoint flipped: the one before is used, or the start refused',
  flipCheckpoint,
);

function everyPlace(
  name: string,
  about: string,
  places: readonly number[],
  trial: (at: number, plant: Plant) => Promise<void>,
): Suite {
  return {
    name,
    about,
    async run(budget) {
      const findings: Finding[] = [];
      let done = 0;
      // Fewer than all of them are spread over the whole.
      const step = Math.max(1, Math.floor(places.length / budget.count));
      for (; goesOn(budget, done) && done * step < places.length && findings.length === 0; done += 1) {
        const at = places[done * step] as number;
        await trial(at, budget.plant).catch((error: Error) => {
          const planted = budget.plant === undefined ? '' : ` --plant ${budget.plant}`;
          findings.push({
            what: `at byte ${at}: ${error.message}`,
            reproduce: `npm run torture -- --only ${name}${planted}`,
          });
        });
      }
      budget.log(`${done} of ${places.length} places`);
      return findings;
    },
  };
}

function sampled(name: string, about: string, trial: (seed: number, plant: Plant) => Promise<void>): Suite {
  return {
    name,
    about,
    async run(budget: Budget) {
      const bounded = { ...budget, count: Math.min(budget.count, SAMPLES) };
      const { findings, done } = await rounds(name, bounded, (seed) => trial(seed, budget.plant));
      budget.log(`${done} samples`);
      return findings;
    },
  };
}

function cutPlaces(): number[] {
  const from = starts.at(-4) as number;
  return Array.from({ length: journal.length - from }, (_, at) => from + at);
}

function withFile(file: string, bytes: Buffer, plant: Plant): Bench {
  const bench = new Bench(model.copy().disk, (disk) => planted(disk, plant));
  bench.disk.plant(file, bytes);
  return bench;
}

async function cut(length: number, plant: Plant): Promise<void> {
  const bench = withFile(files.journal, journal.subarray(0, length), plant);
  const whole = starts.filter((start) => start <= length).length;
  await expectOpens(bench, COMMITS - starts.length + whole);
  const rest = journal.subarray(lineOf(length), length);
  deepStrictEqual((await bench.broken()).join(), rest.toString(), 'what was cut off is not kept');
}

async function zeroSector(at: number, plant: Plant): Promise<void> {
  if (at < tail) {
    const bench = withFile(files.journal, zeroed(journal, at, at + 512), plant);
    return expectRefused(bench, files.journal, lineOf(at));
  }
  const sectorEnd = Math.min(at - (at % 512) + 512, journal.length);
  const bench = withFile(files.journal, zeroed(journal, at, sectorEnd), plant);
  await expectOpens(bench, COMMITS - 1);
  deepStrictEqual((await bench.broken()).length, 1, 'what was cut off is not kept');
}

async function addNoise(seed: number, plant: Plant): Promise<void> {
  const random = seeded(seed);
  const noise = Buffer.from(Array.from({ length: between(random, 1, 3000) }, () => between(random, 0, 256)));
  const rest = seed % 4 === 0 ? Buffer.alloc(between(random, 1, 5000)) : noise;
  const bench = withFile(files.journal, Buffer.concat([journal, rest]), plant);
  await expectOpens(bench, COMMITS);
  deepStrictEqual(await bench.broken(), [rest], 'what was cut off is not kept');
}

/** Of the last commit nobody can tell whether it was torn in writing, so the places are before it. */
async function flip(seed: number, plant: Plant): Promise<void> {
  const random = seeded(seed);
  const at = between(random, 0, tail);
  const bench = withFile(files.journal, flipped(journal, at, between(random, 0, 8)), plant);
  await expectRefused(bench, files.journal, lineOf(at));
}

async function flipCheckpoint(seed: number, plant: Plant): Promise<void> {
  const random = seeded(seed);
  const checkpoint = model.bytes(files.checkpoint);
  const wrong = flipped(checkpoint, between(random, 0, checkpoint.length), between(random, 0, 8));
  const alone = withFile(files.checkpoint, wrong, plant);
  alone.disk.unplant(files.previous);
  await expectRefused(alone, files.checkpoint);
  const bench = withFile(files.checkpoint, wrong, plant);
  if (/^\{\n"formatVersion":[2-9]/.test(wrong.toString())) await expectRefused(bench, files.checkpoint);
  else await expectOpens(bench, COMMITS);
}

async function expectOpens(bench: Bench, commits: number): Promise<void> {
  const store = await bench.open();
  deepStrictEqual(await stateOf(store), commits, 'this is not the state that the files hold');
  await store.close();
}

/** Refused with the file and the place, and every file still as it was. */
async function expectRefused(bench: Bench, file: string, offset?: number): Promise<void> {
  const before = await snapshot(bench);
  const error: StoreOpenError = await bench.refusal();
  ok(error.kind === 'damaged' || error.kind === 'newer-format', error.stack ?? error.message);
  deepStrictEqual(error.file, file, error.message);
  if (offset !== undefined) deepStrictEqual(error.offset, offset, error.message);
  deepStrictEqual(await snapshot(bench), before, 'a refused start changed the files');
}

/** A journal whose commits come twice, leave one out, or are from an earlier start; and the same one replayed twice. */
export const replays = everyPlace(
  'replays',
  'any beginning of the journal replayed twice is the same as once; duplicates, gaps and earlier starts are refused',
  Array.from({ length: (starts.length - 2) * 5 }, (_, at) => at),
  replay,
);

async function replay(number: number, plant: Plant): Promise<void> {
  const line = 1 + Math.floor(number / 5);
  const lines = starts.slice(0, -1).map((start, at) => journal.subarray(start, starts[at + 1]));
  const [before, here, after] = [lines.slice(0, line), lines[line] as Buffer, lines.slice(line + 1)];
  const offset = starts[line] as number;
  // The start before had a lower number, and wrote nothing after this one.
  const earlier = Buffer.from(encodeBatch(COMMITS + 1, 0, [new Layer('overlay')]));
  const trials = [
    () => refuse([...lines, earlier], journal.length, plant),
    () => replayTwice(line, plant),
    () => refuse([...before, here, here, ...after], offset + here.length, plant),
    () => (after.length === 0 ? undefined : refuse([...before, ...after], offset, plant)),
    () => (line < 2 ? undefined : refuse([...before, lines[line - 1] as Buffer, here, ...after], offset, plant)),
  ];
  await trials[number % trials.length]?.();
}

/** The checkpoint holds the commits already; the journal from before it brings them again. */
async function replayTwice(line: number, plant: Plant): Promise<void> {
  const beginning = journal.subarray(0, starts[line + 1]);
  const bench = withFile(files.journal, beginning, plant);
  const store = await bench.open();
  await store.checkpoint();
  const again = new Bench(bench.copy().disk, (disk) => planted(disk, plant));
  again.disk.plant(files.journal, beginning);
  again.disk.unplant(`/store/${closedSegmentName(10)}`);
  await expectOpens(again, 9 + line);
}

async function refuse(lines: readonly Buffer[], offset: number, plant: Plant): Promise<void> {
  await expectRefused(withFile(files.journal, Buffer.concat(lines), plant), files.journal, offset);
}
