/** Damaged checkpoints and missing files. */
import { describe, expect, test } from 'vitest';
import { FORMAT_VERSION, layoutOf } from '../../../../src/server/store/file/layout.ts';
import { writeMarker } from '../../../../src/server/store/file/marker.ts';
import {
  COMMITS,
  closedSegment,
  createHarnessWith,
  createHarnessWithout,
  flipBit,
  lineOffsets,
  model,
  snapshot,
  wal,
} from '../damaged-store.ts';
import { catchOpenError, createOfflineStoreOn } from '../maintenance/offline-harness.ts';
import { expectOpenError, expectOpens } from '../store-assertions.ts';
import { files } from '../store-harness.ts';
import { withVersion } from '../with-version.ts';

/** Of format 1. */
const firstMarker = '{"kind":"iam-store","formatVersion":1,"initialised":true}\n';

/** Each row twice. */
const doubled = model
  .bytes(files.checkpoint)
  .toString()
  .replaceAll(/^(\{"groupId".*\}),?$/gm, '$1,\n$&');

const wrongCheckpoints: readonly [what: string, contents: string][] = [
  ['empty', ''],
  ['all zeros', '\0'.repeat(5000)],
  ['null', 'null'],
  ['an empty object', '{}'],
  ['an empty list', '[]\n'],
  ['of another format', '{"users":[],"groups":[]}\n'],
  ['cut in the middle', model.bytes(files.checkpoint).toString().slice(0, 700)],
  ['without its end', model.bytes(files.checkpoint).toString().slice(0, -1)],
  ['with two rows of one key', withVersion(Buffer.from(doubled), FORMAT_VERSION).toString()],
  ['longer than it was', `${model.bytes(files.checkpoint).toString()}\n`],
];

describe('a checkpoint', () => {
  test.each(wrongCheckpoints)('that is %s is never treated as a new store', async (_, contents) => {
    const harness = createHarnessWithout(files.previous);
    harness.disk.plant(files.checkpoint, Buffer.from(contents));
    await expectOpenError(harness, { kind: 'damaged', file: files.checkpoint, offset: expect.any(Number) });
  });

  test.each(wrongCheckpoints)(
    'that is %s is replaced by the previous one and the write-ahead log',
    async (_, contents) => {
      const harness = createHarnessWith(files.checkpoint, Buffer.from(contents));
      await expectOpens(harness, COMMITS);
      expect(await harness.quarantinedFiles()).toEqual([Buffer.from(contents)]);
      await expectOpens(harness, COMMITS);
    },
  );

  test('of a newer version stops the start, whatever other files exist', async () => {
    const newer = withVersion(model.bytes(files.checkpoint), FORMAT_VERSION + 1);
    await expectOpenError(createHarnessWith(files.checkpoint, newer), {
      kind: 'newer-format',
      file: files.checkpoint,
    });
  });
});

describe('a flipped bit', () => {
  test('in the version of a checkpoint is damage: the previous one is used', async () => {
    const bytes = model.bytes(files.checkpoint);
    const at = bytes.indexOf('"formatVersion":') + '"formatVersion":'.length;
    for (let bit = 0; bit < 8; bit += 1)
      await expectOpens(createHarnessWith(files.checkpoint, flipBit(bytes, at, bit)), COMMITS);
  });

  test('in the version of the log is damage', async () => {
    const at = wal.indexOf('"formatVersion":') + '"formatVersion":'.length;
    for (let bit = 0; bit < 8; bit += 1)
      await expectOpenError(createHarnessWith(files.wal, flipBit(wal, at, bit)), { kind: 'damaged', file: files.wal });
  });

  test('anywhere in the marker is damage', async () => {
    const bytes = model.bytes(files.marker);
    for (let at = 0; at < bytes.length; at += 1)
      for (let bit = 0; bit < 8; bit += 1)
        await expectOpenError(createHarnessWith(files.marker, flipBit(bytes, at, bit)), {
          kind: 'damaged',
          file: files.marker,
        });
  });
});

