import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { scriptPath } from './load-script.ts';

/** What `npm start` would run: tells that it watches, and then how it ended. */
const watcher = `
  import { watchParents } from ${JSON.stringify(scriptPath('watch-parent.mjs'))};
  watchParents(() => { process.stdout.write('parent gone\\n'); process.exit(0); });
  process.stdout.write('watching\\n');
  setTimeout(() => { process.stdout.write('not noticed\\n'); process.exit(1); }, 5000);
`;

/** Runs the watcher as npm does: a process that starts a shell that starts Node. `inner` is the shell's command line. */
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

/** Ends the outermost process once the innermost watches. @returns what the innermost said, to its end. */
async function collectOutputAfterKill(outermost: ChildProcess): Promise<string> {
  let said = '';
  outermost.stdout?.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    if (text.includes('watching')) outermost.kill('SIGKILL');
  });
  if (outermost.stdout) await once(outermost.stdout, 'close');
  return said;
}

const asNpm = { ...process.env, npm_lifecycle_event: 'start' };
const node = '"$NODE" --input-type=module -e "$WATCHER"';

describe.skipIf(process.platform === 'win32')('a server started by npm', () => {
  test('notices the end of npm through a shell that stays between', async () => {
    expect(await collectOutputAfterKill(startBelow(`${node}; true`, asNpm))).toBe('watching\nparent gone\n');
  });

  test('notices the end of npm where the shell became Node itself', async () => {
    expect(await collectOutputAfterKill(startBelow(`exec ${node}`, asNpm))).toBe('watching\nparent gone\n');
  });
});
