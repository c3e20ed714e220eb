import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { build } from 'esbuild';
import { root } from './root.mjs';

/**
 * Bundles and runs a TypeScript file, as Node 20 cannot strip types. Its output goes to standard error.
 * @throws Error if it fails
 */
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
    const child = spawn(process.execPath, [outfile, ...args], { cwd: root, stdio: ['ignore', 2, 2] });
    const [code, signal] = await once(child, 'close');
    if (code !== 0) throw new Error(`${entry} ended with ${code ?? signal}`);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
