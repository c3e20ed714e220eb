import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readProcessIdentity } from '../../src/cli/local-server/processes.ts';
import { listRunningServers } from '../../src/cli/local-server/server-records.ts';
import { effort } from '../effort.ts';
import { command, type ProcessResult, Sandbox, shellCommand } from './cli-process.ts';
import { runCommand } from './runner.ts';

interface Row {
  readonly name: string;
  readonly state: string;
  readonly url: string;
  readonly pid: number;
  readonly data?: string;
  readonly profile?: string;
  readonly log: string;
}

let sandbox: Sandbox;
/** Processes started by a test, directly or through the command; all are terminated afterwards. */
let started: Set<number>;

beforeEach(async () => {
  sandbox = await Sandbox.make();
  started = new Set();
});

afterEach(async () => {
  const running = await listRunningServers(variables());
  for (const pid of [...started, ...running.map((server) => server.pid)]) kill(pid);
  await sandbox[Symbol.asyncDispose]();
});

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has exited, as expected.
  }
}

/** Whether the process runs and is not a zombie. */
const isAlive = async (pid: number) => (await readProcessIdentity(pid)) !== undefined;

/** Each start hashes a password, here without cost. */
const variables = () => ({ XDG_STATE_HOME: sandbox.file('state'), IAM_SERVE_FAST_PASSWORDS: 'true' });
/** Only the start needs a process of the command, which runs its program again in the background. */
function iam(words: readonly string[], more = {}): Promise<ProcessResult> {
  const all = { ...variables(), ...more };
  return words[1] === 'start' ? sandbox.iam(words, all) : runCommand(sandbox, words, all);
}

async function rows(): Promise<Row[]> {
  return JSON.parse((await iam(['server', 'status', '-o', 'json'])).out) as Row[];
}

const inMemory = ['server', 'start', '-o', 'json', '--port', '0', '--store', 'memory'];
const onDisk = (folder: string) => ['server', 'start', '-o', 'json', '--port', '0', '--data', folder];

/** Starts a server and expects success. */
async function start(words: readonly string[] = inMemory, more = {}): Promise<Row & Pick<ProcessResult, 'err'>> {
  const { code, out, err } = await iam(words, more);
  expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' });
  const row = JSON.parse(out) as Row;
  started.add(row.pid);
  return { ...row, err };
}

