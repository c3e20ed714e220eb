/** The checkpoint format, and the positions in errors for damaged files. */
import { crc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import {
  type Checkpoint,
  checkpointSlices,
  countTableRows,
  decodeCheckpoint as decodeContents,
} from '../../../../src/server/store/file/checkpoint-format.ts';
import { FORMAT_VERSION } from '../../../../src/server/store/file/layout.ts';
import { toReadableFile } from '../../../../src/server/store/file/line-reader.ts';
import type { StoredRow } from '../../../../src/server/store/table-shape.ts';
import { group } from '../rows.ts';

const file = '/store/iam.json';

function createCheckpoint(groups: readonly StoredRow[]): Checkpoint {
  const tables = new Map<string, readonly StoredRow[]>([
    ['groups', groups],
    ['users', []],
    ['apiKeys', []],
  ]);
  return { sequence: 7, epoch: 3, writtenAt: '2024-05-01T12:00:00.000Z', tables };
}

const few = createCheckpoint([group('a'), group('b', { roles: ['DEPLOY'] })]);
const text = encode(few);

function encode(checkpoint: Checkpoint): string {
  return Buffer.concat([...checkpointSlices(checkpoint)]).toString();
}

/** A changed text with a matching CRC suffix. */
function withCrc(changed: string): Buffer {
  const body = changed.slice(0, changed.indexOf('"crc32":'));
  return Buffer.from(`${body}"crc32":"${crc32(Buffer.from(body)).toString(16).padStart(8, '0')}"\n}\n`);
}

/** The offset of a line. */
function lineAt(inside: string, changed: string): number {
  return changed.lastIndexOf('\n', changed.indexOf(inside)) + 1;
}

function decodeCheckpoint(name: string, bytes: Buffer): Checkpoint {
  return decodeContents(name, toReadableFile(bytes));
}

test('is valid JSON and round-trips', () => {
  // Encoded within the test, so that mutation tests cover it.
  const written = encode(few);
  expect(written).toBe(text);
  expect(JSON.parse(written)).toEqual({
    formatVersion: FORMAT_VERSION,
    sequence: 7,
    epoch: 3,
    writtenAt: '2024-05-01T12:00:00.000Z',
    tables: { groups: few.tables.get('groups'), users: [], apiKeys: [] },
    crc32: expect.stringMatching(/^[0-9a-f]{8}$/),
  });
  expect(decodeCheckpoint(file, Buffer.from(text))).toEqual(few);
  expect(withCrc(text).toString()).toBe(text);
});

test('a table has one row per line', () => {
  expect(text.split('\n').filter((line) => line.startsWith('{"groupId":'))).toHaveLength(2);
});

test('a long checkpoint is encoded in slices of 64 kB plus at most one row', () => {
  const many = createCheckpoint(Array.from({ length: 2000 }, (_, at) => group(`g${at}`, { roles: ['x'.repeat(200)] })));
  const lengths = [...checkpointSlices(many)].map(({ length }) => length);
  expect(lengths.length).toBeGreaterThan(5);
  for (const length of lengths.slice(0, -2)) {
    expect(length).toBeGreaterThanOrEqual(64 * 1024);
    expect(length).toBeLessThan(65 * 1024);
  }
  expect(decodeCheckpoint(file, Buffer.from(encode(many)))).toEqual(many);
});

test('rows are counted by table', () => {
  expect(countTableRows(few.tables)).toEqual({ groups: 2, users: 0, apiKeys: 0 });
});

describe('with a matching checksum', () => {
  const cases: readonly [what: string, from: string, to: string, message: string][] = [
    ['a member of another name', '"epoch":3', '"epok":3', 'unexpected line'],
    ['a number that is text', '"sequence":7', '"sequence":"7"', 'the header of the checkpoint is not valid'],
    ['a number below 0', '"sequence":7', '"sequence":-7', 'the header of the checkpoint is not valid'],
    ['a number that is not whole', '"sequence":7', '"sequence":7.5', 'the header of the checkpoint is not valid'],
    [
      'a number beyond 2^53',
      '"sequence":7',
      '"sequence":9007199254740993',
      'the header of the checkpoint is not valid',
    ],
    ['no tables', '"tables":{', '"table":{', 'the tables are missing'],
    ['a table that is not a list', '"users":[', '"users":{', 'expected a table'],
    ['a row that is not JSON', '{"groupId":"a"', '{"groupId":"a', 'this line is not JSON'],
    ['a row of something else', '{"groupId":"a"', '{"groupId":7', 'not a valid row of groups'],
  ];

  test.each(cases)('%s is reported with its line', (_, from, to, message) => {
    expect(text).toContain(from);
    const changed = text.replace(from, to);
    // The preamble is validated after its last line.
    const offset = lineAt(from === '"sequence":7' ? '"writtenAt":' : to, changed);
    expect(() => decodeCheckpoint(file, withCrc(changed))).toThrow(
      expect.objectContaining({ kind: 'damaged', file, offset, message: expect.stringContaining(message) }),
    );
  });

  test('a table that is there twice is not replaced by the second one', () => {
    const changed = withCrc(text.replace('"users":[', '"groups":['));
    expect(() => decodeCheckpoint(file, changed)).toThrow(
      expect.objectContaining({ kind: 'damaged', message: expect.stringContaining('the table groups is there twice') }),
    );
  });

  test('an unknown table is reported as a newer format', () => {
    expect(() => decodeCheckpoint(file, withCrc(text.replace('"users":[', '"robots":[')))).toThrow(
      expect.objectContaining({ kind: 'newer-format', message: expect.stringContaining('unknown table robots') }),
    );
  });
});

describe('without a matching checksum', () => {
  const damage = (bytes: Buffer) => {
    try {
      decodeCheckpoint(file, bytes);
    } catch (error) {
      return error;
    }
    return undefined;
  };

  test('the error contains the offset of the unreadable line', () => {
    const cut = text.slice(0, text.indexOf('{"groupId":"b"') + 20);
    expect(damage(Buffer.from(cut))).toMatchObject({
      kind: 'damaged',
      offset: cut.lastIndexOf('\n') + 1,
      message: expect.stringContaining('this line is damaged'),
    });
  });

  test('the error contains the offset of the checksum if all lines are readable', () => {
    const changed = Buffer.from(text.replace('DEPLOY', 'DEPLOX'));
    expect(damage(changed)).toMatchObject({
      kind: 'damaged',
      offset: text.indexOf('"crc32":'),
      message: expect.stringContaining('the checksum does not match the contents'),
    });
  });

  test.each([
    ['', 'the file is empty'],
    ['{}', 'this is not a checkpoint'],
  ])('%j', (contents, message) => {
    expect(damage(Buffer.from(contents))).toMatchObject({
      kind: 'damaged',
      offset: 0,
      message: expect.stringContaining(message),
    });
  });
});
