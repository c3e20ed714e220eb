/** The files of a release: checksums, install script and formula. The script is run with archives that a local server has. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packageVersion } from '../../src/contract/version.ts';
import { Sandbox } from '../e2e/cli-process.ts';
import { loadScript } from './load-script.ts';

const { writeReleaseFiles } = await loadScript<{ writeReleaseFiles(folder: string, url: string): void }>(
  'release-files.mjs',
);

const archiveOf = (platform: string) => `iam-${packageVersion}-${platform}.tar.gz`;
const platforms = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64', 'linux-arm64-musl', 'linux-x64-musl'];

let folder = '';
let server: Server;
let url = '';

/** Packs a tree like that of a release, with a program that prints the version. */
async function writeArchive(file: string, program: string): Promise<void> {
  const tree = await mkdtemp(path.join(folder, 'tree-'));
  await mkdir(path.join(tree, 'bin'));
  await mkdir(path.join(tree, 'share/man/man1'), { recursive: true });
  await writeFile(path.join(tree, 'bin/iam'), `#!/bin/sh\n${program}\n`);
  await chmod(path.join(tree, 'bin/iam'), 0o755);
  await writeFile(path.join(tree, 'share/man/man1/iam.1'), '.TH IAM 1\n');
  execFileSync('tar', ['-czf', file, '-C', tree, 'bin', 'share']);
  await rm(tree, { recursive: true });
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'iam-release-'));
  for (const platform of platforms)
    await writeArchive(path.join(folder, archiveOf(platform)), `echo ${packageVersion}`);
  server = createServer((request, response) => {
    readFile(path.join(folder, path.basename(request.url ?? ''))).then(
      (bytes) => response.end(bytes),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  writeReleaseFiles(folder, url);
});

afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true, force: true });
});

test('lists the checksum of each archive', async () => {
  const bytes = await readFile(path.join(folder, archiveOf('linux-x64')));
  const sums = await readFile(path.join(folder, 'SHA256SUMS'), 'utf8');
  expect(sums.trimEnd().split('\n')).toHaveLength(platforms.length);
  expect(sums).toContain(`${createHash('sha256').update(bytes).digest('hex')}  ${archiveOf('linux-x64')}\n`);
});

test('fills the templates completely', async () => {
  for (const name of ['install.sh', 'iam.rb'])
    expect(await readFile(path.join(folder, name), 'utf8')).not.toMatch(/@[A-Z][A-Z0-9]*[ @]/);
  expect(await readFile(path.join(folder, 'iam.rb'), 'utf8')).toContain(`url "${url}/${archiveOf('darwin-arm64')}"`);
});

test('names an archive that the formula needs and that is missing', async () => {
  const incomplete = await mkdtemp(path.join(folder, 'incomplete-'));
  await writeFile(path.join(incomplete, archiveOf('linux-x64')), '');
  expect(() => writeReleaseFiles(incomplete, url)).toThrow(`the archive ${archiveOf('darwin-arm64')} is missing`);
  expect(await readdir(incomplete)).toEqual([archiveOf('linux-x64')]);
});

const canDownload = ['curl', 'wget'].some((program) => spawnSync(program, ['--version']).status === 0);

describe.skipIf(process.platform === 'win32' || !canDownload)('the install script', () => {
  const install = (sandbox: Sandbox, variables: Readonly<Record<string, string>> = {}) =>
    sandbox.start('sh', [path.join(folder, 'install.sh')], { HOME: sandbox.folder, ...variables }).done;

  test('installs the command and its manual, and says how to start', async () => {
    await using sandbox = await Sandbox.make();
    const { code, out, err } = await install(sandbox);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const bin = sandbox.file('.local/bin');
    expect(out).toContain(`Installed iam ${packageVersion} in ${bin}\n`);
    expect(out).toContain(`export PATH="${bin}:$PATH"\n  iam server start\n`);
    expect(await sandbox.start(path.join(bin, 'iam'), []).done).toMatchObject({ out: `${packageVersion}\n` });
    expect((await stat(sandbox.file('.local/share/man/man1/iam.1'))).isFile()).toBe(true);
    expect((await readdir(sandbox.file('.local'))).sort()).toEqual(['bin', 'share']);
  });

  test('installs again over an earlier version, into another prefix, without a hint if it is on the PATH', async () => {
    await using sandbox = await Sandbox.make();
    const variables = { IAM_PREFIX: sandbox.file('here'), PATH: `${sandbox.file('here/bin')}:${process.env.PATH}` };
    for (let time = 0; time < 2; time += 1) {
      const { code, out } = await install(sandbox, variables);
      expect(code).toBe(0);
      expect(out).toContain('\nStart a server with: iam server start\n');
    }
  });

  test('installs nothing with a wrong checksum, and keeps what is there', async () => {
    await using sandbox = await Sandbox.make();
    const forged = await mkdtemp(path.join(folder, 'forged-'));
    for (const platform of platforms) await writeArchive(path.join(forged, archiveOf(platform)), 'echo forged');
    const other = createServer((request, response) => {
      readFile(path.join(forged, path.basename(request.url ?? ''))).then(
        (bytes) => response.end(bytes),
        () => response.destroy(),
      );
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const from = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    await install(sandbox);
    const { code, err } = await install(sandbox, { IAM_RELEASE_URL: from });
    await new Promise((resolve) => other.close(resolve));
    expect(code).toBe(1);
    expect(err).toMatch(/^error: .* has the checksum [0-9a-f]{64}, expected [0-9a-f]{64}; nothing was installed\n$/);
    expect(await sandbox.start(sandbox.file('.local/bin/iam'), []).done).toMatchObject({ out: `${packageVersion}\n` });
    expect((await readdir(sandbox.file('.local'))).sort()).toEqual(['bin', 'share']);
  });

  test('installs nothing if the download fails', async () => {
    await using sandbox = await Sandbox.make();
    const missing = await install(sandbox, { IAM_RELEASE_URL: 'http://127.0.0.1:1', IAM_PREFIX: sandbox.file('none') });
    expect(missing.code).not.toBe(0);
    expect(await readdir(sandbox.file('none/bin'))).toEqual([]);
  });

  test('does nothing if only a part of it arrived', async () => {
    await using sandbox = await Sandbox.make();
    const script = await readFile(path.join(folder, 'install.sh'), 'utf8');
    await writeFile(sandbox.file('part.sh'), script.slice(0, script.lastIndexOf('install_iam')));
    expect(await sandbox.start('sh', [sandbox.file('part.sh')], { HOME: sandbox.folder }).done).toEqual({
      code: 0,
      out: '',
      err: '',
    });
    expect(await readdir(sandbox.folder)).toEqual(['part.sh']);
  });

  test('names a platform without an executable', async () => {
    await using sandbox = await Sandbox.make();
    await mkdir(sandbox.file('programs'));
    await writeFile(sandbox.file('programs/uname'), '#!/bin/sh\n[ "$1" = -s ] && echo Linux || echo sparc64\n');
    await chmod(sandbox.file('programs/uname'), 0o755);
    const { code, err } = await install(sandbox, { PATH: `${sandbox.file('programs')}:${process.env.PATH}` });
    expect(code).toBe(1);
    expect(err).toContain('error: there is no executable for the processor sparc64;');
  });
});
