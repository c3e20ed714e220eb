/**
 * Bundles the library: as an ES module, which imports the shared client, so that there is one class per error; and as a
 * single CommonJS file that includes the client, for test runners without ES modules. Native packages stay external.
 */
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { banner, folderInCommonJs, withoutUnused } from './bundle-server.mjs';

/** Resolves the client to the copy in the package. */
const sharedClient = {
  name: 'shared-client',
  setup(build) {
    build.onResolve({ filter: /\/client\/index\.ts$/ }, () => ({ path: '../client/index.js', external: true }));
  },
};

const common = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  external: ['@node-rs/argon2'],
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'none',
  logLevel: 'warning',
};

/** CommonJS declarations: TypeScript needs `resolution-mode` to reuse those of the ES module. */
const commonJsTypes = `import type * as library from './index.js' with { 'resolution-mode': 'import' };
export type * from './index.js' with { 'resolution-mode': 'import' };
export declare const startServer: typeof library.startServer;
export declare const createClient: typeof library.createClient;
export declare const asPage: typeof library.asPage;
export declare const basicAuthorization: typeof library.basicAuthorization;
export declare const ClientError: typeof library.ClientError;
export type ClientError = library.ClientError;
export declare const InputError: typeof library.InputError;
export type InputError = library.InputError;
export declare const NetworkError: typeof library.NetworkError;
export type NetworkError = library.NetworkError;
`;

/** Writes index.js with its chunks, index.cjs and index.d.cts into `outdir`, next to dist/client. */
export async function bundleLibrary({ root, outdir }) {
  rmSync(path.join(outdir, 'chunks'), { recursive: true, force: true });
  const entry = path.join(root, 'src/testing/index.ts');
  await build({
    ...common,
    entryPoints: { index: entry },
    outdir,
    format: 'esm',
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    plugins: [withoutUnused, sharedClient],
    banner: { js: banner },
  });
  await build({
    ...common,
    entryPoints: { index: entry },
    outdir,
    format: 'cjs',
    // CommonJS test runners do not support dynamic import() during a test, so external packages use `require`.
    supported: { 'dynamic-import': false },
    outExtension: { '.js': '.cjs' },
    plugins: [withoutUnused],
    define: folderInCommonJs,
  });
  writeFileSync(path.join(outdir, 'index.d.cts'), commonJsTypes);
}
