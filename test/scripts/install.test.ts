import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loadScript } from './load-script.ts';

const { findNodeProblem, isInstalled } = await loadScript<{
  findNodeProblem(version: string): string | undefined;
  isInstalled(directory?: string): boolean;
}>('install.mjs');

/** A project whose lock file is older than its node_modules, with one package that is there. */
function installedProject(): string {
  const directory = mkdtempSync(path.join(os.tmpdir(), 'iam-install-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  mkdirSync(path.join(directory, 'node_modules/here'), { recursive: true });
  writeFileSync(path.join(directory, 'package.json'), JSON.stringify({ dependencies: { here: '1.0.0' } }));
  writeFileSync(path.join(directory, 'package-lock.json'), '{}');
  writeFileSync(path.join(directory, 'node_modules/.package-lock.json'), '{}');
  touch(directory, 'package-lock.json', 1000);
  touch(directory, 'node_modules/.package-lock.json', 2000);
  return directory;
}

function touch(directory: string, file: string, second: number): void {
  utimesSync(path.join(directory, file), second, second);
}

describe('the version of Node', () => {
  test.each(['20.19.0', '20.20.2', '21.0.0', '22.1.0', '26.0.0'])('%s will do', (version) => {
    expect(findNodeProblem(version)).toBeUndefined();
  });

  test.each(['18.20.0', '20.18.3', '16.0.0'])('%s is refused with what is needed', (version) => {
    expect(findNodeProblem(version)).toContain(`Node 20.19 or newer is needed, this is ${version}`);
  });
});

describe('installing', () => {
  test('is not needed where everything is there and newer than the lock file', () => {
    expect(isInstalled(installedProject())).toBe(true);
    expect(isInstalled()).toBe(true);
  });

  test('is needed where there is no node_modules', () => {
    const directory = installedProject();
    rmSync(path.join(directory, 'node_modules'), { recursive: true });
    expect(isInstalled(directory)).toBe(false);
  });

  test('is needed where the lock file is newer', () => {
    const directory = installedProject();
    touch(directory, 'package-lock.json', 3000);
    expect(isInstalled(directory)).toBe(false);
  });

  test('is needed where a package is missing, such as those for building', () => {
    const directory = installedProject();
    const packages = { dependencies: { here: '1.0.0' }, devDependencies: { gone: '1.0.0' } };
    writeFileSync(path.join(directory, 'package.json'), JSON.stringify(packages));
    expect(isInstalled(directory)).toBe(false);
  });
});
