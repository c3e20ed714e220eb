/**
 * Bundles the library: as an ES module, which takes the client from where it is for everybody, so that its errors are of
 * one class; and as one CommonJS file with the client in it, for test runners that know nothing else. What is native
 * stays outside of both.
 */
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { banner, folderInCommonJs, withoutUnused } from './bundle-server.mjs';

/** The client as the package has it already. */
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

/** TypeScript takes what ES modules declare for CommonJS only where it is told so. */
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

/** Writes index.js with its chunks, index.cjs and index.d.cts into `outdir`, beside dist/client. */
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
    // Test runners that know CommonJS alone load no module while a test runs, so what is outside is required.
    supported: { 'dynamic-import': false },
    outExtension: { '.js': '.cjs' },
    plugins: [withoutUnused],
    define: folderInCommonJs,
  });
  writeFileSync(path.join(outdir, 'index.d.cts'), commonJsTypes);
}
