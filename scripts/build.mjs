/**
 * Builds dist/: the client and all declarations with tsc; the server, the library and the CLI as bundles; the docs page
 * as files. `--generate` rewrites the generated files instead; `--if-needed` skips the build if dist/ is up to date.
 */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const stamp = path.join(root, 'dist/.built');
const inputs = [
  'src',
  'bench',
  'test/stress',
  'test/harness.ts',
  'test/server',
  'test/e2e/cli-process.ts',
  'scripts',
  'package.json',
  'tsconfig.json',
  'tsconfig.build.json',
];

/** Returns the latest mtime of a file, or within a folder; adding or removing a file changes the mtime of its folder. */
function newest(file) {
  const stat = statSync(file);
  if (!stat.isDirectory()) return stat.mtimeMs;
  const entries = readdirSync(file).map((name) => newest(path.join(file, name)));
  return Math.max(stat.mtimeMs, ...entries);
}

/** Whether dist/ exists and is newer than all sources. */
export function isBuilt() {
  if (!existsSync(stamp)) return false;
  const builtAt = Number(readFileSync(stamp, 'utf8'));
  return inputs.every((input) => newest(path.join(root, input)) <= builtAt);
}

/** Bundles and runs a TypeScript file of scripts/, as Node 20 cannot strip types. */
export async function runBundled(entry, ...args) {
  const { build } = await import('esbuild');
  const directory = mkdtempSync(path.join(root, 'node_modules/.iam-generate-'));
  const outfile = path.join(directory, 'run.mjs');
  try {
    await build({
      entryPoints: [path.join(root, entry)],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
      logLevel: 'warning',
    });
    execFileSync(process.execPath, [outfile, ...args], { cwd: root, stdio: ['ignore', 2, 2] });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Rewrites the generated files; the registry comes first, as the others depend on it. */
export async function generate() {
  await runBundled('scripts/generate/registry-main.ts', root);
  await runBundled('scripts/generate/manifest-main.ts', root);
  await runBundled('scripts/generate/main.ts', root);
}

/** Builds dist/. The tools write to standard error. */
export async function build() {
  const startedAt = Date.now();
  mkdirSync(path.join(root, 'dist'), { recursive: true });
  compile();
  // Imported late: the start script imports this file before npm has installed the packages.
  const { bundleServer } = await import('./bundle-server.mjs');
  const { bundleLibrary } = await import('./bundle-library.mjs');
  const { bundleCli } = await import('./bundle-cli.mjs');
  const { bundleBench } = await import('./bundle-bench.mjs');
  const { copyDocsPage } = await import('./docs-page.mjs');
  const { bundleStress } = await import('./bundle-stress.mjs');
  await bundleServer({ root, outdir: path.join(root, 'dist/server') });
  await bundleLibrary({ root, outdir: path.join(root, 'dist/testing') });
  await bundleCli({ outdir: path.join(root, 'dist/cli') });
  await bundleBench({ root, outdir: path.join(root, 'dist/bench') });
  copyDocsPage({ root, outdir: path.join(root, 'dist/openapi') });
  await bundleStress({ root, outdir: path.join(root, 'dist/stress') });
  writeFileSync(stamp, String(startedAt));
}

/** Compiles with tsc, which prints its errors itself. */
function compile() {
  const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
  try {
    execFileSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: root, stdio: ['ignore', 2, 2] });
  } catch {
    throw new Error('the sources do not compile; see the errors above');
  }
}

if (process.argv[1] && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const flags = new Set(process.argv.slice(2));
  try {
    if (flags.has('--generate')) await generate();
    else if (!flags.has('--if-needed') || !isBuilt()) await build();
  } catch (error) {
    process.stderr.write(`error: ${error.message}\n`);
    process.exitCode = 1;
  }
}
