/** Bundles the benchmarks: the main program and the processes it starts. Packages stay external. */
import path from 'node:path';
import { build } from 'esbuild';

export async function bundleBench({ root, outdir }) {
  await build({
    absWorkingDir: root,
    entryPoints: ['main', 'floor', 'hash-floor', 'monitor', 'make-store'].map((name) =>
      path.join(root, 'bench', `${name}.ts`),
    ),
    outdir,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    packages: 'external',
    logLevel: 'warning',
  });
}
