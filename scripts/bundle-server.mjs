/**
 * Bundles the server into few files, so that a start does not resolve hundreds of modules. Native packages stay external;
 * modules that only some starts need (seed, API document, hashing) become separate files. They are CommonJS in one flat
 * folder, so that V8 can load them from a code cache.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build, transform } from 'esbuild';

/** Defines `require` for CommonJS packages, as ES modules do not have it. */
export const banner =
  "import { createRequire as requireFor } from 'node:module'; const require = requireFor(import.meta.url);";

/**
 * Excludes modules that are loaded but never used. Koa's detection of body types loads two versions of the table of all
 * media types, a tenth of the start time, while the server always sets the type itself. Pino loads worker threads for
 * its transports, while the server logs to a stream.
 */
export const withoutUnused = {
  name: 'without-unused',
  setup(build) {
    const empty = { path: 'empty', namespace: 'empty' };
    build.onResolve({ filter: /^mime-db$/ }, () => empty);
    build.onResolve({ filter: /\/transport$/ }, ({ importer }) => (isOf('pino', importer) ? empty : undefined));
    build.onLoad({ filter: /.*/, namespace: 'empty' }, () => ({ contents: 'module.exports = {};', loader: 'js' }));
  },
};

function isOf(name, file) {
  return file.split(path.sep).join('/').includes(`/node_modules/${name}/`);
}

/** Replaces the folder of an ES module by that of CommonJS. */
export const folderInCommonJs = { 'import.meta.dirname': '__dirname' };

/** Writes a loader for each entry, and the bundled files into the folder `parts`. */
export async function bundleServer({ root, outdir }) {
  const parts = path.join(outdir, 'parts');
  rmSync(parts, { recursive: true, force: true });
  mkdirSync(parts, { recursive: true });
  for (const { path: file, text } of await modulesOf(root, parts)) writeFileSync(file, await asCommonJs(text));
  for (const name of Object.keys(entries)) await writeLoader(root, path.join(outdir, `${name}.cjs`));
  compileAhead(root, parts);
}

/** The server, and the offline store. */
const entries = {
  main: 'src/server/main.ts',
  'open-offline-store': 'src/server/store/maintenance/open-offline-store.ts',
};

/** Writes the loader that other programs import; it loads the part of the same name. */
async function writeLoader(root, outfile) {
  await build({
    entryPoints: [path.join(root, 'scripts/server-entry.cjs')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    define: { PART: JSON.stringify(`./${path.basename(outfile)}`) },
    logLevel: 'warning',
  });
}

/** Bundles the server and its lazy modules as ES modules, as esbuild splits no other format. */
async function modulesOf(root, outdir) {
  const { outputFiles } = await build({
    entryPoints: Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, path.join(root, file)])),
    outdir,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    splitting: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    chunkNames: '[name]-[hash]',
    plugins: [withoutUnused],
    external: ['@node-rs/argon2'],
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    logLevel: 'warning',
    write: false,
  });
  return outputFiles;
}

/** Converts to CommonJS: scripts from a code cache cannot import, so each import becomes a `require`. */
async function asCommonJs(text) {
  const { code } = await transform(text, {
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    supported: { 'dynamic-import': false },
    define: folderInCommonJs,
    banner: '"use strict";',
    minifyWhitespace: true,
    // Bundling has already printed the warnings.
    logLevel: 'error',
  });
  return code;
}

/** Writes the V8 code caches of the files that a start and typical requests load, for the current Node. */
function compileAhead(root, parts) {
  const { NODE_OPTIONS: _, NODE_V8_COVERAGE: __, ...env } = process.env;
  const own = Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('IAM_')));
  const warmUp = path.join(root, 'scripts/server-warm-up.cjs');
  execFileSync(process.execPath, [warmUp, path.resolve(parts)], { env: own, stdio: ['ignore', 2, 2] });
}
