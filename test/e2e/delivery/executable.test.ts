/** The executable alone: without Node on the PATH, and its first run. Runs only with `npm run test:executable`. */
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { packageVersion } from '../../../src/contract/version.ts';
import { command, Sandbox } from '../cli-process.ts';

const version = { code: 0, out: `${packageVersion}\n`, err: '' };
/** No folder of it has a Node. */
const withoutNode = { PATH: '/no/such/folder' };

test('runs without Node, and unpacks the program once', async () => {
  await using sandbox = await Sandbox.make();
  expect(command).toHaveLength(1);
  expect(await sandbox.iam(['--version'], withoutNode)).toEqual(version);
  const programs = (await readdir(sandbox.file('cache/iam'))).filter((name) => /^program-[0-9a-f]{16}$/.test(name));
  expect(programs).toHaveLength(1);
  const [program] = programs;
  await rm(sandbox.file(`cache/iam/${program}/dist/cli.cjs`));
  expect(await sandbox.iam(['--version'], withoutNode)).toEqual(version);
});

test('ten first runs at once all succeed', async () => {
  await using sandbox = await Sandbox.make();
  const outcomes = await Promise.all(Array.from({ length: 10 }, () => sandbox.iam(['--version'])));
  expect(outcomes).toEqual(outcomes.map(() => version));
  const entries = await readdir(sandbox.file('cache/iam'));
  expect(entries.filter((name) => name.includes('program'))).toHaveLength(1);
});

test('serves with password hashes and a store on disk, in the background', async () => {
  await using sandbox = await Sandbox.make();
  const loaded = await addForeignPackage(sandbox, '@node-rs/argon2');
  const data = ['--data', sandbox.file('store')];
  const variables = { IAM_ADMIN_PASSWORD: 'correct horse battery staple' };
  expect(await sandbox.iam(['server', 'start', ...data], variables)).toMatchObject({ code: 0 });
  try {
    expect(await sandbox.iam(['groups', 'list', '-o', 'name'])).toMatchObject({ code: 0, err: '' });
    const again = await sandbox.iam(['serve', '--port', '0', ...data]);
    expect(again.code).not.toBe(0);
    expect(again.err).toContain('in use');
  } finally {
    expect(await sandbox.iam(['server', 'stop'])).toMatchObject({ code: 0 });
  }
  expect(existsSync(loaded)).toBe(false);
});

/** Puts a package into a folder above the program, where others may write. @returns the file that it creates when it is loaded */
async function addForeignPackage(sandbox: Sandbox, name: string): Promise<string> {
  const folder = sandbox.file(`node_modules/${name}`);
  const loaded = sandbox.file('loaded');
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'index.js'), `require('node:fs').writeFileSync(${JSON.stringify(loaded)}, '')`);
  return loaded;
}

test('refuses a cache in which others could replace the program', async () => {
  await using sandbox = await Sandbox.make();
  await mkdir(sandbox.file('cache/iam'), { recursive: true });
  await chmod(sandbox.file('cache/iam'), 0o777);
  const { code, out, err } = await sandbox.iam(['--version']);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toMatch(/^error: other users can write .*cache\/iam \(mode 777\); it is not used\.\n.*chmod/);
});

test('says what to do without a folder that it can write', async () => {
  await using sandbox = await Sandbox.make();
  await writeFile(path.join(sandbox.folder, 'cache'), 'not a folder');
  const { code, err } = await sandbox.iam(['--version']);
  expect(code).toBe(70);
  expect(err).toMatch(/^error: cannot unpack the program into .*Set XDG_CACHE_HOME to a folder that you can write\n$/);
});
