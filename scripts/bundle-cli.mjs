/**
 * Makes the command line one bundle: an entry and the chunks that a command loads when it needs them. The server stays
 * outside (`iam serve` imports it by its path in dist/), so do packages with native parts.
 */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** commander and undici are CommonJS: bundled into ESM they need a `require` for Node's own modules. */
const banner =
  "import { createRequire as bundleRequire } from 'node:module';\nconst require = bundleRequire(import.meta.url);";

/**
 * commander loads node:child_process, 3 ms, to start programs of their own as subcommands, which we have none of.
 * Whoever should use it after all gets the real one.
 */
const lazyChildProcess = {
  name: 'lazy-child-process',
  setup(build) {
    build.onResolve({ filter: /^node:child_process$/ }, ({ importer }) =>
      importer.includes(`${path.sep}commander${path.sep}`) ? { path: 'child_process', namespace: 'lazy' } : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: 'lazy' }, () => ({
      contents: "exports.spawn = (...given) => require('child_process').spawn(...given);",
      loader: 'js',
    }));
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
    plugins: [lazyChildProcess],
    legalComments: 'none',
    external: ['../server/*', '@node-rs/*'],
    banner: { js: banner },
    metafile: true,
    allowOverwrite: true,
    logLevel: 'warning',
  });
  return metafile;
}
