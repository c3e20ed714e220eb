/** What the packed package contains. Each check is also tried with a mistake that it must find. Requires dist/. */

import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import type { Metafile } from 'esbuild';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { packageVersion } from '../../../src/contract/version.ts';
import { isFullRun } from '../../effort.ts';
import { requestResource } from '../../resources/request.ts';
import { root } from '../cli-process.ts';
import { InstalledPackage } from './installed-package.ts';
import {
  contentProblems,
  differences,
  externalPackages,
  importedPackages,
  packageFolders,
  packagesInNotices,
  packagesInSbom,
  publintProblems,
  repeatedInputs,
  resolvedPackages,
  type Sbom,
  typeProblems,
} from './rules.ts';

const maxSize = 4_600_000;

const { tarball: packed } = await requestResource('package');

let installed: InstalledPackage;
let metafile: Metafile;

beforeAll(async () => {
  installed = await InstalledPackage.make(packed);
  metafile = JSON.parse(await readFile(path.join(root, 'dist/metafile.json'), 'utf8')) as Metafile;
});

afterAll(() => installed?.[Symbol.asyncDispose]());

const readDependencies = async () =>
  Object.keys((JSON.parse(await installed.readFile('package.json')) as { dependencies: object }).dependencies);

/** Returns the folder of a package that differs from the packed one. */
async function damaged(change: (folder: string) => Promise<void>): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'iam-damaged-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const copy = path.join(folder, 'package');
  await cp(installed.folder, copy, { recursive: true });
  await change(copy);
  return copy;
}

async function tarballOf(folder: string): Promise<Uint8Array> {
  const file = `${folder}.tgz`;
  await promisify(execFile)('tar', ['-czf', file, '-C', path.dirname(folder), path.basename(folder)]);
  return readFile(file);
}

describe('the files', () => {
  test('are those of the layout', () => {
    expect(contentProblems(packed.files)).toEqual([]);
  });

  test.each([
    'src/cli/main.ts',
    'test/harness.ts',
    'scripts/build.mjs',
    'dist/metafile.json',
    'dist/.built',
    'dist/.tsbuildinfo',
    'dist/cli.cjs.map',
    'dist/bench/main.js',
    'dist/stress/main.js',
    'dist/chunks/chunk-A.cjs.map',
    'dist/chunks/chunk-A.js',
    'docs/notes.txt',
    'data/demo/journal.jsonl',
    'examples/jest/node_modules/x.js',
    'LICENSE.md',
  ])('must not include %s', (file) => {
    expect(contentProblems([...packed.files, file])).toContain(`unexpected: ${file}`);
  });

  test('must include all entries, documents and examples', () => {
    const without = (pattern: RegExp) => contentProblems(packed.files.filter((file) => !pattern.test(file)));
    expect(without(/client\.d\.cts$/)).toContain('missing: dist/client.d.cts');
    expect(without(/^dist\/chunks/).join()).toMatch(/missing: \S+chunks/);
    expect(
      without(/^examples/)
        .join()
        .match(/missing: \S+examples/g),
    ).toHaveLength(5);
  });

  test('have at most 4.6 MB packed, of which the console needs 0.9', ({ annotate }) => {
    expect(packed.size).toBeLessThanOrEqual(maxSize);
    return annotate(`packed ${packed.size} bytes, unpacked ${packed.unpackedSize} bytes`);
  });
});

test('iam --version names what an installation lacks, and prints the version all the same', async () => {
  const incomplete = await damaged(async (folder) => {
    await Promise.all(
      ['dist/man', 'dist/client.d.cts', 'data'].map((file) => rm(path.join(folder, file), { recursive: true })),
    );
  });
  const runVersion = (folder: string) => promisify(execFile)('node', [path.join(folder, 'bin/iam.js'), '--version']);
  await expect(runVersion(incomplete)).rejects.toMatchObject({
    code: 70,
    stdout: `${packageVersion}\n`,
    stderr:
      'error: this installation lacks dist/man, data, dist/client.d.cts. Install a package that `npm run pack` made\n',
  });
  expect(await runVersion(installed.folder)).toEqual({ stdout: `${packageVersion}\n`, stderr: '' });
});

describe('the bundle', () => {
  test('contains each source once', () => {
    expect(repeatedInputs(metafile)).toEqual([]);
    const [first = ''] = Object.keys(metafile.outputs).filter((file) => file.endsWith('server.cjs'));
    const twice = { ...metafile.outputs, 'dist/other.cjs': metafile.outputs[first] as Metafile['outputs'][string] };
    expect(repeatedInputs({ ...metafile, outputs: twice })).toContain('src/server/main.ts');
  });

  test('imports the dependencies of package.json, and only these', async () => {
    const dependencies = await readDependencies();
    const bundled = await Promise.all(
      Object.keys(metafile.outputs).map((file) => readFile(path.join(root, file), 'utf8')),
    );
    const resolved = bundled.flatMap(resolvedPackages);
    expect(differences([...externalPackages(metafile), ...resolved], dependencies)).toEqual([]);
    const programs = ['bin/iam.js', ...packed.files.filter((file) => /^dist\/\w+\.c?js$/.test(file))];
    const imported = await importedPackages(programs.map((file) => path.join(installed.folder, file)));
    expect(differences([...imported, ...resolved], dependencies)).toEqual([]);
    const other = path.join(installed.project, 'other.cjs');
    await writeFile(other, 'exports.load = () => require("koa/lib/x.js");');
    expect(await importedPackages([other])).toEqual(['koa']);
  });
});

