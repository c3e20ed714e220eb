/**
 * Bundles the server into few files, so that it starts without resolving some hundreds of modules. What is native stays
 * outside; what only some starts need (reading a seed, the API document, hashing) becomes a file of its own. They are
 * CommonJS in one flat folder, so that V8 can be given the code that it made of them when they were built.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build, transform } from 'esbuild';

/** CommonJS packages ask for `require`, which an ES module has not. */
export const banner =
  "import { createRequire as requireFor } from 'node:module'; const require = requireFor(import.meta.url);";

/**
 * What is loaded and never used is left out. Koa's guesses at types of bodies rest on a table of all media types there
 * are, in two versions, which takes a tenth of a start to read, while every step here says itself what it writes. Pino can
 * write from a thread of its own, which loads Node's threads, while the log here is written to a stream.
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

/** Where a file of the bundle is, in the words of CommonJS. */
export const folderInCommonJs = { 'import.meta.dirname': '__dirname' };

/** Writes a file for each entry, and into the folder `parts` what they load. */
export async function bundleServer({ root, outdir }) {
  const parts = path.join(outdir, 'parts');
  rmSync(parts, { recursive: true, force: true });
  mkdirSync(parts, { recursive: true });
  for (const { path: file, text } of await modulesOf(root, parts)) writeFileSync(file, await asCommonJs(text));
  for (const name of entries) await writeLoader(root, path.join(outdir, `${name}.cjs`));
  compileAhead(root, parts);
}

/** What serves, and what works on the files of a store that nobody serves. */
const entries = ['main', 'store-tools'];

/** Writes the file that programs load; it loads the part of the same name. */
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

/** The server and what it loads later as ES modules, the only form in which esbuild splits. */
async function modulesOf(root, outdir) {
  const { outputFiles } = await build({
    entryPoints: entries.map((name) => path.join(root, `src/server/${name}.ts`)),
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

/** Scripts that were compiled beforehand import nothing by themselves, so each import becomes a `require`. */
async function asCommonJs(text) {
  const { code } = await transform(text, {
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    supported: { 'dynamic-import': false },
    define: folderInCommonJs,
    banner: '"use strict";',
    minifyWhitespace: true,
    // What there was to warn of was said when it was bundled.
    logLevel: 'error',
  });
  return code;
}

/** Writes the code of the files that a start and the usual calls load, for the Node that is here. */
function compileAhead(root, parts) {
  const { NODE_OPTIONS: _, NODE_V8_COVERAGE: __, ...env } = process.env;
  const own = Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('IAM_')));
  const warmUp = path.join(root, 'scripts/server-warm-up.cjs');
  execFileSync(process.execPath, [warmUp, path.resolve(parts)], { env: own, stdio: ['ignore', 2, 2] });
}
