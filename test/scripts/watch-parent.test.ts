import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { scriptPath } from './load-script.ts';

/** The program of `npm start`: prints that it watches, and then the result. */
const watcher = `
  import { watchParents } from ${JSON.stringify(scriptPath('watch-parent.mjs'))};
  watchParents(() => { process.stdout.write('parent exited\\n'); process.exit(0); });
  process.stdout.write('watching\\n');
  setTimeout(() => { process.stdout.write('not detected\\n'); process.exit(1); }, 25000);
`;

/** Runs the watcher as npm does: a process starts a shell with the command `inner`, which starts Node. */
function startBelow(inner: string, environment: NodeJS.ProcessEnv): ChildProcess {
  const outer = `
    const child = require('node:child_process').spawn('sh', ['-c', ${JSON.stringify(inner)}], { stdio: 'inherit' });
    child.on('exit', () => process.exit());
  `;
  return spawn(process.execPath, ['-e', outer], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...environment, WATCHER: watcher, NODE: process.execPath },
  });
}

/** Kills the outermost process when the innermost watches. @returns the output of the innermost. */
async function collectOutputAfterKill(outermost: ChildProcess): Promise<string> {
  let output = '';
  outermost.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    if (text.includes('watching')) outermost.kill('SIGKILL');
  });
  if (outermost.stdout) await once(outermost.stdout, 'close');
  return output;
}

const asNpm = { ...process.env, npm_lifecycle_event: 'start' };
const node = '"$NODE" --input-type=module -e "$WATCHER"';

describe.skipIf(process.platform === 'win32')('a server started by npm', () => {
  test('detects the end of npm through a shell in between', async () => {
    expect(await collectOutputAfterKill(startBelow(`${node}; true`, asNpm))).toBe('watching\nparent exited\n');
  });

  test('detects the end of npm when the shell was replaced by Node', async () => {
    expect(await collectOutputAfterKill(startBelow(`exec ${node}`, asNpm))).toBe('watching\nparent exited\n');
  });
});