describe('missing files', () => {
  test('are tolerated if the write-ahead log contains all commits since the previous checkpoint', async () => {
    await expectOpens(createHarnessWithout(files.checkpoint), COMMITS);
    await expectOpens(createHarnessWithout(files.previous), COMMITS);
    await expectOpens(createHarnessWithout(files.previous, closedSegment), COMMITS);
  });

  test.each([
    ['both checkpoints', [files.checkpoint, files.previous]],
    ['the write-ahead log', [files.wal]],
    ['a segment in the middle', [files.checkpoint, closedSegment]],
    ['the checkpoints and the write-ahead log', [files.checkpoint, files.previous, files.wal, closedSegment]],
  ])('stop the start: %s', async (_, missing) => {
    await expectOpenError(createHarnessWithout(...missing), {
      kind: 'damaged',
      file: expect.stringContaining('/store/'),
    });
  });

  test('stop the start: the marker', async () => {
    await expectOpenError(createHarnessWithout(files.marker), { kind: 'not-ours', file: '/store' });
  });
});

describe('the marker', () => {
  test.each(['', '\0\0\0', 'null', '{}', '{"kind":"other"}'])('that contains %j stops the start', async (contents) => {
    await expectOpenError(createHarnessWith(files.marker, Buffer.from(contents)), {
      kind: 'damaged',
      file: files.marker,
    });
  });

  test('of a newer version stops the start', async () => {
    const newer = withVersion(model.bytes(files.marker), FORMAT_VERSION + 1);
    await expectOpenError(createHarnessWith(files.marker, newer), { kind: 'newer-format', file: files.marker });
  });

  test('without a CRC is damaged', async () => {
    const first = Buffer.from(firstMarker);
    for (const changed of [{ formatVersion: FORMAT_VERSION }, { storeId: '0' }]) {
      const damaged = Buffer.from(JSON.stringify({ ...JSON.parse(first.toString()), ...changed }));
      await expectOpenError(createHarnessWith(files.marker, damaged), { kind: 'damaged', file: files.marker });
    }
  });

  test('that contradicts the commits in the write-ahead log stops the start', async () => {
    const harness = model.copy();
    await writeMarker(harness.disk, layoutOf('/store'), { storeId: '0', initialised: false });
    await expectOpenError(harness, { kind: 'damaged', file: files.marker });
  });
});

describe('a format from before the first release is refused in one sentence, and nothing is changed:', () => {
  const [, end] = lineOffsets;
  const early: readonly [what: string, file: string, bytes: Buffer][] = [
    ['the marker', files.marker, withVersion(model.bytes(files.marker), 1)],
    ['a marker without a CRC', files.marker, Buffer.from(firstMarker)],
    ['the checkpoint', files.checkpoint, withVersion(model.bytes(files.checkpoint), 1)],
    ['the write-ahead log', files.wal, Buffer.concat([withVersion(wal.subarray(0, end), 1), wal.subarray(end)])],
  ];

  test.each(early)('%s', async (_, file, bytes) => {
    const harness = createHarnessWith(file, bytes);
    const before = await snapshot(harness);
    const refusal = {
      kind: 'not-ours',
      file,
      message: expect.stringMatching(
        /^\S+: the [\w -]+ has format 1, which is from before the first release and no longer read; use another folder\.$/,
      ),
    };
    await expectOpenError(harness.copy(), refusal);
    for (const name of ['verify', 'previewRepair', 'repair'] as const)
      expect(await catchOpenError(createOfflineStoreOn(harness.disk)[name]('/store'))).toMatchObject(refusal);
    expect(await snapshot(harness)).toEqual(before);
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
    const harness = model.copy();
    for (const [file, bytes] of Object.entries(contents)) harness.disk.plant(file, bytes);
    await expectOpens(harness, COMMITS);
    expect(await harness.names()).not.toContain('iam.json.tmp');
  });

  test('only the temporary file, and loses nothing', async () => {
    const harness = createHarnessWithout(files.checkpoint);
    harness.disk.plant(temporary, checkpoint);
    await expectOpens(harness, COMMITS);
  });
});
