/** Paths that resolve both from the sources and from the bundle. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = rootAbove(path.dirname(fileURLToPath(import.meta.url)));

/** Workspaces have a package.json, too; only the root has the lock file. */
function rootAbove(folder: string): string {
  return existsSync(path.join(folder, 'package-lock.json')) ? folder : rootAbove(path.dirname(folder));
}

/** The `iam` command of the product and the instrumented server of these suites. */
export const programs = {
  product: path.join(root, 'bin/iam.js'),
  instrumented: path.join(root, 'dist/stress/server.js'),
};