describe('iam server start', () => {
  test('returns when the server responds; the server continues to run', async () => {
    const { url, pid, state, name } = await start();
    expect([state, name]).toEqual(['running', 'memory']);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect(await iam(['server', 'status', '-q', '-o', 'name'])).toMatchObject({ code: 0, out: 'memory\n' });
    expect(await isAlive(pid)).toBe(true);
  });

  test('reports a running server and starts no other', async () => {
    const first = await start();
    const second = await start();
    expect(second).toMatchObject({ pid: first.pid, url: first.url });
    expect(second.err).toContain('Already running');
    expect(await rows()).toHaveLength(1);
  });

  test('starts one server for concurrent commands', async () => {
    const servers = await Promise.all(Array.from({ length: Math.max(3, effort) }, () => start()));
    expect(new Set(servers.map(({ pid }) => pid)).size).toBe(1);
  });

  test('survives the end of the parent process group', async () => {
    const shell = spawn('/bin/sh', ['-c', `${shellCommand} ${inMemory.join(' ')}; sleep 60`], {
      detached: true,
      env: { ...process.env, ...variables(), XDG_CONFIG_HOME: sandbox.file('config') },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const { pid, url } = JSON.parse(await firstDocument(shell)) as Row;
    started.add(pid).add(Number(shell.pid));
    process.kill(-Number(shell.pid), 'SIGTERM');
    await once(shell, 'close');
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect(await iam(['server', 'stop'])).toMatchObject({ code: 0 });
    expect(await isAlive(pid)).toBe(false);
  });

  test('stores new credentials in a profile and not in the log', async () => {
    const { profile, log, err } = await start();
    expect(profile).toBe('local-memory');
    const config = await readFile(sandbox.file('config/iam/config.json'), 'utf8');
    const { profiles } = JSON.parse(config) as { profiles: Record<string, { clientSecret: string }> };
    const secret = profiles['local-memory']?.clientSecret ?? '';
    expect(secret.length).toBeGreaterThan(20);
    expect(err).not.toContain(secret);
    const [, password = ''] = /shown only once\): (\S+)/.exec(err) ?? [];
    expect(password).not.toBe('');
    for (const file of await readdir(sandbox.file('state/iam/servers'))) {
      const text = await readFile(sandbox.file(`state/iam/servers/${file}`), 'utf8');
      expect([file, text.includes(secret), text.includes(password)]).toEqual([file, false, false]);
      expect((await stat(sandbox.file(`state/iam/servers/${file}`))).mode & 0o777).toBe(0o600);
    }
    expect(path.dirname(log)).toBe(sandbox.file('state/iam/servers'));
    expect((await iam(['groups', 'list', '--profile', 'local-memory'])).code).toBe(0);
  });

  test('reopens a store on another port with the same profile', async () => {
    const first = await start(onDisk('store'));
    const profile = ['--profile', String(first.profile)];
    expect((await iam(['groups', 'create', '--group-name', 'stored', ...profile])).code).toBe(0);
    await iam(['server', 'stop']);
    expect(await isAlive(first.pid)).toBe(false);
    const second = await start(onDisk('./store'));
    expect([second.name, second.data, second.profile]).toEqual([first.name, sandbox.file('store'), first.profile]);
    expect((await iam(['groups', 'get', 'stored', '-o', 'name', ...profile])).out).toBe('stored\n');
  });

  test('follows the store that the settings of a seed select, and keeps the profile of the other', async () => {
    const first = await start(onDisk('data/store'));
    expect(first.profile).toBe('local');
    await iam(['server', 'stop']);
    const config = await readFile(sandbox.file('config/iam/config.json'), 'utf8');
    await writeFile(sandbox.file('demo.json'), JSON.stringify({ settings: { store: 'memory', port: 0 } }));
    const seeded = await start(['server', 'start', '-o', 'json', '--seed', 'demo.json']);
    expect([seeded.name, seeded.profile, seeded.data]).toEqual(['memory', 'local-memory', undefined]);
    const { profiles } = JSON.parse(config) as { profiles: Record<string, unknown> };
    const after = JSON.parse(await readFile(sandbox.file('config/iam/config.json'), 'utf8')) as typeof profiles;
    expect(after.profiles).toMatchObject({ local: profiles.local });
    expect((await start(onDisk('data/store'))).pid).not.toBe(seeded.pid);
  });

  test('restarts after a kill', async () => {
    const first = await start();
    kill(first.pid);
    await expect.poll(async () => (await rows())[0]?.state).toBe('ended');
    expect((await iam(['server', 'status'])).code).toBe(1);
    expect((await start()).pid).not.toBe(first.pid);
  });
});

/** Text up to the closing brace of a document. */
async function firstDocument({ stdout }: ChildProcess): Promise<string> {
  let text = '';
  for await (const chunk of stdout ?? []) {
    text += String(chunk);
    if (text.endsWith('}\n')) break;
  }
  return text;
}

describe('a server that fails to start', () => {
  test('exits with 11 and the reason if the port is in use, and leaves no process', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const outcome = await iam(['server', 'start', '--port', String(port), '--store', 'memory', '-o', 'json']);
    expect(outcome).toMatchObject({ code: 11, out: '' });
    expect(outcome.err).toContain(`port ${port} is already in use`);
    expect(await rows()).toEqual([]);
    other.close();
  });

  test('exits with 12, 13 and 14 for unusable folders', async () => {
    await mkdir(sandbox.file('photos'));
    await writeFile(sandbox.file('photos/cat.jpg'), 'not a store');
    expect((await iam(onDisk('photos'))).code).toBe(12);
    const foreground = await sandbox.serve(['--data', sandbox.file('busy')]);
    expect((await iam(onDisk('busy'))).code).toBe(13);
    foreground.child.kill('SIGTERM');
    await foreground.done;
    for (const file of ['iam.json', 'iam.previous.json']) await writeFile(sandbox.file(`busy/${file}`), '{"broken":');
    expect((await iam(onDisk('busy'))).code).toBe(14);
  });

  test('exits with 2 for an invalid value', async () => {
    const outcome = await iam(['server', 'start', '--store', 'memory', '--port', '99999']);
    expect(outcome).toMatchObject({ code: 2, out: '' });
    expect(outcome.err).toContain('--port must be a whole number');
    expect((await iam(['server', 'start', '--wait', 'soon'])).code).toBe(2);
  });

  test('exits with 75 on a startup timeout and terminates the process', async () => {
    const outcome = await iam([...inMemory, '--wait', '0.01']);
    expect(outcome).toMatchObject({ code: 75, out: '' });
    expect(JSON.parse(outcome.err)).toMatchObject({ error: { code: 'SERVER_NOT_READY', transient: true } });
    expect(await rows()).toEqual([]);
  });
});

