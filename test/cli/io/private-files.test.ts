/** Files with secrets in a folder of another user, who can replace their names at any moment. */
import { chown, type FileHandle, link, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, vi } from 'vitest';
import { replacePrivateFile } from '../../../src/cli/io/private-files.ts';
import { test } from '../run-cli.ts';

/** What all open files inherit: a mock of the module would miss what another test has loaded before. */
async function findFileMethods(file: string): Promise<FileHandle> {
  const handle = await open(file);
  await handle.close();
  return Object.getPrototypeOf(handle);
}

test.skipIf(process.getuid?.() !== 0)(
  'root gives away only the file that it has created (needs root)',
  async ({ home }) => {
    const [file, foreign] = [home.file('config.json'), home.file('of-root')];
    await writeFile(file, '{}');
    await chown(file, 12345, 23456);
    await writeFile(foreign, 'of root');
    const folder = path.dirname(file);
    const methods = await findFileMethods(file);
    const { writeFile: write } = methods;
    vi.spyOn(methods, 'writeFile').mockImplementationOnce(async function (this: FileHandle, ...content) {
      const created = (await readdir(folder)).find((name) => name.startsWith('config.json.')) ?? '';
      await rm(path.join(folder, created));
      await link(foreign, path.join(folder, created));
      return write.apply(this, content);
    });
    await replacePrivateFile(file, 'secret', true);
    expect(await readFile(file, 'utf8')).toBe('of root');
    expect((await stat(foreign)).uid).toBe(0);
  },
);
