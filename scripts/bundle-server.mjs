/**
 * Bundles the server into few files, so that it starts without resolving some hundreds of modules. What is native stays
 * outside; what only some starts need (reading a seed, the API document, hashing) becomes a chunk of its own.
 */
import path from 'node:path';
import { build } from 'esbuild';

/** CommonJS packages ask for `require`, which an ES module has not. */
export const banner =
  "import { createRequire as requireFor } from 'node:module'; const require = requireFor(import.meta.url);";

/**
 * Koa's guesses at types of bodies rest on a table of all media types there are, in two versions, which takes a tenth of
 * a start to read. Every step here says itself what it writes, so the table can be empty.
 */
export const withoutMediaTypes = {
  name: 'without-media-types',
  setup(build) {
    build.onResolve({ filter: /^mime-db$/ }, () => ({ path: 'mime-db', namespace: 'empty' }));
    build.onLoad({ filter: /.*/, namespace: 'empty' }, () => ({ contents: 'module.exports = {};', loader: 'js' }));
  },
};

export async function bundleServer({ root, outdir }) {
  await build({
    entryPoints: ['main', 'store-tools'].map((name) => path.join(root, `src/server/${name}.ts`)),
    outdir,
    bundle: true,
    splitting: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    chunkNames: 'chunks/[name]-[hash]',
    plugins: [withoutMediaTypes],
    external: ['@node-rs/argon2'],
    banner: { js: banner },
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    logLevel: 'warning',
  });
}