describe('iam server stop', () => {
  test('does nothing if no server runs', async () => {
    expect(await iam(['server', 'stop'])).toMatchObject({ code: 0, out: '' });
    await start();
    expect((await iam(['server', 'stop', '-q'])).err).toBe('');
    expect((await iam(['server', 'stop'])).code).toBe(0);
    expect(await rows()).toEqual([]);
    expect((await iam(['server', 'status'])).code).toBe(1);
  });

  test('exits with 3 and the known names for an unknown server, and stops none', async () => {
    expect(await iam(['server', 'stop', 'memory'])).toMatchObject({ code: 3, out: '' });
    const { pid } = await start();
    for (const words of [['stop'], ['status'], ['logs'], ['status', '-o', 'json']]) {
      const { code, out, err } = await iam(['server', ...words, 'memmory']);
      expect([code, out, err]).toEqual([3, '', expect.stringContaining('memmory not found. Known servers: memory.')]);
    }
    expect(await isAlive(pid)).toBe(true);
    expect((await iam(['server', 'stop', 'memory'])).code).toBe(0);
    const again = await iam(['server', 'stop', 'memory']);
    expect([again.code, again.err]).toEqual([0, 'No matching background server is running.\n']);
    expect((await iam(['server', 'status', 'memory'])).code).toBe(1);
  });

  test('does not stop another process with the same PID', async () => {
    const { pid } = await start();
    await iam(['server', 'stop']);
    const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    started.add(Number(other.pid));
    const file = sandbox.file('state/iam/servers/memory.json');
    const record = JSON.parse(await readFile(file, 'utf8')) as Row;
    expect(record.pid).toBe(pid);
    await writeFile(file, JSON.stringify({ ...record, pid: other.pid, stopped: false }));
    expect((await rows())[0]?.state).toBe('ended');
    expect((await iam(['server', 'stop', '--all'])).code).toBe(0);
    expect(await isAlive(Number(other.pid))).toBe(true);
  });

  test('ignores a damaged record', async () => {
    await start();
    await writeFile(sandbox.file('state/iam/servers/memory.json'), '{"pid": -1, "name"');
    expect(await iam(['server', 'stop'])).toMatchObject({ code: 0 });
    expect(await rows()).toEqual([]);
  });

  test('requires a name, URL, port, folder or --all if several servers run', async () => {
    const [memory, disk] = [await start(), await start(onDisk('store'))];
    const unclear = await iam(['server', 'stop']);
    expect([unclear.code, unclear.err.includes(memory.url)]).toEqual([2, true]);
    expect((await iam(['server', 'stop', 'memory', '--all'])).code).toBe(2);
    // A folder is relative to that of the process.
    expect((await sandbox.iam(['server', 'stop', 'store'], variables())).code).toBe(0);
    expect([await isAlive(memory.pid), await isAlive(disk.pid)]).toEqual([true, false]);
    const third = await start(onDisk('other'));
    expect((await iam(['server', 'stop', new URL(third.url).port])).code).toBe(0);
    expect((await iam(['server', 'stop', memory.url])).code).toBe(0);
    await Promise.all([start(), start(onDisk('store'))]);
    expect((await iam(['server', 'stop', '--all'])).code).toBe(0);
    expect(await rows()).toEqual([]);
  });
});

