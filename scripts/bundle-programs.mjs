/** Bundles the development programs, benchmarks and stress suites, with the processes they start. Packages stay external. */
import path from 'node:path';
import { build } from 'esbuild';

const programs = {
  bench: ['bench/main.ts', 'bench/floor.ts', 'bench/monitor.ts', 'bench/make-store.ts'],
  stress: ['test/stress/main.ts', 'test/stress/server.ts', 'test/stress/failover/server.ts'],
};

/** Writes each program into a folder of its name in `outdir`. */
export async function bundlePrograms({ root, outdir }) {
  for (const [name, entryPoints] of Object.entries(programs))
    await build({
      absWorkingDir: root,
      entryPoints,
      outdir: path.join(outdir, name),
      bundle: true,
      platform: 'node',
      target: 'node20',
      format: 'esm',
      packages: 'external',
      logLevel: 'warning',
    });
}
