/** Bundles the stress suites: the main program and the server it starts. Packages stay external. */
import path from 'node:path';
import { build } from 'esbuild';

export async function bundleStress({ root, outdir }) {
  await build({
    absWorkingDir: root,
    entryPoints: ['main', 'server'].map((name) => path.join(root, 'test/stress', `${name}.ts`)),
    outdir,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    packages: 'external',
    logLevel: 'warning',
  });
}
