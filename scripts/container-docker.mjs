/**
 * Builds the image of the Dockerfile with Docker, and runs it as a foreign user on a read-only root: health check, a
 * command in the container, and the stop. Then starts the containers of compose.yaml. `npm run test:container` does the
 * same for the image without an engine.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import process from 'node:process';
import { root } from './root.mjs';

const image = 'iam-standin';
const container = 'iam-standin-check';
const url = 'http://127.0.0.1:8080';

const docker = (...args) => execFileSync('docker', args, { cwd: root, stdio: 'inherit' });
const read = (...args) => execFileSync('docker', args, { encoding: 'utf8' }).trim();

function checkImage() {
  docker('build', '--tag', image, '.');
  const safety = ['--read-only', '--user', '54321:54321', '--cap-drop', 'ALL'];
  const service = ['--publish', '127.0.0.1:8080:8080', '--volume', `${container}:/data`];
  docker('run', '--detach', '--name', container, ...safety, ...service, '--env', `IAM_SERVE_BASE_URL=${url}`, image);
  docker('exec', container, 'iam', 'server', 'status', '--ready', '--wait', '60', '--base-url', url);
  docker('exec', container, 'iam', 'groups', 'list');
  docker('stop', '--time', '5', container);
  const code = read('inspect', '--format', '{{.State.ExitCode}}', container);
  if (code !== '0') throw new Error(`the container ended with exit code ${code}`);
}

try {
  checkImage();
  docker('compose', 'up', '--build', '--detach', '--wait', '--wait-timeout', '120');
} catch (error) {
  process.stderr.write(`error: ${error.message}\n`);
  process.exitCode = 1;
} finally {
  for (const cleanup of [
    ['rm', '--force', container],
    ['volume', 'rm', '--force', container],
    ['compose', 'down', '--volumes'],
  ])
    spawnSync('docker', cleanup, { cwd: root, stdio: 'ignore' });
}
