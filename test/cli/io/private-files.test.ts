/** Files with secrets in a folder of another user, who can replace their names at any moment. */
import type FileSystem from 'node:fs/promises';
import { chown, link, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { expect, vi } from 'vitest';
import { replacePrivateFile } from '../../../src/cli/io/private-files.ts';
import { test } from '../run-cli.ts';

const attack = vi.hoisted(() => ({ afterOpen: async (_name: string): Promise<void> => {} }));
vi.mock('node:fs/promises', async (importOriginal) => {
  const original = await importOriginal<typeof FileSystem>();
  const open: typeof original.open = async (name, ...rest) => {
    const handle = await original.open(name, ...rest);
    await attack.afterOpen(String(name));
    return handle;
  };
  return { ...original, open };
});

test.skipIf(process.getuid?.() !== 0)(
  'root gives away only the file that it has created (needs root)',
  async ({ home }) => {
    const [file, foreign] = [home.file('config.json'), home.file('of-root')];
    await writeFile(file, '{}');
    await chown(file, 12345, 23456);
    await writeFile(foreign, 'of root');
    attack.afterOpen = async (name) => {
      attack.afterOpen = async () => {};
      await rm(name);
      await link(foreign, name);
    };
    await replacePrivateFile(file, 'secret', true);
    expect(await readFile(file, 'utf8')).toBe('of root');
    expect((await stat(foreign)).uid).toBe(0);
  },
);
