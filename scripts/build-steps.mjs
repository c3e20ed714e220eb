/** The steps of the build. Modules are imported late: `npm start` imports this file before npm has installed the packages. */
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { isUpToDate, writeStamp } from './build-stamp.mjs';
import { root } from './root.mjs';

const dist = path.join(root, 'dist');

/** What runs is made from these files; the rest of dist/ also from the benchmarks and the stress suites. */
const runtime = {
  stamp: path.join(dist, '.built'),
  inputs: ['src', 'packages', 'scripts', 'package.json', 'package-lock.json'],
};
const all = { stamp: path.join(dist, '.built-all'), inputs: [...runtime.inputs, 'bench', 'test'] };

export const isRuntimeBuilt = () => isUpToDate(root, runtime);
export const isAllBuilt = () => isUpToDate(root, all);

/**
 * Builds what runs: the bundle, the console and the files of the API documentation page.
 * @returns the metafiles of the bundle and of the console as one
 */
export async function buildRuntime() {
  const startedAt = Date.now();
  const { bundle } = await import('./bundle.mjs');
  const { buildConsole } = await import('../packages/console/build.mjs');
  const { copyDocsPage } = await import('./docs-page.mjs');
  // Repeated if another start builds at the same time.
  rmSync(dist, { recursive: true, force: true, maxRetries: 5 });
  const metafile = await bundle({ root, outdir: dist });
  const console = await buildConsole({ root, outdir: path.join(dist, 'console') });
  copyDocsPage({ root, outdir: path.join(dist, 'openapi') });
  writeStamp(runtime, startedAt);
  return { ...metafile, outputs: { ...metafile.outputs, ...console.outputs } };
}

/** Builds all of dist/. */
export async function buildAll() {
  const startedAt = Date.now();
  const metafile = await buildRuntime();
  await addPublishedFiles(metafile);
  await addDevelopmentPrograms();
  writeStamp(all, startedAt);
}

/** Adds the types, the notices and the references that the package contains. */
async function addPublishedFiles(metafile) {
  const { writeTypes } = await import('./types.mjs');
  const { writeNotices } = await import('./notices.mjs');
  const { runTypeScript } = await import('./run-typescript.mjs');
  writeTypes({ root, outdir: dist });
  writeNotices({ root, metafile, outdir: dist });
  await runTypeScript('scripts/generate/docs-main.ts', root, path.join(dist, 'docs'));
  await runTypeScript('scripts/generate/man-main.ts', path.join(dist, 'man'), path.join(dist, 'completions'));
  writeConsoleTypes();
}

/** Writes the types of the console's HTTP clients, from the API documents. */
function writeConsoleTypes() {
  const types = path.join(dist, 'console-types');
  const documents = [
    ['docs/openapi.json', path.join(types, 'service.d.ts')],
    [path.join(dist, 'docs/control-openapi.json'), path.join(types, 'control.d.ts')],
  ];
  execFileSync(process.execPath, ['scripts/openapi-types/generate.mjs', ...documents.flat()], {
    cwd: root,
    stdio: 'inherit',
  });
}

async function addDevelopmentPrograms() {
  const { bundlePrograms } = await import('./bundle-programs.mjs');
  await bundlePrograms({ root, outdir: dist });
}