describe('iam server logs', () => {
  test('prints the log of a running or stopped server, and exits with 3 if there is none', async () => {
    expect((await iam(['server', 'logs'])).code).toBe(3);
    const { url } = await start([...inMemory, '--log-level', 'info']);
    await fetch(`${url}/security/iam/v1/groups`);
    await expect.poll(async () => (await iam(['server', 'logs'])).out).toContain('groups.list');
    await iam(['server', 'stop']);
    const whole = (await iam(['server', 'logs'])).out;
    expect(whole).toContain('groups.list');
    expect((await iam(['server', 'logs', 'memory', '-n', '1'])).out).toBe(`${whole.trimEnd().split('\n').at(-1)}\n`);
  });

  test('follows until the server exits', async () => {
    const { url } = await start([...inMemory, '--log-level', 'info']);
    const following = sandbox.startIam(['server', 'logs', '-f'], variables());
    started.add(Number(following.child.pid));
    const printed = once(following.child.stdout as NodeJS.ReadableStream, 'data');
    await fetch(`${url}/security/iam/v1/groups`);
    await printed;
    await iam(['server', 'stop']);
    expect(await following.done).toMatchObject({ code: 0, out: expect.stringContaining('groups.list') as string });
  });

  test('stops following at SIGINT with 130', async () => {
    const { url } = await start([...inMemory, '--log-level', 'info']);
    await fetch(`${url}/security/iam/v1/groups`);
    const following = sandbox.startIam(['server', 'logs', '-f'], variables());
    await once(following.child.stdout as NodeJS.ReadableStream, 'data');
    following.child.kill('SIGINT');
    expect((await following.done).code).toBe(130);
  });
});

describe('iam env', () => {
  const shell = (script: string, more = {}) =>
    sandbox.start('/bin/sh', ['-c', script], { ...variables(), ...more, IAM: command.join(' ') }).done;

  test('prints the profile of the background server without a secret', async () => {
    const { url } = await start();
    const printed = await iam(['env']);
    expect(printed.out).toBe(`export IAM_PROFILE='local-memory'\nexport IAM_BASE_URL='${url}'\n`);
    // Credentials of another server would override the profile.
    const other = { IAM_TOKEN: 'of another server', IAM_CLIENT_ID: 'another', IAM_BASE_URL: 'http://127.0.0.1:9' };
    const outcome = await shell('eval "$($IAM env)" && $IAM groups list -o name && echo "[$IAM_TOKEN]"', other);
    expect(outcome).toMatchObject({ code: 0, out: expect.stringMatching(/iam-[\s\S]*\[\]/) as string });
  });

  test('prints sufficient credentials with --secrets', async () => {
    await start();
    const script = 'eval "$($IAM env --secrets)" && XDG_CONFIG_HOME=/nonexistent $IAM groups list -o name';
    expect(await shell(script)).toMatchObject({ code: 0, out: expect.stringContaining('iam-') as string });
    const { out } = await iam(['env', '--secrets', '-o', 'json']);
    expect(Object.keys(JSON.parse(out) as object).sort()).toEqual([
      'IAM_BASE_URL',
      'IAM_CLIENT_ID',
      'IAM_CLIENT_SECRET',
    ]);
  });

  test('prints no profile for a server with other credentials', async () => {
    await iam(['profile', 'add', 'staging', '--base-url', 'https://iam.example.com']);
    const own = { IAM_ADMIN_CLIENT_ID: 'other', IAM_ADMIN_CLIENT_SECRET: 'a-secret-that-is-stored-elsewhere' };
    const { url, profile } = await start(inMemory, own);
    expect(profile).toBeUndefined();
    expect((await iam(['env'])).out).toBe(`export IAM_BASE_URL='${url}'\n`);
    expect((await iam(['env', '--secrets'])).code).toBe(4);
  });
});
