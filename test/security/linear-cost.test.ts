/**
 * Every parser of input costs time in proportion to its length: four times the input, about four times the CPU time.
 * XML, forms, certificates and queries also have separate tests.
 */
import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { openRows } from '../../src/cli/bulk/records.ts';
import { GroupInput } from '../../src/contract/schemas/group.ts';
import { UserReferences } from '../../src/contract/schemas/user.ts';
import { readCredentials } from '../../src/server/auth/credentials.ts';
import { parseXml } from '../../src/server/federation/xml.ts';
import { parseBoundedJson } from '../../src/server/http/bounded-json.ts';
import { matchesEtag } from '../../src/server/http/conditions.ts';
import { parseLargeJson } from '../../src/server/http/large-json.ts';
import { parseCursor } from '../../src/server/http/pagination.ts';
import { splitTarget, toOriginForm } from '../../src/server/http/paths.ts';
import { validateBody } from '../../src/server/http/request-validation.ts';
import { createRouter } from '../../src/server/http/router.ts';
import { parseSeed } from '../../src/server/seed/parse.ts';
import { maxLinearGrowth, measureGrowth } from './measure-cost.ts';

const list = (size: number, make: (at: number) => string) => Array.from({ length: size }, (_, at) => make(at)).join();
const quietly = (work: () => unknown) => {
  try {
    work();
  } catch {
    // Most inputs are rejected; the test measures the cost of that.
  }
};

test('detects a quadratic cost', async () => {
  const pairs = (size: number) => Array.from({ length: size }, (_, at) => at);
  const seek = (values: number[]) => values.every((value, at) => values.lastIndexOf(value, at) === at);
  const all = (values: number[]) => values.every((value) => values.includes(-value - 1) || values.includes(value));
  expect(await measureGrowth(pairs, seek, 50_000)).toBeLessThan(maxLinearGrowth);
  // Other load can raise the cost at the small size, which makes a growth too low.
  let growth = 0;
  for (let round = 0; round < 5 && growth <= maxLinearGrowth; round += 1)
    growth = Math.max(growth, await measureGrowth(pairs, all, 1_500));
  expect(growth).toBeGreaterThan(maxLinearGrowth);
});

describe('the cost of JSON is linear', () => {
  test.each<[string, (size: number) => string]>([
    ['numbers', (size) => `[${list(size, () => '0')}]`],
    ['lists', (size) => `[${list(size / 2, () => '[]')}]`],
    ['names', (size) => `{${list(size, (at) => `"k${at}":0`)}}`],
    ['the same name', (size) => `{${list(size, () => '"k":0')}}`],
    ['escapes', (size) => `"${'\\u0061'.repeat(size)}"`],
    ['blanks', (size) => `[${' '.repeat(10 * size)}]`],
    ['digits', (size) => '1'.repeat(10 * size)],
    ['escaped names', (size) => `{${list(size, (at) => `"\\u006b${at}":0`)}}`],
    ['more values than there may be', (size) => `[${list(10 * size, () => '0')}]`],
  ])('with many items: %s', async (_, make) => {
    expect(await measureGrowth(make, (text) => quietly(() => parseBoundedJson(text)), 9_000)).toBeLessThan(
      maxLinearGrowth,
    );
  });

  test('with long values', async () => {
    const make = (size: number) => `{"tables":{"users":[${list(size, (at) => `{"userId":"u${at}"}`)}]}}`;
    expect(await measureGrowth(make, parseLargeJson, 20_000)).toBeLessThan(maxLinearGrowth);
  });

  test('with many errors, of which a hundred are reported', async () => {
    const wrong = (size: number) => Array.from({ length: size }, (_, at) => ({ [`k${at}`]: 0, other: 1 }));
    expect(await measureGrowth(wrong, (body) => quietly(() => validateBody(UserReferences, body)), 2_500)).toBeLessThan(
      maxLinearGrowth,
    );
    const unknown = (size: number) => Object.fromEntries(Array.from({ length: size }, (_, at) => [`k${at}`, 0]));
    expect(await measureGrowth(unknown, (body) => quietly(() => validateBody(GroupInput, body)), 4_000)).toBeLessThan(
      maxLinearGrowth,
    );
    await expect(async () => validateBody(GroupInput, unknown(1000))).rejects.toSatisfy(
      ({ errors }: { errors: unknown[] }) => errors.length === 100,
    );
  });
});

