/** A checkpoint, or a whole file, that is not as it was written or not there. */
import { describe, expect, test } from 'vitest';
import { COMMITS, closedSegment, createHarnessWith, createHarnessWithout, model } from './damaged-store.ts';
import { expectOpens, expectRefused } from './store-assertions.ts';
import { files } from './store-harness.ts';

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
    const bench = createHarnessWithout(files.previous);
    bench.disk.plant(files.checkpoint, Buffer.from(contents));
    await expectRefused(bench, { kind: 'damaged', file: files.checkpoint, offset: expect.any(Number) });
  });

  test.each(wrongCheckpoints)('that is %s is replaced by the one before and the journal since', async (_, contents) => {
    const bench = createHarnessWith(files.checkpoint, Buffer.from(contents));
    await expectOpens(bench, COMMITS);
    expect(await bench.quarantinedFiles()).toEqual([Buffer.from(contents)]);
    await expectOpens(bench, COMMITS);
  });

  test('of a newer version stops the start, whatever else is there', async () => {
    const newer = model.bytes(files.checkpoint).toString().replace('"formatVersion":1', '"formatVersion":2');
    await expectRefused(createHarnessWith(files.checkpoint, Buffer.from(newer)), {
      kind: 'newer-format',
      file: files.checkpoint,
    });
  });
});

describe('missing files', () => {
  test('are made up for where the journal holds everything since the checkpoint before', async () => {
    await expectOpens(createHarnessWithout(files.checkpoint), COMMITS);
    await expectOpens(createHarnessWithout(files.previous), COMMITS);
    await expectOpens(createHarnessWithout(files.previous, closedSegment), COMMITS);
  });

  test.each([
    ['both checkpoints', [files.checkpoint, files.previous]],
    ['the journal', [files.wal]],
    ['a segment in the middle', [files.checkpoint, closedSegment]],
    ['the checkpoints and the journal', [files.checkpoint, files.previous, files.wal, closedSegment]],
  ])('stop the start: %s', async (_, missing) => {
    await expectRefused(createHarnessWithout(...missing), {
      kind: 'damaged',
      file: expect.stringContaining('/store/'),
    });
  });

  test('stop the start: the marker', async () => {
    await expectRefused(createHarnessWithout(files.marker), { kind: 'not-ours', file: '/store' });
  });
});

describe('the marker', () => {
  test.each(['', '\0\0\0', 'null', '{}', '{"kind":"other"}'])('that holds %j stops the start', async (contents) => {
    await expectRefused(createHarnessWith(files.marker, Buffer.from(contents)), {
      kind: 'damaged',
      file: files.marker,
    });
  });

  test('of a newer version stops the start', async () => {
    const newer = Buffer.from('{"kind":"iam-store","formatVersion":2,"initialised":true}');
    await expectRefused(createHarnessWith(files.marker, newer), { kind: 'newer-format', file: files.marker });
  });

  test('that denies the commits in the journal stops the start', async () => {
    const begun = Buffer.from('{"kind":"iam-store","formatVersion":1,"initialised":false}');
    await expectRefused(createHarnessWith(files.marker, begun), { kind: 'damaged', file: files.marker });
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
    const bench = createHarnessWithout(files.checkpoint);
    bench.disk.plant(temporary, checkpoint);
    await expectOpens(bench, COMMITS);
  });
});
