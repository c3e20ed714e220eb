/**
 * `npm run build`: builds all of dist/, and installs packages that it lacks. `--if-needed` skips it if dist/ is up to date.
 * With `--runtime` it is the build of `npm start`, whose packages are installed.
 */
import process from 'node:process';
import { buildAll, buildRuntime, isAllBuilt } from './build-steps.mjs';
import { ensureAllInstalled } from './install.mjs';

const has = (flag) => process.argv.includes(flag);

try {
  if (has('--runtime')) await buildRuntime();
  else if (!has('--if-needed') || !isAllBuilt()) {
    if (await ensureAllInstalled()) await buildAll();
    else process.exitCode = 1;
  }
} catch (error) {
  process.stderr.write(`error: the build failed: ${error.message}\n`);
  process.exitCode = 1;
}
