/**
 * Builds dist/. `npm start` needs only what runs: the bundle and the files of the API documentation page. The complete
 * build adds what is published or used for development: types, documents, notices, benchmarks and stress suites.
 * `--generate` rewrites the committed generated files instead; `--if-needed` skips the build if dist/ is up to date.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const dist = path.join(root, 'dist');

/** The parts of the build with the sources that each is made from. */
const parts = {
  runtime: { stamp: '.built', inputs: ['src', 'scripts', 'package.json'] },
  complete: {
    stamp: '.built-complete',
    inputs: ['src', 'scripts', 'package.json', 'bench', 'test/stress', 'test/harness.ts', 'test/server', 'docs'],
  },
};

/** Returns the latest mtime of a file, or within a folder; adding or removing a file changes the mtime of its folder. */
function newest(file) {
  const stat = statSync(file);
  if (!stat.isDirectory()) return stat.mtimeMs;
  const entries = readdirSync(file).map((name) => newest(path.join(file, name)));
  return Math.max(stat.mtimeMs, ...entries);
}

/** Whether dist/ is newer than its sources. @param part `runtime` or `complete` */
export function isBuilt(part) {
  const { stamp, inputs } = parts[part];
  const builtAt = readStamp(path.join(dist, stamp));
  return builtAt !== undefined && inputs.every((input) => newest(path.join(root, input)) <= builtAt);
}

function readStamp(file) {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Builds dist/. @param part `runtime` or `complete` */
export async function build(part) {
  const startedAt = Date.now();
  rmSync(dist, { recursive: true, force: true });
  const metafile = await buildRuntime();
  writeFileSync(path.join(dist, parts.runtime.stamp), String(startedAt));
  if (part === 'runtime') return;
  await buildRest(metafile);
  writeFileSync(path.join(dist, parts.complete.stamp), String(startedAt));
}

// Modules are imported late: the start script imports this file before npm has installed the packages.
async function buildRuntime() {
  const { bundle } = await import('./bundle.mjs');
  const { copyDocsPage } = await import('./docs-page.mjs');
  copyDocsPage({ root, outdir: path.join(dist, 'openapi') });
  return bundle({ root, outdir: dist });
}

async function buildRest(metafile) {
  const { writeTypes } = await import('./types.mjs');
  const { writeNotices } = await import('./notices.mjs');
  const { bundlePrograms } = await import('./bundle-programs.mjs');
  writeTypes({ root, outdir: dist });
  writeNotices({ root, metafile, outdir: dist });
  await runBundled('scripts/generate/docs-main.ts', root, path.join(dist, 'docs'));
  await bundlePrograms({ root, outdir: dist });
}

/** Bundles and runs a TypeScript file of scripts/, as Node 20 cannot strip types. */
export async function runBundled(entry, ...args) {
  const esbuild = await import('esbuild');
  const directory = mkdtempSync(path.join(root, 'node_modules/.iam-generate-'));
  const outfile = path.join(directory, 'run.mjs');
  try {
    await esbuild.build({
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

if (process.argv[1] && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const flags = new Set(process.argv.slice(2));
  try {
    if (flags.has('--generate')) await generate();
    else if (!flags.has('--if-needed') || !isBuilt('complete')) await build('complete');
  } catch (error) {
    process.stderr.write(`error: ${error.message}\n`);
    process.exitCode = 1;
  }
}
