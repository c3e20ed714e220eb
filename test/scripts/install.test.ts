import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { root } from '../conformance/source-files.ts';
import { loadScript } from './load-script.ts';

const { findNodeProblem, isInstalled } = await loadScript<{
  findNodeProblem(version: string): string | undefined;
  isInstalled(directory: string, workspaces?: readonly string[]): boolean;
}>('install.mjs');

/** The workspaces of the project below, the first of which is enough to start. */
const workspaces = ['console', 'tests'];

/** Creates a project whose packages and workspaces are installed, and a lock file older than its node_modules. */
function installedProject(): string {
  const directory = mkdtempSync(path.join(os.tmpdir(), 'iam-install-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  writeManifest(directory, '.', { workspaces, dependencies: { here: '1.0.0' } });
  for (const name of workspaces) writeManifest(directory, name, { devDependencies: { [`for-${name}`]: '1.0.0' } });
  for (const name of ['here', 'for-console', 'for-tests'])
    mkdirSync(path.join(directory, 'node_modules', name), { recursive: true });
  writeFileSync(path.join(directory, 'package-lock.json'), '{}');
  writeFileSync(path.join(directory, 'node_modules/.package-lock.json'), '{}');
  touch(directory, 'package-lock.json', 1000);
  touch(directory, 'node_modules/.package-lock.json', 2000);
  return directory;
}

function writeManifest(directory: string, folder: string, manifest: object): void {
  mkdirSync(path.join(directory, folder), { recursive: true });
  writeFileSync(path.join(directory, folder, 'package.json'), JSON.stringify(manifest));
}

function touch(directory: string, file: string, second: number): void {
  utimesSync(path.join(directory, file), second, second);
}

describe('the version of Node', () => {
  test.each(['20.19.0', '20.20.2', '21.0.0', '22.1.0', '26.0.0'])('%s is supported', (version) => {
    expect(findNodeProblem(version)).toBeUndefined();
  });

  test.each(['18.20.0', '20.18.3', '16.0.0'])('%s is rejected with the required version', (version) => {
    expect(findNodeProblem(version)).toContain(`Node 20.19 or newer is required, found ${version}`);
  });
});

describe('installing', () => {
  test('is skipped when all packages are present and newer than the lock file', () => {
    expect(isInstalled(installedProject())).toBe(true);
    expect(isInstalled(root)).toBe(true);
  });

  test('is needed without node_modules', () => {
    const directory = installedProject();
    rmSync(path.join(directory, 'node_modules'), { recursive: true });
    expect(isInstalled(directory)).toBe(false);
  });

  test('is needed when the lock file is newer', () => {
    const directory = installedProject();
    touch(directory, 'package-lock.json', 3000);
    expect(isInstalled(directory)).toBe(false);
  });

  test('is needed when a package is missing, also a devDependency', () => {
    const directory = installedProject();
    writeManifest(directory, '.', { dependencies: { here: '1.0.0' }, devDependencies: { missing: '1.0.0' } });
    expect(isInstalled(directory)).toBe(false);
  });

  test('is complete for a start, but not for the tests, without the packages of the other workspaces', () => {
    const directory = installedProject();
    rmSync(path.join(directory, 'node_modules/for-tests'), { recursive: true });
    expect(isInstalled(directory, ['console'])).toBe(true);
    expect(isInstalled(directory)).toBe(false);
  });

  test('is needed for a start when a package of its workspace is missing', () => {
    const directory = installedProject();
    rmSync(path.join(directory, 'node_modules/for-console'), { recursive: true });
    expect(isInstalled(directory, ['console'])).toBe(false);
  });

  test('finds packages that npm placed in the folder of a workspace', () => {
    const directory = installedProject();
    rmSync(path.join(directory, 'node_modules/for-tests'), { recursive: true });
    mkdirSync(path.join(directory, 'tests/node_modules/for-tests'), { recursive: true });
    expect(isInstalled(directory)).toBe(true);
  });
});
