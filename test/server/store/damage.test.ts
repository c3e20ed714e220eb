/** Files that are not as they were written: what is only torn is cut off, everything else stops the start. */
import { describe, expect, test } from 'vitest';
import { closedSegmentName } from '../../../src/server/store/json/layout.ts';
import { encodeBatch, encodeHead } from '../../../src/server/store/json/record.ts';
import { Layer } from '../../../src/server/store/layer.ts';
import { Bench, files } from './fault-bench.ts';
import { History, stateOf } from './history.ts';
import { between, seeded } from './random.ts';
import { group } from './rows.ts';

/** Commits 1 to 4, a checkpoint, 5 to 9, a checkpoint, 10 to 14; then the process was killed. */
const COMMITS = 14;
const closedSegment = `/store/${closedSegmentName(5)}`;

const model = await (async () => {
  const bench = new Bench();
  const history = new History();
  const store = await bench.open();
  await history.commits(store, 4);
  await store.checkpoint();
  await history.commits(store, 5);
  await store.checkpoint();
  await history.commits(store, 4);
  await history.commit(store, 2000);
  return bench;
})();

/** Where each line of a file begins, and where the last one ends. */
function lineStarts(bytes: Buffer): number[] {
  const starts = [0];
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) starts.push(at + 1);
  return starts;
}

const journal = model.bytes(files.journal);
const starts = lineStarts(journal);
const tail = starts.at(-2) as number;

function withFile(file: string, bytes: Buffer): Bench {
  const bench = model.copy();
  bench.disk.plant(file, bytes);
  return bench;
}

function without(...missing: string[]): Bench {
  const bench = model.copy();
  for (const file of missing) bench.disk.unplant(file);
  return bench;
}

function zeroed(bytes: Buffer, from: number, to: number): Buffer {
  return Buffer.from(bytes).fill(0, from, to);
}

function flipped(bytes: Buffer, at: number, bit: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] as number) ^ (1 << bit);
  return copy;
}

/** The start of the line that a byte is on. */
function lineOf(at: number): number {
  return starts.findLast((start) => start <= at) as number;
}

async function expectOpens(bench: Bench, commits: number): Promise<void> {
  const store = await bench.open();
  expect(await stateOf(store)).toBe(commits);
  await store.close();
}

/** Refused with a reason, and every file still as it was. */
async function expectRefused(bench: Bench, expected: Record<string, unknown>): Promise<void> {
  const before = await snapshot(bench);
  const error = await bench.refusal();
  expect(error).toMatchObject(expected);
  expect(error.message).not.toContain('\n');
  expect(await snapshot(bench)).toEqual(before);
}

async function snapshot(bench: Bench): Promise<Record<string, string>> {
  const names = (await bench.names()).filter((name) => !name.startsWith('iam.lock'));
  return Object.fromEntries(names.map((name) => [name, bench.bytes(bench.path(name)).toString('latin1')]));
}

