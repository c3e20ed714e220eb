/** Pipes that close early, and signals, in long lists and bulk runs. */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { startFakeServer } from '../client/fake-server.ts';
import { command, Sandbox } from './cli-process.ts';

const shell = promisify(execFile);

/** Endless lists, and groups that can be created. */
function endlessServer() {
  return startFakeServer(({ method, path }) => {
    if (method !== 'GET') return { status: 201, json: { groupId: 'g' } };
    const at = Number(new URL(path, 'http://x').searchParams.get('after') ?? 0);
    const json = Array.from({ length: 1000 }, (_, row) => ({ groupId: `g${at + row}`, groupName: 'n'.repeat(90) }));
    return { status: 206, json, headers: { link: `</x?after=${at + 1000}>; rel="next"` } };
  });
}

test.each(['table', 'json', 'jsonl'])(
  'an endless list as %s stops without an error when its reader exits',
  async (format) => {
    await using sandbox = await Sandbox.make();
    await using server = await endlessServer();
    const script = `"$@" groups list --all -o ${format} 2> err | head -n 3; echo "$\{PIPESTATUS[0]}"`;
    const env = { PATH: process.env.PATH, HOME: sandbox.folder, IAM_BASE_URL: server.url, IAM_TOKEN: 't' };
    const { stdout } = await shell('bash', ['-c', script, 'bash', ...command], { cwd: sandbox.folder, env });
    expect(stdout.trim().split('\n')).toHaveLength(4);
    expect(stdout.trim().split('\n').at(-1)).toBe('0');
    expect(await readFile(sandbox.file('err'), 'utf8')).toBe('');
    expect(server.received.length).toBeLessThan(10);
  },
);

test('a bulk run stops on a signal, finishes requests in progress and resumes', async () => {
  await using sandbox = await Sandbox.make();
  const pending: (() => void)[] = [];
  await using server = await startFakeServer(async () => {
    if (pending.length < 2) await new Promise<void>((resolve) => pending.push(resolve));
    return { status: 201, json: { groupId: 'g' } };
  });
  const variables = { IAM_BASE_URL: server.url, IAM_TOKEN: 't' };
  await writeFile(sandbox.file('rows.csv'), `groupName\n${Array.from({ length: 20 }, (_, at) => `g${at}`).join('\n')}`);
  const words = ['bulk', 'run', 'rows.csv', '--operation', 'groups.create', '--concurrency', '2', '-o', 'csv'];
  const running = sandbox.startIam(words, variables);
  while (pending.length < 2) await new Promise((resolve) => setImmediate(resolve));
  const notice = new Promise((resolve) => running.child.stderr?.once('data', resolve));
  running.child.kill('SIGINT');
  expect(String(await notice)).toContain('Interrupted');
  for (const release of pending) release();
  const first = await running.done;
  expect([first.code, first.out.trim().split('\n').length, server.received.length]).toEqual([130, 3, 2]);
  const second = await sandbox.iam(words, variables);
  expect([second.code, second.err]).toEqual([0, '18 of 18 rows done; 2 were done before.\n']);
  expect(new Set(server.received.map(({ body }) => body)).size).toBe(20);
});
