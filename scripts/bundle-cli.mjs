/**
 * Makes the command line one bundle: an entry and the chunks that a command loads when it needs them. The server stays
 * outside (`iam serve` imports it by its path in dist/), so do packages with native parts.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** commander and undici are CommonJS: bundled into ESM they need a `require` for Node's own modules. */
const banner =
  "import { createRequire as bundleRequire } from 'node:module';\nconst require = bundleRequire(import.meta.url);";

/**
 * Modules of Node that a package loads at once for something that the command never does, and what it gets instead.
 * commander starts programs of their own as subcommands (3 ms); undici speaks HTTP/2 where `allowH2` is set (10 ms).
 */
const unusedModules = [
  {
    module: 'child_process',
    importer: 'commander',
    contents: "exports.spawn = (...given) => require('child_process').spawn(...given);",
  },
  { module: 'http2', importer: 'undici', contents: 'exports.constants = {};' },
];

const withoutUnusedModules = {
  name: 'without-unused-modules',
  setup(build) {
    for (const { module, importer: wanted, contents } of unusedModules) {
      build.onResolve({ filter: new RegExp(`^node:${module}$`) }, ({ importer }) =>
        importer.includes(`${path.sep}${wanted}${path.sep}`) ? { path: module, namespace: 'unused' } : undefined,
      );
      build.onLoad({ filter: new RegExp(`^${module}$`), namespace: 'unused' }, () => ({ contents, loader: 'js' }));
    }
  },
};

/** The manifest is a large literal, and the runtime reads JSON in half the time that it takes to compile one. */
const manifestAsJson = {
  name: 'manifest-as-json',
  setup(build) {
    build.onLoad({ filter: /[\\/]contract[\\/]manifest\.ts$/ }, ({ path: file }) => {
      const text = readFileSync(file, 'utf8');
      const literal = text.slice(text.indexOf('= {') + 2, text.lastIndexOf('}') + 1);
      const json = JSON.stringify(JSON.parse(literal));
      return { contents: `export const manifest = JSON.parse(${JSON.stringify(json)});`, loader: 'js' };
    });
  },
};

/** Writes main.js and its chunks into `outdir`, and gives esbuild's metafile. */
export async function bundleCli({ outdir }) {
  const { build } = await import('esbuild');
  mkdirSync(outdir, { recursive: true });
  for (const name of readdirSync(outdir)) if (name.startsWith('chunk-')) rmSync(path.join(outdir, name));
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { main: 'src/cli/main.ts' },
    outdir,
    chunkNames: 'chunk-[name]-[hash]',
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    minifySyntax: true,
    minifyWhitespace: true,
    minifyIdentifiers: true,
    plugins: [withoutUnusedModules, manifestAsJson],
    legalComments: 'none',
    external: ['../server/*', '@node-rs/*'],
    banner: { js: banner },
    metafile: true,
    allowOverwrite: true,
    logLevel: 'warning',
  });
  return metafile;
}
