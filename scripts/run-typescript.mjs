import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { build } from 'esbuild';
import { root } from './root.mjs';

/** Bundles and runs a TypeScript file, as Node 20 cannot strip types. Its output goes to standard error. */
export async function runTypeScript(entry, ...args) {
  // Within the project, where its packages are found.
  const directory = mkdtempSync(path.join(root, 'node_modules/.iam-run-'));
  const outfile = path.join(directory, 'run.mjs');
  try {
    await build({
      entryPoints: [path.join(root, entry)],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
      logLevel: 'warning',
    });
    execFileSync(process.execPath, [outfile, ...args], { cwd: root, stdio: ['ignore', 2, 2] });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