describe('the cost of XML is linear before its limits', () => {
  test.each<[string, (size: number) => string]>([
    ['elements', (size) => `<a>${'<b/>'.repeat(size)}</a>`],
    ['attributes', (size) => `<a ${list(size, (at) => `b${at}="" `).replaceAll(',', '')}/>`],
    ['text', (size) => `<a>${'&lt;'.repeat(size)}</a>`],
    ['elements that do not end', (size) => '<a>'.repeat(size)],
  ])('with many items: %s', async (_, make) => {
    expect(await measureGrowth(make, (text) => quietly(() => parseXml(text)), 5_000)).toBeLessThan(maxLinearGrowth);
  });
});

describe('the cost of request heads is linear', () => {
  const router = createRouter([{ method: 'GET', path: '/groups/{groupId}/role/{roleName}' }]);
  const identity = { operationId: 'groups.list', params: {}, query: {} };
  test.each<[string, string, (text: string) => unknown]>([
    ['paths', '/a', (text) => router.find('GET', text)],
    ['segments of paths', 'a', (text) => router.find('GET', `/groups/${text}/role/${text}`)],
    ['targets', '#', (text) => splitTarget(toOriginForm(`//${text}`))],
    ['If-Match', '"a", ', (text) => matchesEtag(text, '"b"')],
    ['blanks of If-Match', ' ', (text) => matchesEtag(`${text}x`, '"b"')],
    ['cursors', 'a', (text) => parseCursor(text, identity)],
    ['tokens', 'a.', (text) => readCredentials({ authorization: `Bearer ${text}`, apiKey: undefined, clientIds: [] })],
    ['pairs', 'A', (text) => readCredentials({ authorization: `Basic ${text}`, apiKey: undefined, clientIds: [] })],
    [
      'blanks of pairs',
      ' ',
      (text) =>
        readCredentials({ authorization: `Basic${text}x`, apiKey: undefined, clientIds: [] }, { userBasicAuth: true }),
    ],
  ])('with many repetitions: %s', async (_, unit, read) => {
    const make = (size: number) => unit.repeat(size);
    expect(await measureGrowth(make, (text) => quietly(() => read(text)), 20_000)).toBeLessThan(maxLinearGrowth);
  });
});

describe('seeds', () => {
  test.each<[string, (size: number) => string]>([
    ['users', (size) => `users:\n${list(size, (at) => `  - userId: u${at}\n`).replaceAll(',', '')}`],
    ['settings', (size) => `settings:\n${list(size, (at) => `  k${at}: 1\n`).replaceAll(',', '')}`],
    ['unknown keys', (size) => list(size, (at) => `k${at}: 1\n`).replaceAll(',', '')],
    ['invalid users', (size) => `users:\n${'  - userId: "!"\n'.repeat(size)}`],
  ])('with many items: %s', async (_, make) => {
    const read = (text: string) => parseSeed(text, 'seed.yaml').catch(() => undefined);
    expect(await measureGrowth(make, read, 400)).toBeLessThan(maxLinearGrowth);
  });

  test('reports a duplicate key with its position, and at most a hundred errors', async () => {
    await expect(parseSeed('users: []\nusers: []\n', 'seed.yaml')).rejects.toThrow(
      'seed.yaml:2:1: "users" is repeated in its object',
    );
    const message = await parseSeed(`users:\n${'  - userId: "!"\n'.repeat(500)}`, 'seed.yaml').catch(String);
    expect(String(message).split('\n')).toHaveLength(100);
  });

  test.each([9_999, 100_000])('rejects %i levels', async (depth) => {
    await expect(parseSeed(`users: ${'['.repeat(depth)}`, 'seed.yaml')).rejects.toThrow(/^seed.yaml:1:/);
  });

  test('rejects aliases of aliases', async () => {
    const levels = Array.from({ length: 30 }, (_, at) => `a${at + 1}: &a${at + 1} [*a${at}, *a${at}]`);
    await expect(parseSeed(['a0: &a0 [x]', ...levels].join('\n'), 'seed.yaml')).rejects.toThrow('seed.yaml');
  });
});

test.each<[string, (size: number) => string]>([
  ['columns', (size) => `${list(size, (at) => `c${at}`)}\n`],
  ['rows', (size) => `a,b\n${'1,2\n'.repeat(size)}`],
  ['quotes', (size) => `a\n"${'""'.repeat(size)}"\n`],
  ['JSON lines', (size) => `${'{"a":1}\n'.repeat(size)}`],
])('the cost of the rows of a file is linear with many items: %s', async (name, make) => {
  const file = path.join(tmpdir(), `iam-linear-cost-${process.pid}-${name.replaceAll(' ', '-')}`);
  const read = async (text: string) => {
    await writeFile(file, text);
    for await (const _ of (await openRows(createReadStream(file))).rows);
  };
  expect(await measureGrowth(make, read, 10_000)).toBeLessThan(maxLinearGrowth);
});