describe('a torn tail', () => {
  test('is cut off and kept aside, wherever in the last three commits the journal ends', async () => {
    for (let length = starts.at(-4) as number; length < journal.length; length += 1) {
      const bench = withFile(files.journal, journal.subarray(0, length));
      const whole = starts.filter((start) => start <= length).length;
      await expectOpens(bench, COMMITS - starts.length + whole);
      const rest = journal.subarray(lineOf(length), length);
      expect((await bench.broken()).join()).toBe(rest.toString());
    }
  });

  test('may have a hole in any of its sectors', async () => {
    for (let at = tail; at < journal.length; at += 1) {
      const sectorEnd = Math.min(at - (at % 512) + 512, journal.length);
      const bench = withFile(files.journal, zeroed(journal, at, sectorEnd));
      await expectOpens(bench, COMMITS - 1);
      expect(await bench.broken()).toHaveLength(1);
      at = sectorEnd - 1;
    }
  });

  test('may be random bytes or zeros that follow the last commit', async () => {
    for (let seed = 1; seed <= 100; seed += 1) {
      const random = seeded(seed);
      const noise = Buffer.from(Array.from({ length: between(random, 1, 3000) }, () => between(random, 0, 256)));
      const rest = seed % 4 === 0 ? Buffer.alloc(between(random, 1, 5000)) : noise;
      const bench = withFile(files.journal, Buffer.concat([journal, rest]));
      await expectOpens(bench, COMMITS);
      expect(await bench.broken()).toEqual([rest]);
    }
  });

  test('does not stop later starts, and its place is written to again', async () => {
    const bench = withFile(files.journal, journal.subarray(0, -1));
    const store = await bench.open();
    const history = new History(COMMITS - 1);
    await history.commits(store, 3);
    await expectOpens(bench, COMMITS + 2);
    expect(bench.events).toContainEqual(
      expect.objectContaining({ event: 'torn-tail', file: files.journal, offset: tail }),
    );
  });

  test('may be a batch that was written with a hole in its middle', async () => {
    const bytes = Buffer.concat([journal, batch(COMMITS + 1, 9, 12)]);
    const lines = lineStarts(bytes);
    const hole = lines[starts.length + 2] as number;
    const bench = withFile(files.journal, zeroed(bytes, hole + 20, hole + 300));
    const store = await bench.open();
    expect(await store.groups.count()).toBe(COMMITS + 1 + 3);
    expect(await bench.broken()).toEqual([zeroed(bytes, hole + 20, hole + 300).subarray(hole)]);
  });
});

describe('a damaged journal is refused with the place', () => {
  test('whichever bit of what precedes the last commit is flipped', async () => {
    for (let seed = 1; seed <= 200; seed += 1) {
      const random = seeded(seed);
      const at = between(random, 0, tail);
      const bench = withFile(files.journal, flipped(journal, at, between(random, 0, 8)));
      await expectRefused(bench, { kind: 'damaged', file: files.journal, offset: lineOf(at) });
    }
  });

  test('where a sector of an earlier commit is gone, though it reach into the last one', async () => {
    for (let at = starts[1] as number; at < tail; at += 64) {
      const bench = withFile(files.journal, zeroed(journal, at, at + 512));
      await expectRefused(bench, { kind: 'damaged', file: files.journal, offset: lineOf(at) });
    }
  });

  test('where a bit is flipped in a batch of which other commits are whole', async () => {
    const bytes = Buffer.concat([journal, batch(COMMITS + 1, 9, 5)]);
    const second = lineStarts(bytes)[starts.length] as number;
    const bench = withFile(files.journal, flipped(bytes, second + 40, 3));
    await expectRefused(bench, { kind: 'damaged', file: files.journal, offset: second });
  });

  test('where it is empty, or its head is gone', async () => {
    for (const bytes of ['', '\0'.repeat(600), 'null\n', '{}\n']) {
      await expectRefused(withFile(files.journal, Buffer.from(bytes)), { kind: 'damaged', offset: 0 });
    }
    const headless = journal.subarray(starts[1] as number);
    await expectRefused(withFile(files.journal, headless), { kind: 'damaged', file: files.journal, offset: 0 });
  });

  test('where a newer version wrote it', async () => {
    const newer = Buffer.from('{"formatVersion":2,"first":10,"epoch":1,"crc32":"4ab2b4bd"}\n');
    const { crc32 } = await import('node:zlib');
    const start = newer.toString().split(',"crc32"')[0] as string;
    const sealed = Buffer.from(`${start},"crc32":"${crc32(start).toString(16).padStart(8, '0')}"}\n`);
    await expectRefused(withFile(files.journal, sealed), { kind: 'newer-format', file: files.journal });
  });
});

/** Commits as one batch, each adding one group of its own. */
function batch(first: number, epoch: number, count: number): Buffer {
  const commits = Array.from({ length: count }, (_, index) => {
    const commit = new Layer('overlay');
    const row = group(`z${first + index}`);
    commit.table('groups').put(row.groupId, row);
    return commit;
  });
  return encodeBatch(first, epoch, commits);
}

