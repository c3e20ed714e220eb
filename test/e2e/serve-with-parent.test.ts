/** `iam serve --stop-with-parent`: a server does not outlive the process that started it. */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { command, Sandbox } from './cli-process.ts';

/** A test process that starts a server and ends without cleanup when it is killed. */
const parentProgram = `
  const { spawn } = require('node:child_process');
  spawn(process.argv[1], process.argv.slice(2), { stdio: ['ignore', 'inherit', 'inherit'] });
  setInterval(() => {}, 1000);
`;
const serveWords = [...command, 'serve', '--json', '--port', '0', '--store', 'memory', '--fast-passwords'];

test('the server stops when its parent is killed, though its standard input was at its end from the start', async () => {
  await using sandbox = await Sandbox.make();
  const words = ['-e', parentProgram, '--', ...serveWords, '--stop-with-parent'];
  const { child, done } = sandbox.start(process.execPath, words);
  if (!child.stdout) throw new Error('no standard output');
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const { url } = JSON.parse(line) as { url: string };
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  child.kill('SIGKILL');
  // Standard output closes when the last process that has it, the server, has ended.
  await done;
  await expect(fetch(`${url}/readyz`)).rejects.toThrow();
});

test('with the option, SIGTERM still stops the server cleanly', async () => {
  await using sandbox = await Sandbox.make();
  const { child, done } = await sandbox.serve(['--store', 'memory', '--stop-with-parent']);
  child.kill('SIGTERM');
  expect(await done).toMatchObject({ code: 0 });
});
