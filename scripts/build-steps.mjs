/** The steps of the build. Modules are imported late: `npm start` imports this file before npm has installed the packages. */
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { isUpToDate, writeStamp } from './build-stamp.mjs';
import { withProjectLock } from './project-lock.mjs';
import { root } from './root.mjs';

const dist = path.join(root, 'dist');

const consoleInputs = ['src', 'index.html', 'build.mjs', 'package.json'].map((name) => `packages/console/${name}`);

/** What runs is made from these files; the rest of dist/ also from the benchmarks and the stress suites. */
const runtime = {
  stamp: path.join(dist, '.built'),
  inputs: ['src', 'docs/openapi.json', ...consoleInputs, 'scripts', 'package.json', 'package-lock.json'],
};
const all = { stamp: path.join(dist, '.built-all'), inputs: [...runtime.inputs, 'packages', 'bench', 'test'] };

export const isRuntimeBuilt = () => isUpToDate(root, runtime);
export const isAllBuilt = () => isUpToDate(root, all);

/** Builds what runs, unless another process has done so meanwhile. */
export function buildRuntime() {
  return withProjectLock(async () => {
    if (!isRuntimeBuilt()) await writeRuntime();
  });
}

/**
 * Writes the bundle, the console and the files of the API documentation page.
 * @returns the metafiles of the bundle and of the console as one
 */
async function writeRuntime() {
  const startedAt = Date.now();
  const { bundle } = await import('./bundle.mjs');
  const { buildConsole } = await import('../packages/console/build.mjs');
  const { copyDocsPage } = await import('./docs-page.mjs');
  rmSync(dist, { recursive: true, force: true });
  const [ofBundle, ofConsole] = await Promise.all([
    bundle({ root, outdir: dist }),
    buildConsole({ root, outdir: path.join(dist, 'console') }),
  ]);
  copyDocsPage({ root, outdir: path.join(dist, 'openapi') });
  writeStamp(runtime, startedAt);
  return joinMetafiles(ofBundle, ofConsole);
}

/** The metafile of a build that was made before. */
function readMetafile() {
  const [ofBundle, ofConsole] = ['metafile.json', 'console/metafile.json'].map((name) =>
    JSON.parse(readFileSync(path.join(dist, name), 'utf8')),
  );
  return joinMetafiles(ofBundle, ofConsole);
}

function joinMetafiles(ofBundle, ofConsole) {
  return { ...ofBundle, outputs: { ...ofBundle.outputs, ...ofConsole.outputs } };
}

/** Builds all of dist/. It keeps the files of a build of `npm start`, whose server reads some of them when it needs them. */
export function buildAll() {
  return withProjectLock(async () => {
    const startedAt = Date.now();
    const metafile = isRuntimeBuilt() ? readMetafile() : await writeRuntime();
    await Promise.all([addDevelopmentPrograms(), addPublishedFiles(metafile)]);
    writeStamp(all, startedAt);
  });
}

/**
 * Adds the types, the notices and the references that the package contains, and compresses what browsers read: that takes
 * as long as the build of `npm start`, whose browsers are on the same machine.
 */
async function addPublishedFiles(metafile) {
  const { compressFiles } = await import('./compress-files.mjs');
  const { writeTypes } = await import('./types.mjs');
  const { writeNotices } = await import('./notices.mjs');
  const { runTypeScript } = await import('./run-typescript.mjs');
  writeTypes({ root, outdir: dist });
  for (const folder of ['console/assets', 'openapi']) compressFiles(path.join(dist, folder));
  writeNotices({ root, metafile, outdir: dist });
  await Promise.all([
    runTypeScript('scripts/generate/docs-main.ts', root, path.join(dist, 'docs')).then(writeConsoleTypes),
    runTypeScript('scripts/generate/man-main.ts', path.join(dist, 'man'), path.join(dist, 'completions')),
  ]);
}

/** Writes the types of the console's HTTP clients, from the API documents. */
async function writeConsoleTypes() {
  const types = path.join(dist, 'console-types');
  const { writeOpenApiTypes } = await import('./openapi-types.mjs');
  await writeOpenApiTypes(path.join(root, 'docs/openapi.json'), path.join(types, 'service.d.ts'));
  await writeOpenApiTypes(path.join(dist, 'docs/control-openapi.json'), path.join(types, 'control.d.ts'));
}

async function addDevelopmentPrograms() {
  const { bundlePrograms } = await import('./bundle-programs.mjs');
  await bundlePrograms({ root, outdir: dist });
}