describe('a journal whose commits do not follow one another is refused', () => {
  const offset = journal.length;
  const next = COMMITS + 1;
  const added: readonly [what: string, lines: Buffer, expectedOffset: number][] = [
    ['a commit that is there twice', batch(COMMITS, 9, 1), offset],
    ['a gap', batch(next + 1, 9, 1), offset],
    ['a commit of an earlier start', batch(next, 1, 1), offset],
    ['an older end that comes again', journal.subarray(tail), offset],
    ['an earlier start after a later one', Buffer.concat([batch(next, 9, 1), batch(next + 1, 8, 1)]), 0],
  ];

  test.each(added)('%s', async (_, lines, expectedOffset) => {
    const place = expectedOffset || offset + batch(next, 9, 1).length;
    const bench = withFile(files.journal, Buffer.concat([journal, lines]));
    await expectRefused(bench, { kind: 'damaged', file: files.journal, offset: place });
  });

  test('a segment that begins too late or too early for the one before', async () => {
    const bench = without(files.checkpoint);
    bench.disk.plant(files.journal, Buffer.concat([encodeHead(11, 9), batch(11, 9, 1)]));
    await expectRefused(bench, { kind: 'damaged' });
    bench.disk.plant(files.journal, Buffer.concat([encodeHead(9, 9), batch(9, 9, 1)]));
    await expectRefused(bench, { kind: 'damaged' });
  });

  test('a journal that ends before the checkpoint does', async () => {
    const bench = withFile(files.journal, model.bytes(closedSegment).subarray(0, -10));
    await expectRefused(bench, { kind: 'damaged' });
    bench.disk.plant(files.journal, Buffer.concat([encodeHead(5, 2), batch(5, 2, 1)]));
    await expectRefused(bench, { kind: 'damaged', file: files.journal });
  });
});

const wrongCheckpoints: readonly [what: string, contents: string][] = [
  ['empty', ''],
  ['all zeros', '\0'.repeat(5000)],
  ['null', 'null'],
  ['an empty object', '{}'],
  ['an empty list', '[]\n'],
  ['of another format', '{"users":[],"groups":[]}\n'],
  ['cut in the middle', model.bytes(files.checkpoint).toString().slice(0, 700)],
  ['without its end', model.bytes(files.checkpoint).toString().slice(0, -1)],
  ['longer than it was', `${model.bytes(files.checkpoint).toString()}\n`],
];

