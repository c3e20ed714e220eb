/** The store that this version wrote, and those of released versions, open with unchanged rows. */
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageVersion } from '../../../../src/contract/version.ts';
import { FORMAT_VERSION, layoutOf } from '../../../../src/server/store/file/layout.ts';
import { nodeDisk } from '../../../../src/server/store/file/node-disk.ts';
import { verifyStore } from '../../../../src/server/store/maintenance/verify.ts';
import { tableNames } from '../../../../src/server/store/table-shape.ts';
import { startServer } from '../../../harness.ts';
import { openStore } from '../temp-store.ts';
import { withVersion } from '../with-version.ts';

const root = path.resolve(import.meta.dirname, '../../../fixtures/stores');
const versions = (await readdir(root, { withFileTypes: true }))
  .filter((one) => one.isDirectory())
  .map(({ name }) => name);

async function withCopy(version: string, work: (folder: string) => Promise<void>): Promise<void> {
  const parent = await mkdtemp(path.join(os.tmpdir(), 'iam-fixture-'));
  const folder = path.join(parent, 'store');
  await cp(path.join(root, version, 'store'), folder, { recursive: true });
  await work(folder).finally(() => rm(parent, { recursive: true }));
}

async function contents(folder: string): Promise<Record<string, string>> {
  // A rejected start leaves an empty lock file, which must not be removed.
  const names = (await readdir(folder)).filter((name) => name !== 'iam.lock').sort();
  const texts = await Promise.all(names.map((name) => readFile(path.join(folder, name), 'latin1')));
  return Object.fromEntries(names.map((name, at) => [name, texts[at] ?? '']));
}

describe.each(versions)('a store of version %s', (version) => {
  test('has rows of every table, in checkpoint and write-ahead log', async () => {
    const { rows, holds } = await readExpected(version);
    for (const name of tableNames) expect(rows[name]?.length, name).toBeGreaterThan(0);
    expect(holds.filter((what) => /rows, up to commit/.test(what))).toHaveLength(2);
    expect(holds.filter((what) => /[1-9]\d* commits/.test(what))).toHaveLength(2);
  });

  test('opens with unchanged rows, also a second time', async () => {
    await withCopy(version, async (folder) => {
      const { rows } = await readExpected(version);
      for (let start = 1; start <= 2; start += 1) {
        const store = await openStore(folder);
        for (const name of tableNames) expect(await store[name].list(), name).toEqual(rows[name] ?? []);
        await store.checkpoint();
        await store.close();
      }
    });
  });

  test('can be served, with working logins', async () => {
    await withCopy(version, async (folder) => {
      await using server = await startServer({ openStore: () => openStore(folder) });
      await server.admin.clientIdentities.login();
      await server.admin.groups.create({ body: { groupName: 'later' } });
    });
  });

  test('of a newer format is rejected and not changed', async () => {
    for (const file of ['iam-store.json', 'iam.json'])
      await withCopy(version, async (folder) => {
        const target = path.join(folder, file);
        await writeFile(target, withVersion(await readFile(target), FORMAT_VERSION + 1));
        const before = await contents(folder);
        await expect(openStore(folder)).rejects.toMatchObject({ kind: 'newer-format', file: target });
        expect(await contents(folder)).toEqual(before);
      });
  });
});

async function readExpected(version: string) {
  const rows = JSON.parse(await readFile(path.join(root, version, 'rows.json'), 'utf8')) as Record<string, unknown[]>;
  const { files } = await verifyStore(nodeDisk, layoutOf(path.join(root, version, 'store')));
  return { rows, holds: files.map(({ holds }) => holds) };
}

test('includes a store of this version', () => {
  expect(versions).toContain(packageVersion);
});
