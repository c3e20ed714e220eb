import path from 'node:path';
import { expect, test } from 'vitest';
import { findUserFolder } from '../../../src/cli/io/user-folders.ts';

const known = { APPDATA: '/roaming', LOCALAPPDATA: '/local', HOME: '/home/ann' };

test('are those of XDG, below the home folder by default', () => {
  expect(findUserFolder(known, 'config', 'linux')).toBe(path.join('/home/ann/.config/iam'));
  expect(findUserFolder(known, 'cache', 'darwin')).toBe(path.join('/home/ann/.cache/iam'));
  expect(findUserFolder({ ...known, XDG_STATE_HOME: '/state' }, 'state', 'linux')).toBe(path.join('/state/iam'));
  expect(findUserFolder({ ...known, XDG_STATE_HOME: 'state' }, 'state', 'linux')).toBe(
    path.join('/home/ann/.local/state/iam'),
  );
});

test('are the known folders on Windows, unless XDG names one', () => {
  expect(findUserFolder(known, 'config', 'win32')).toBe(path.join('/roaming/iam'));
  expect(findUserFolder(known, 'cache', 'win32')).toBe(path.join('/local/iam/cache'));
  expect(findUserFolder(known, 'state', 'win32')).toBe(path.join('/local/iam/state'));
  expect(findUserFolder({ ...known, XDG_CACHE_HOME: '/cache' }, 'cache', 'win32')).toBe(path.join('/cache/iam'));
  expect(findUserFolder({ HOME: '/home/ann' }, 'config', 'win32')).toBe(path.join('/home/ann/.config/iam'));
});