describe('the licenses of bundled packages', () => {
  /** The packages in the bundle, as name@version; several copies may be the same version. */
  const bundled = async () => {
    const ofConsole = JSON.parse(await readFile(path.join(root, 'dist/console/metafile.json'), 'utf8')) as Metafile;
    const folders = new Set([metafile, ofConsole].flatMap(packageFolders));
    const manifests = [...folders].map((folder) => readFile(path.join(root, folder, 'package.json'), 'utf8'));
    const ids = (await Promise.all(manifests)).map((text) => {
      const { name, version } = JSON.parse(text) as { name: string; version: string };
      return `${name}@${version}`;
    });
    return [...new Set(ids)];
  };

  test('are in the notices, each version once', async ({ annotate }) => {
    const notices = packagesInNotices(await installed.readFile('dist/THIRD-PARTY-NOTICES.txt'));
    const [copied = 'none'] = notices.filter((id) => id.startsWith('swagger-ui-dist@'));
    const expected = [...(await bundled()), copied];
    expect(expected.length).toBeGreaterThan(50);
    expect(differences(notices, expected)).toEqual([]);
    expect(differences(notices.slice(1), expected)).toEqual([`only in the second: ${notices[0]}`]);
    expect(differences([...notices, 'koa@0.0.0'], expected)).toEqual(['only in the first: koa@0.0.0']);
    expect(differences([...notices, copied], expected)).toEqual([`twice: ${copied}`]);
    return annotate(`${notices.length - 1} bundled packages`);
  });

  test.each([
    ['undici', 'Copyright Fedor Indutny, 2018.'],
    ['nodemailer', 'Copyright Mathias Bynens'],
    ['swagger-ui-dist', 'highlight.js 10.7.3'],
  ])('include code of others in %s: %s', async (name, holder) => {
    const notices = (await installed.readFile('dist/THIRD-PARTY-NOTICES.txt')).split(/^={80}\n/m);
    expect(notices.find((notice) => notice.startsWith(`${name} `))).toContain(holder);
  });

  test('are in the bill of materials, which is valid CycloneDX', async () => {
    const text = await installed.readFile('dist/sbom.cdx.json');
    const sbom = JSON.parse(text) as Sbom;
    const notices = packagesInNotices(await installed.readFile('dist/THIRD-PARTY-NOTICES.txt'));
    const included = [...packagesInSbom(sbom, 'bundled'), ...packagesInSbom(sbom, 'copied')];
    expect(differences(included, notices)).toEqual([]);
    const idOf = async (folder: string, name: string) => {
      const manifest = await readFile(path.join(root, folder, 'package.json'), 'utf8');
      const { devDependencies } = JSON.parse(manifest) as { devDependencies: Readonly<Record<string, string>> };
      return `${name}@${devDependencies[name]}`;
    };
    const expected = [await idOf('.', 'koa'), await idOf('packages/console', '@mantine/core')];
    expect(packagesInSbom(sbom, 'bundled')).toEqual(expect.arrayContaining(expected));
    const listed = sbom.components.map(({ group, name }) => (group ? `${group}/${name}` : name));
    for (const name of ['vitest', 'typescript', 'esbuild', '@biomejs/biome']) expect(listed).not.toContain(name);
    const names = packagesInSbom(sbom, 'dependency').map((id) => id.replace(/@[^@]*$/, ''));
    expect(differences(names, await readDependencies())).toEqual([]);
    expect(await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(text)).toBeNull();
    expect(sbom.components.filter((component) => !('hashes' in component))).toEqual([]);
  });
});

describe('the entries', () => {
  test('have no problems that publint finds', async () => {
    expect(await publintProblems(installed.folder)).toEqual([]);
    const folder = await damaged((copy) => rm(path.join(copy, 'dist/client.cjs')));
    expect(await publintProblems(folder)).toEqual([expect.stringContaining('FILE_DOES_NOT_EXIST exports../client')]);
  });

  test('have types for import, require and bundlers', async () => {
    expect(await typeProblems(await readFile(packed.file))).toEqual([]);
  });

  // Resolves and compiles the entries of the whole package once more.
  test.runIf(isFullRun)('must not lack types, or have wrong ones', async () => {
    const folder = await damaged(async (copy) => {
      await rm(path.join(copy, 'dist/client.d.cts'));
      await writeFile(path.join(copy, 'dist/index.d.cts'), 'export default function startServer(): void;\n');
    });
    const problems = (await typeProblems(await tarballOf(folder))).join('\n');
    expect(problems).toMatch(/UntypedResolution.*\.\/client.*node16-cjs/);
    expect(problems).toMatch(/FalseExportDefault.*index\.d\.cts/);
  });
});
