/** `npm run build`: builds all of dist/. `--if-needed` skips it if dist/ is newer than what it is made from. */
import process from 'node:process';
import { buildAll, isAllBuilt } from './build-steps.mjs';

try {
  if (!process.argv.includes('--if-needed') || !isAllBuilt()) await buildAll();
} catch (error) {
  process.stderr.write(`error: the build failed: ${error.message}\n`);
  process.exitCode = 1;
}
