/** The passwords of a seed are hashed by all workers, before the transaction, and with progress on a terminal. */
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { createIds } from '../../../src/server/lib/ids.ts';
import { systemRandom } from '../../../src/server/lib/random.ts';
import { createHashProgress } from '../../../src/server/main.ts';
import { applySeed } from '../../../src/server/seed/apply.ts';
import { SeedDocument } from '../../../src/server/seed/schema.ts';
import type { SeedDeps } from '../../../src/server/seed/seed-rows.ts';
import { openMemoryStore } from '../../../src/server/store/memory/memory-store.ts';
import { createFakeClock } from '../../harness.ts';

const range = (length: number) => Array.from({ length }, (_, at) => at);

const document = {
  users: range(20).map((at) => ({ userId: `user-${at}`, password: `sunny-meadow-${at}-lantern` })),
  mainframe: range(4).map((at) => ({ logon: `LOG${at}`, password: `sunny-meadow-${at}-lantern` })),
};

async function open(changes: Partial<SeedDeps>) {
  const store = openMemoryStore();
  const clock = createFakeClock();
  const ids = createIds(clock, systemRandom);
  const settings = { hashConcurrency: 3, testFeatures: 'on', allowRemote: false } as const;
  const apply = async (seed: unknown) =>
    applySeed(await SeedDocument.parseAsync(seed), { store, clock, ids, settings, ...changes });
  return { store, apply };
}

/** Hashes in several event-loop turns, and counts those in progress. */
function createSlowHash() {
  const counts = { running: 0, most: 0, all: 0 };
  const hash = async (password: string) => {
    counts.running += 1;
    counts.all += 1;
    counts.most = Math.max(counts.most, counts.running);
    for (let turns = 0; turns < 3; turns += 1) await new Promise(setImmediate);
    counts.running -= 1;
    return `hash of ${password}`;
  };
  return { hash, counts };
}

test('as many passwords are hashed at the same time as the setting says, each once and for its user', async () => {
  const { hash, counts } = createSlowHash();
  const reports: string[] = [];
  const { store, apply } = await open({ hash, reportHashes: (done, total) => reports.push(`${done}/${total}`) });
  await apply(document);
  expect(counts).toEqual({ running: 0, most: 3, all: 24 });
  expect(reports).toEqual(range(25).map((done) => `${done}/24`));
  for (const { userId, password } of document.users)
    expect((await store.users.get(userId))?.passwordHash).toBe(`hash of ${password}`);
  expect((await store.logons.get('LOG3'))?.passwordHash).toBe('hash of sunny-meadow-3-lantern');
  await apply(document);
  expect(counts.all).toBe(24);
  expect(reports).toHaveLength(25);
});

test('a weak password is reported before any password is hashed', async () => {
  const { hash, counts } = createSlowHash();
  const { store, apply } = await open({ hash });
  const users = [...document.users, { userId: 'weak', userName: 'harriet', password: 'harriet-1234' }];
  await expect(apply({ users })).rejects.toMatchObject({ issues: [{ path: ['users', 20, 'password'] }] });
  expect(counts.all).toBe(0);
  expect(await store.users.count()).toBe(0);
});

test('after an error no further password is hashed, and nothing is applied', async () => {
  let hashed = 0;
  const hash = async () => {
    hashed += 1;
    if (hashed === 5) throw new Error('no memory');
    return 'hash';
  };
  const { store, apply } = await open({ hash });
  await expect(apply(document)).rejects.toThrow('no memory');
  expect(hashed).toBeLessThanOrEqual(8);
  expect(await store.users.count()).toBe(0);
});

describe('the progress on a terminal', () => {
  test('is one line, which changes with each percent and is cleared at the end', () => {
    const terminal = new PassThrough();
    const report = createHashProgress(terminal);
    for (const done of range(3_001)) report(done, 3_000);
    const lines = String(terminal.read()).split('\r').slice(1);
    expect(lines).toHaveLength(101);
    expect(lines[0]).toBe('Hashing the passwords of the seed: 0 of 3000 (0 %)\u001b[K');
    expect(lines[50]).toBe('Hashing the passwords of the seed: 1500 of 3000 (50 %)\u001b[K');
    expect(lines.at(-1)).toBe('\u001b[K');
  });
});
