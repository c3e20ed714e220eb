/** Unpacking the program of an executable: once, completely, and never where others can replace it. */
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ProgramArchive, UnpackError, unpackProgram } from '../../src/executable/unpack.ts';

const archive: ProgramArchive = {
  id: 'abc',
  files: [
    { path: 'bin/iam.js', bytes: 5 },
    { path: 'dist/chunks/empty.cjs', bytes: 0 },
    { path: 'dist/cli.cjs', bytes: 3 },
  ],
  contents: Buffer.from('startcli'),
};

let home = '';
let base = '';

beforeEach(() => {
  home = mkdtempSync(path.join(os.tmpdir(), 'iam-unpack-'));
  base = path.join(home, 'cache/iam');
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

const read = (folder: string) => archive.files.map(({ path: file }) => readFileSync(path.join(folder, file), 'utf8'));

test('writes all files into a folder of the build, which only the user can write', () => {
  const folder = unpackProgram(archive, base);
  expect(read(folder)).toEqual(['start', '', 'cli']);
  expect(readdirSync(base)).toEqual(['program-abc']);
  expect(statSync(base).mode & 0o777).toBe(0o700);
});

test('a later run uses the files as they are', () => {
  const folder = unpackProgram(archive, base);
  writeFileSync(path.join(folder, 'dist/cli.cjs'), 'CLI');
  expect(read(unpackProgram(archive, base))).toEqual(['start', '', 'CLI']);
});

test('another build has another folder', () => {
  const folder = unpackProgram(archive, base);
  expect(unpackProgram({ ...archive, id: 'def' }, base)).not.toBe(folder);
  expect(readdirSync(base)).toEqual(['program-abc', 'program-def']);
});

test('files that a power loss left empty or missing are written again', () => {
  const folder = unpackProgram(archive, base);
  truncateSync(path.join(folder, 'dist/cli.cjs'));
  rmSync(path.join(folder, 'bin'), { recursive: true });
  expect(read(unpackProgram(archive, base))).toEqual(['start', '', 'cli']);
  expect(readdirSync(base)).toEqual(['program-abc']);
});

test.each([0o770, 0o707])('refuses a folder with mode %o, in which others could replace the program', (mode) => {
  mkdirSync(base, { recursive: true });
  chmodSync(base, mode);
  expect(() => unpackProgram(archive, base)).toThrow(/^others can replace the program in .*chmod go-w/);
  expect(readdirSync(base)).toEqual([]);
  chmodSync(base, 0o700);
  unpackProgram(archive, base);
  chmodSync(base, mode);
  expect(() => unpackProgram(archive, base)).toThrow(UnpackError);
});

test.runIf(process.getuid?.() === 0)('refuses a folder of another user', () => {
  mkdirSync(base, { recursive: true });
  chownSync(base, 54_321, 54_321);
  expect(() => unpackProgram(archive, base)).toThrow(/belongs to another user.* with sudo, use the option -H$/);
  expect(readdirSync(base)).toEqual([]);
});

test('says what to do if the folder cannot be written', () => {
  writeFileSync(path.join(home, 'cache'), 'not a folder');
  expect(() => unpackProgram(archive, base)).toThrow(
    /^cannot unpack the program into .*Set XDG_CACHE_HOME to a folder/,
  );
});