describe('a checkpoint', () => {
  test.each(wrongCheckpoints)('that is %s is never taken for a new store', async (_, contents) => {
    const bench = without(files.previous);
    bench.disk.plant(files.checkpoint, Buffer.from(contents));
    await expectRefused(bench, { kind: 'damaged', file: files.checkpoint, offset: expect.any(Number) });
  });

  test.each(wrongCheckpoints)('that is %s is replaced by the one before and the journal since', async (_, contents) => {
    const bench = withFile(files.checkpoint, Buffer.from(contents));
    await expectOpens(bench, COMMITS);
    expect(await bench.broken()).toEqual([Buffer.from(contents)]);
    await expectOpens(bench, COMMITS);
  });

  test('of a newer version stops the start, whatever else is there', async () => {
    const newer = model.bytes(files.checkpoint).toString().replace('"formatVersion":1', '"formatVersion":2');
    await expectRefused(withFile(files.checkpoint, Buffer.from(newer)), {
      kind: 'newer-format',
      file: files.checkpoint,
    });
  });

  test('with any bit flipped is not used: the one before is, or the start is refused', async () => {
    const checkpoint = model.bytes(files.checkpoint);
    for (let seed = 1; seed <= 200; seed += 1) {
      const random = seeded(seed);
      const wrong = flipped(checkpoint, between(random, 0, checkpoint.length), between(random, 0, 8));
      const kind = expect.stringMatching(/^(damaged|newer-format)$/);
      const alone = without(files.previous);
      alone.disk.plant(files.checkpoint, wrong);
      await expectRefused(alone, { kind, file: files.checkpoint });
      const bench = withFile(files.checkpoint, wrong);
      if (/^\{\n"formatVersion":[2-9]/.test(wrong.toString())) await expectRefused(bench, { kind: 'newer-format' });
      else await expectOpens(bench, COMMITS);
    }
  });
});

describe('missing files', () => {
  test('are made up for where the journal holds everything since the checkpoint before', async () => {
    await expectOpens(without(files.checkpoint), COMMITS);
    await expectOpens(without(files.previous), COMMITS);
    await expectOpens(without(files.previous, closedSegment), COMMITS);
  });

  test.each([
    ['both checkpoints', [files.checkpoint, files.previous]],
    ['the journal', [files.journal]],
    ['a segment in the middle', [files.checkpoint, closedSegment]],
    ['the checkpoints and the journal', [files.checkpoint, files.previous, files.journal, closedSegment]],
  ])('stop the start: %s', async (_, missing) => {
    await expectRefused(without(...missing), { kind: 'damaged', file: expect.stringContaining('/store/') });
  });

  test('stop the start: the marker', async () => {
    await expectRefused(without(files.marker), { kind: 'not-ours', file: '/store' });
  });
});

describe('the marker', () => {
  test.each(['', '\0\0\0', 'null', '{}', '{"kind":"other"}'])('that holds %j stops the start', async (contents) => {
    await expectRefused(withFile(files.marker, Buffer.from(contents)), { kind: 'damaged', file: files.marker });
  });

  test('of a newer version stops the start', async () => {
    const newer = Buffer.from('{"kind":"iam-store","formatVersion":2,"initialised":true}');
    await expectRefused(withFile(files.marker, newer), { kind: 'newer-format', file: files.marker });
  });

  test('that denies the commits in the journal stops the start', async () => {
    const begun = Buffer.from('{"kind":"iam-store","formatVersion":1,"initialised":false}');
    await expectRefused(withFile(files.marker, begun), { kind: 'damaged', file: files.marker });
  });
});

describe('a crash while the checkpoint is renamed leaves', () => {
  const checkpoint = model.bytes(files.checkpoint);
  const older = model.bytes(files.previous);
  const temporary = `${files.checkpoint}.tmp`;

  test.each([
    ['the old contents under the name', { [files.checkpoint]: older }],
    ['nothing under the name', { [files.checkpoint]: Buffer.alloc(0) }],
    ['a part under the name', { [files.checkpoint]: checkpoint.subarray(0, 512) }],
    ['both files', { [temporary]: checkpoint }],
    ['a part of the new file', { [temporary]: checkpoint.subarray(0, 512) }],
  ] as [string, Record<string, Buffer>][])('%s, and loses nothing', async (_, contents) => {
    const bench = model.copy();
    for (const [file, bytes] of Object.entries(contents)) bench.disk.plant(file, bytes);
    await expectOpens(bench, COMMITS);
    expect(await bench.names()).not.toContain('iam.json.tmp');
  });

  test('neither of the two names, and loses nothing', async () => {
    const bench = without(files.checkpoint);
    bench.disk.plant(temporary, checkpoint);
    await expectOpens(bench, COMMITS);
  });
});

test('replaying any beginning of the journal twice is the same as once', async () => {
  for (let lines = 1; lines < starts.length; lines += 1) {
    const bench = withFile(files.journal, journal.subarray(0, starts[lines]));
    const store = await bench.open();
    await store.checkpoint();
    const again = bench.copy();
    // The checkpoint holds the commits already; the journal from before it brings them again.
    again.disk.plant(files.journal, journal.subarray(0, starts[lines]));
    again.disk.unplant(`/store/${closedSegmentName(10)}`);
    await expectOpens(again, 9 + lines - 1);
  }
});
