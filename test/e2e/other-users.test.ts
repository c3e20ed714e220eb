/** Stores and project files of other users of the machine, with processes of other users. They need root and Linux. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { isFullRun } from '../effort.ts';
import { adminVariables, bin, command, type RunningProcess, Sandbox, type Variables } from './cli-process.ts';

const [owner, group] = [12345, 23456];
const canChangeUsers = process.platform === 'linux' && process.getuid?.() === 0;

/** Whether a file can be read by every user: the clone may be in the home folder of root. */
function isReadableByAll(file: string): boolean {
  const isTop = path.dirname(file) === file;
  return (
    (statSync(file).mode & 0o5) >= (statSync(file).isDirectory() ? 0o1 : 0o4) &&
    (isTop || isReadableByAll(path.dirname(file)))
  );
}
const canRunAsOthers = canChangeUsers && isReadableByAll(bin) && isReadableByAll(process.execPath);

/** Runs the command as another user with a group of its own and another one. */
function runAs(sandbox: Sandbox, user: number, words: readonly string[], variables: Variables = {}): RunningProcess {
  const as = [`--reuid=${user}`, `--regid=${user}`, `--groups=${user},${group}`];
  return sandbox.start('setpriv', [...as, ...command, ...words], { ...adminVariables, ...variables });
}

const serveWords = (data: string) => ['serve', '--json', '--port', '0', '--data', data];

/** Waits for the ready line, and stops the server. @returns its exit code */
async function startAndStop({ child, done }: RunningProcess): Promise<number | null> {
  if (!child.stdout) throw new Error('no standard output');
  const ready = once(createInterface(child.stdout), 'line') as Promise<[string]>;
  const outcome = await Promise.race([ready, done]);
  if (!Array.isArray(outcome)) return outcome.code;
  expect(JSON.parse(outcome[0])).toMatchObject({ store: 'file' });
  child.kill('SIGTERM');
  return (await done).code;
}

function makeFolder(folder: string, uid: number, gid: number, mode: number): string {
  mkdirSync(folder);
  chownSync(folder, uid, gid);
  chmodSync(folder, mode);
  return folder;
}

test.skipIf(!canRunAsOthers)('a server uses volumes of root, as in Kubernetes, from its first start on', async () => {
  await using sandbox = await Sandbox.make();
  chmodSync(sandbox.folder, 0o755);
  const volumes = { 'fs-group': [0, group, 0o2775], 'empty-dir': [0, 0, 0o777] } as const;
  const first = isFullRun ? volumes : { 'fs-group': volumes['fs-group'] };
  for (const [name, [uid, gid, mode]] of Object.entries(first)) {
    const data = makeFolder(sandbox.file(name), uid, gid, mode);
    for (let start = 1; start <= 2; start += 1)
      expect([name, start, await startAndStop(runAs(sandbox, owner, serveWords(data)))]).toEqual([name, start, 0]);
    expect(statSync(data).mode & 0o7777).toBe(mode);
    // Another user finds files of the first one there.
    const { code, err } = await runAs(sandbox, owner + 1, serveWords(data)).done;
    expect([code, err]).toEqual([12, expect.stringContaining(`belongs to another user (uid ${owner})`)]);
  }
});

test.skipIf(!canRunAsOthers)('a server and commands work in a checkout with umask 002, also as root', async () => {
  await using sandbox = await Sandbox.make();
  chownSync(sandbox.folder, owner, owner);
  chmodSync(sandbox.folder, 0o775);
  writeFileSync(sandbox.file('.iamrc.json'), '{"timeout": 9}', { mode: 0o664 });
  chownSync(sandbox.file('.iamrc.json'), owner, owner);
  const explain = ['config', 'explain', 'timeout', '-o', 'json'];
  for (const run of [runAs(sandbox, owner, explain), sandbox.startIam(explain)])
    expect(await run.done).toMatchObject({ code: 0, err: '', out: expect.stringContaining('"9"') });
  expect(await startAndStop(runAs(sandbox, owner, serveWords('store')))).toBe(0);
  expect(await startAndStop(sandbox.startIam(serveWords('store'), adminVariables))).toBe(0);
});

/** A command in a mount namespace of its own, with a volume of a user. */
const mountVolume = (folder: string) => [
  '-m',
  'sh',
  '-c',
  `mount -t tmpfs -o uid=${owner},mode=700 t '${folder}' && exec "$@"`,
  'sh',
];
const canMount = canChangeUsers && spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 't', '/mnt']).status === 0;

test.skipIf(!canMount || !isFullRun)('root in a container uses a volume of another user', async () => {
  await using sandbox = await Sandbox.make();
  const volume = makeFolder(sandbox.file('volume'), 0, 0, 0o755);
  for (const data of [volume, path.join(volume, 'store')]) {
    const words = [...mountVolume(volume), ...command, ...serveWords(data)];
    expect([data, await startAndStop(sandbox.start('unshare', words, adminVariables))]).toEqual([data, 0]);
  }
});

test.skipIf(!canRunAsOthers)('a store below a folder that others can write is refused', async () => {
  await using sandbox = await Sandbox.make();
  chmodSync(sandbox.folder, 0o755);
  const shared = makeFolder(sandbox.file('shared'), 0, 0, 0o777);
  const data = makeFolder(path.join(shared, 'store'), owner, owner, 0o700);
  const { code, err } = await runAs(sandbox, owner, serveWords(data)).done;
  expect([code, err]).toEqual([12, expect.stringContaining(`other users can write ${shared} (mode 777)`)]);
  chmodSync(shared, 0o1777);
  expect(await startAndStop(runAs(sandbox, owner, serveWords(data)))).toBe(0);
});

test.skipIf(!canChangeUsers || !isFullRun)(
  'root with sudo uses the files of the user, without it only with --trust-folder',
  async () => {
    await using sandbox = await Sandbox.make();
    const data = makeFolder(sandbox.file('store'), owner, owner, 0o700);
    const refused = await sandbox.iam(serveWords(data));
    expect([refused.code, refused.err]).toEqual([12, expect.stringContaining(`chown -R 0:0 ${data}`)]);
    expect(await readdir(data)).toEqual([]);
    const sudo = { ...adminVariables, SUDO_UID: String(owner), SUDO_GID: String(owner) };
    expect(await startAndStop(sandbox.startIam(serveWords(data), sudo))).toBe(0);
    const trusting = [...serveWords(data), '--trust-folder', sandbox.folder];
    expect(await startAndStop(sandbox.startIam(trusting, adminVariables))).toBe(0);
  },
);
