/** `npm run build`: builds all of dist/, and installs packages that it lacks. `--if-needed` skips it if dist/ is up to date. */
import process from 'node:process';
import { buildAll, isAllBuilt } from './build-steps.mjs';
import { ensureAllInstalled } from './install.mjs';

try {
  if (!process.argv.includes('--if-needed') || !isAllBuilt()) {
    if (await ensureAllInstalled()) await buildAll();
    else process.exitCode = 1;
  }
} catch (error) {
  process.stderr.write(`error: the build failed: ${error.message}\n`);
  process.exitCode = 1;
}
