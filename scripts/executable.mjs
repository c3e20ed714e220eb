/**
 * Makes an executable of the built command and server for machines without Node. It consists of Node itself and the files of
 * the program, which its first run unpacks (src/executable).
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { build } from 'esbuild';
import { inject } from 'postject';
import { root } from './root.mjs';

/** What the command and the server read. */
const programFiles = [
  'package.json',
  'bin',
  'dist/cli.cjs',
  'dist/server.cjs',
  'dist/host.cjs',
  'dist/host-web.cjs',
  'dist/chunks',
  'dist/console/index.html',
];
const programFolders = ['dist/console/assets', 'dist/openapi', 'dist/completions'];
const notices = ['dist/THIRD-PARTY-NOTICES.txt'];

/** Of packages, only what runs: not their documentation, types and sources of native code. */
const runs = /\.(?:c?js|json|node)$/;
const licenses = /^licen[cs]e/i;

/** Lists the files at or below a path of the project. */
function listFiles(name) {
  const entries = readdirSync(path.join(root, path.dirname(name)), { withFileTypes: true });
  const found = entries.find((entry) => entry.name === path.basename(name));
  if (found === undefined) throw new Error(`${name} is missing; run npm run build first`);
  if (!found.isDirectory()) return [name];
  return readdirSync(path.join(root, name)).flatMap((child) => listFiles(`${name}/${child}`));
}

/** The folders of the installed packages that run with the program, as npm resolves them for this platform. */
function listPackages() {
  const flags = ['ls', '--omit=dev', '--all', '--parseable'];
  const output = execFileSync('npm', flags, { cwd: root, encoding: 'utf8', shell: process.platform === 'win32' });
  const folders = output.trim().split(/\r?\n/).slice(1);
  // Workspaces are links; they are for development.
  const installed = folders.filter((folder) => !lstatSync(folder).isSymbolicLink());
  return installed.map((folder) => path.relative(root, folder).replaceAll('\\', '/'));
}

/** The package for hashes of passwords; an executable needs it only if Node has no Argon2 itself (24.7 and later have). */
const argon2Package = /^node_modules\/@node-rs\/argon2/;

/** Whether this Node can make such hashes; that it has the function does not mean that its OpenSSL has the algorithm. */
function hasArgon2(node) {
  const parameters = "{ message: '', nonce: Buffer.alloc(8), memory: 8, passes: 1, parallelism: 1, tagLength: 4 }";
  const script = `try { crypto.argon2Sync('argon2id', ${parameters}); console.log(true) } catch { console.log(false) }`;
  return execFileSync(node, ['-e', script], { encoding: 'utf8' }).trim() === 'true';
}

/** Native code of other platforms is left out. */
function isForThisPlatform(file) {
  const [, platform] = /\/prebuilds\/([^/]+)\//.exec(file) ?? [];
  return platform === undefined || platform === `${process.platform}-${process.arch}`;
}

/** @param node the program of Node in the executable */
function listProgram(node) {
  const own = [...programFiles, ...programFolders, ...notices].flatMap(listFiles);
  const needsArgon2 = !hasArgon2(node);
  const packages = listPackages()
    .filter((folder) => needsArgon2 || !argon2Package.test(folder))
    .flatMap(listFiles)
    .filter((file) => (runs.test(file) || licenses.test(path.basename(file))) && isForThisPlatform(file));
  return [...own, ...packages].sort();
}

/** Writes the two assets of the executable. @returns the assets, by name */
function writeArchive(node, folder) {
  const files = listProgram(node);
  const contents = files.map((file) => readFileSync(path.join(root, file)));
  const digest = createHash('sha256');
  for (const [at, bytes] of contents.entries()) digest.update(`${files[at]}\n${bytes.length}\n`).update(bytes);
  const index = {
    id: digest.digest('hex').slice(0, 16),
    files: files.map((file, at) => ({ path: file, bytes: contents[at].length })),
  };
  const assets = { index: path.join(folder, 'index.json'), contents: path.join(folder, 'contents') };
  writeFileSync(assets.index, JSON.stringify(index));
  writeFileSync(assets.contents, Buffer.concat(contents));
  return assets;
}

/** Where Node looks for the program in its own file (doc/api/single-executable-applications.md). */
const resourceName = 'NODE_SEA_BLOB';
const injection = { sentinelFuse: 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2', machoSegmentName: 'NODE_SEA' };

/** Writes the main script and the files as Node reads them from an executable. @returns the bytes to inject */
async function makeBlob(node, folder) {
  const main = path.join(folder, 'main.cjs');
  await build({
    entryPoints: [path.join(root, 'src/executable/main.ts')],
    outfile: main,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    logLevel: 'warning',
  });
  const output = path.join(folder, 'blob');
  const config = path.join(folder, 'config.json');
  const settings = { main, output, disableExperimentalSEAWarning: true, assets: writeArchive(node, folder) };
  writeFileSync(config, JSON.stringify(settings));
  execFileSync(node, ['--experimental-sea-config', config], { stdio: ['ignore', 'ignore', 'inherit'] });
  return readFileSync(output);
}

/** macOS runs signed code only; this signature has no name. */
function sign(...options) {
  if (process.platform === 'darwin') execFileSync('codesign', options);
}

/**
 * Writes the executable: a copy of this Node with the program in it.
 * @throws Error if the program of Node is not one file, as where distributions have most of it in a shared library
 */
export async function makeExecutable(node, output) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'iam-executable-'));
  try {
    const blob = await makeBlob(node, folder);
    mkdirSync(path.dirname(output), { recursive: true });
    // Not in place: another process may run the old one.
    const made = `${output}.new`;
    copyFileSync(node, made);
    chmodSync(made, 0o755);
    sign('--remove-signature', made);
    await inject(made, resourceName, blob, injection);
    sign('--sign', '-', made);
    renameSync(made, output);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
