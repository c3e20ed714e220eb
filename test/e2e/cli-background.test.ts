import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { readProcessIdentity } from '../../src/cli/io/processes.ts';
import { listRunningServers, writeServerRecord } from '../../src/cli/local-server/server-records.ts';
import { effort } from '../effort.ts';
import { bin, command, type ProcessResult, Sandbox, shellCommand } from './cli-process.ts';
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

async function open(): Promise<void> {
  sandbox = await Sandbox.make();
  started = new Set();
}

async function close(): Promise<void> {
  const running = await listRunningServers(variables());
  for (const pid of [...started, ...running.map((server) => server.pid)]) kill(pid);
  await sandbox[Symbol.asyncDispose]();
}

// A start in this process runs in the background what the process itself runs.
const ownScript = process.argv[1];
beforeAll(() => {
  process.argv[1] = bin;
});
afterAll(() => {
  process.argv[1] = ownScript ?? '';
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

const iam = (words: readonly string[], more = {}): Promise<ProcessResult> =>
  runCommand(sandbox, words, { ...variables(), ...more });

/** Runs in a process of its own, with the folder of the sandbox as working folder. */
const iamProcess = (words: readonly string[]): Promise<ProcessResult> => sandbox.iam(words, variables());

async function rows(): Promise<Row[]> {
  return JSON.parse((await iam(['server', 'status', '-o', 'json'])).out) as Row[];
}

/** The credentials of the store itself, in place of those of the tests. */
const withoutAdmin = { IAM_ADMIN_CLIENT_ID: '', IAM_ADMIN_CLIENT_SECRET: '' };
const serverStart = ['server', 'start', '-o', 'json', '--port', '0'];
const inMemory = [...serverStart, '--store', 'memory'];
const onDisk = (name: string) => [...serverStart, '--data', sandbox.file(name)];

type Started = Row & Pick<ProcessResult, 'err'>;

/** Starts a server and expects success. */
const start = async (words: readonly string[] = inMemory, more = {}): Promise<Started> =>
  expectStarted(await iam(words, more));

function expectStarted({ code, out, err }: ProcessResult): Started {
  expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' });
  const row = JSON.parse(out) as Row;
  started.add(row.pid);
  return { ...row, err };
}

describe('a running server', () => {
  let server: Started;

  beforeAll(async () => {
    await open();
    server = await start([...inMemory, '--log-level', 'info']);
  });
  afterAll(close);

  test('responds when the command that started it returns, and continues to run', async () => {
    const { url, pid, state, name } = server;
    expect([state, name]).toEqual(['running', 'memory']);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect(await iam(['server', 'status', '-q', '-o', 'name'])).toMatchObject({ code: 0, out: 'memory\n' });
    expect(await isAlive(pid)).toBe(true);
  });

  test('is reported by another start, which starts no other', async () => {
    const second = await start();
    expect(second).toMatchObject({ pid: server.pid, url: server.url });
    expect(second.err).toContain('Already running');
    expect(await rows()).toHaveLength(1);
  });

  test('has its new credentials in a profile and not in the log', async () => {
    const { profile, log, err } = server;
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

  test('an unknown name exits with 3 and the known names, and stops none', async () => {
    for (const words of [['stop'], ['status'], ['logs'], ['status', '-o', 'json']]) {
      const { code, out, err } = await iam(['server', ...words, 'memmory']);
      expect([code, out, err]).toEqual([3, '', expect.stringContaining('memmory not found. Known servers: memory.')]);
    }
    expect(await isAlive(server.pid)).toBe(true);
  });

  test('SIGINT stops following its log with 130', async () => {
    await fetch(`${server.url}/security/iam/v1/groups`);
    const following = sandbox.startIam(['server', 'logs', '-f'], variables());
    await once(following.child.stdout as NodeJS.ReadableStream, 'data');
    following.child.kill('SIGINT');
    expect((await following.done).code).toBe(130);
  });

  test('`iam env` prints its profile without a secret', async () => {
    const printed = await iam(['env']);
    expect(printed.out).toBe(`export IAM_PROFILE='local-memory'\nexport IAM_BASE_URL='${server.url}'\n`);
    // Credentials of another server would override the profile.
    const other = { IAM_TOKEN: 'of another server', IAM_CLIENT_ID: 'another', IAM_BASE_URL: 'http://127.0.0.1:9' };
    const script = 'eval "$($IAM env)" && $IAM groups list -o name && echo "[$IAM_TOKEN]"';
    const all = { ...variables(), ...other, IAM: command.join(' ') };
    const outcome = await sandbox.start('/bin/sh', ['-c', script], all).done;
    expect(outcome).toMatchObject({ code: 0, out: expect.stringMatching(/iam-[\s\S]*\[\]/) as string });
  });

  test('`iam env --secrets` prints sufficient credentials', async () => {
    const { out } = await iam(['env', '--secrets', '-o', 'json']);
    const credentials = JSON.parse(out) as Record<string, string>;
    expect(Object.keys(credentials).sort()).toEqual(['IAM_BASE_URL', 'IAM_CLIENT_ID', 'IAM_CLIENT_SECRET']);
    const { XDG_STATE_HOME } = variables();
    const alone = { XDG_STATE_HOME, XDG_CONFIG_HOME: '/nonexistent', ...credentials };
    const listed = await runCommand(sandbox, ['groups', 'list', '-o', 'name'], alone);
    expect(listed).toMatchObject({ code: 0, out: expect.stringContaining('iam-') as string });
  });
});

describe('iam server start', () => {
  beforeEach(open);
  afterEach(close);

  test('starts one server for concurrent commands, and another after a kill', async () => {
    const processes = Array.from({ length: Math.max(2, effort) }, () => iamProcess(inMemory).then(expectStarted));
    const servers = await Promise.all([...processes, start()]);
    const [{ pid } = { pid: 0 }] = servers;
    expect(servers.map((server) => server.pid)).toEqual(servers.map(() => pid));
    kill(pid);
    await expect.poll(async () => (await rows())[0]?.state).toBe('ended');
    expect((await iam(['server', 'status'])).code).toBe(1);
    expect((await start()).pid).not.toBe(pid);
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

  test('reopens a store with its profile, after the settings of a seed selected another', async () => {
    const relative = (...words: string[]) =>
      iamProcess(['server', 'start', '-o', 'json', ...words]).then(expectStarted);
    const first = await relative('--port', '0', '--data', 'data/store');
    expect(first.profile).toBe('local');
    const profile = ['--profile', 'local'];
    expect((await iam(['groups', 'create', '--group-name', 'stored', ...profile])).code).toBe(0);
    await iam(['server', 'stop']);
    expect(await isAlive(first.pid)).toBe(false);
    const stopped = await iam(['groups', 'list', ...profile]);
    expect(stopped).toMatchObject({ code: 75, err: expect.stringContaining('is not running; nothing was sent') });
    const foreground = await sandbox.serve(['--data', 'data/store'], withoutAdmin);
    expect((await iam(['groups', 'get', 'stored', '-o', 'name', ...profile])).out).toBe('stored\n');
    foreground.child.kill('SIGTERM');
    await foreground.done;
    expect((await iam(['groups', 'list', ...profile])).code).toBe(75);
    const readProfiles = async () =>
      (JSON.parse(await readFile(sandbox.file('config/iam/config.json'), 'utf8')) as { profiles: { local: object } })
        .profiles;
    const { local } = await readProfiles();
    await writeFile(sandbox.file('demo.json'), JSON.stringify({ settings: { store: 'memory', port: 0 } }));
    const seeded = await relative('--seed', 'demo.json');
    expect([seeded.name, seeded.profile, seeded.data]).toEqual(['memory', 'local-memory', undefined]);
    expect((await readProfiles()).local).toEqual(local);
    const again = await relative('--port', '0', '--data', './data/store');
    expect([again.name, again.data, again.profile]).toEqual([first.name, sandbox.file('data/store'), 'local']);
    expect(again.pid).not.toBe(seeded.pid);
    expect((await iam(['groups', 'get', 'stored', '-o', 'name', ...profile])).out).toBe('stored\n');
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
  beforeEach(open);
  afterEach(close);

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
  beforeEach(open);
  afterEach(close);

  test('does nothing if no server runs or the named one has stopped, and exits with 3 if none has that name', async () => {
    expect(await iam(['server', 'stop'])).toMatchObject({ code: 0, out: '' });
    expect(await iam(['server', 'stop', 'memory'])).toMatchObject({ code: 3, out: '' });
    await start();
    expect((await iam(['server', 'stop', '-q'])).err).toBe('');
    for (const words of [['stop'], ['stop', 'memory']]) {
      const { code, err } = await iam(['server', ...words]);
      expect([code, err]).toEqual([0, 'No matching background server is running.\n']);
    }
    expect(await rows()).toEqual([]);
    for (const words of [['status'], ['status', 'memory']]) expect((await iam(['server', ...words])).code).toBe(1);
  });

  test('does not stop another process with the same PID', async () => {
    const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    const pid = Number(other.pid);
    started.add(pid);
    const identity = (await readProcessIdentity(process.pid)) ?? '';
    const log = sandbox.file('memory.log');
    const record = { name: 'memory', store: 'memory', url: 'http://127.0.0.1:9', log, startedAt: 0 } as const;
    await writeServerRecord({ ...record, pid, identity }, variables());
    expect((await rows())[0]?.state).toBe('ended');
    expect((await iam(['server', 'stop', '--all'])).code).toBe(0);
    expect(await isAlive(pid)).toBe(true);
  });

  test('ignores a damaged record', async () => {
    await mkdir(sandbox.file('state/iam/servers'), { recursive: true });
    await writeFile(sandbox.file('state/iam/servers/memory.json'), '{"pid": -1, "name"');
    expect(await iam(['server', 'stop'])).toMatchObject({ code: 0 });
    expect(await rows()).toEqual([]);
  });

  test('requires a name, URL, port, folder or --all if several servers run', async () => {
    const [memory, disk, other] = [await start(), await start(onDisk('store')), await start(onDisk('other'))];
    expect(disk.profile).toBe(`local-${disk.name}`);
    const unclear = await iam(['server', 'stop']);
    expect([unclear.code, unclear.err.includes(memory.url)]).toEqual([2, true]);
    expect((await iam(['server', 'stop', 'memory', '--all'])).code).toBe(2);
    for (const reference of [other.name, other.url, new URL(other.url).port])
      expect((await iam(['server', 'status', reference, '-o', 'name'])).out).toBe(`${other.name}\n`);
    // A folder is relative to that of the process.
    expect((await iamProcess(['server', 'stop', 'store'])).code).toBe(0);
    const areAlive = () => Promise.all([memory, disk, other].map(({ pid }) => isAlive(pid)));
    expect(await areAlive()).toEqual([true, false, true]);
    expect((await iam(['server', 'stop', '--all'])).code).toBe(0);
    expect(await areAlive()).toEqual([false, false, false]);
    expect(await rows()).toEqual([]);
  });
});

describe('iam server logs', () => {
  beforeEach(open);
  afterEach(close);

  test('prints or follows the log of a running server until it exits, and then that of the stopped one', async () => {
    expect((await iam(['server', 'logs'])).code).toBe(3);
    const { url } = await start([...inMemory, '--log-level', 'info']);
    const following = sandbox.startIam(['server', 'logs', '-f'], variables());
    started.add(Number(following.child.pid));
    const printed = once(following.child.stdout as NodeJS.ReadableStream, 'data');
    await fetch(`${url}/security/iam/v1/groups`);
    await printed;
    expect((await iam(['server', 'logs'])).out).toContain('groups.list');
    await iam(['server', 'stop']);
    expect(await following.done).toMatchObject({ code: 0, out: expect.stringContaining('groups.list') as string });
    const whole = (await iam(['server', 'logs'])).out;
    expect(whole).toContain('groups.list');
    expect((await iam(['server', 'logs', 'memory', '-n', '1'])).out).toBe(`${whole.trimEnd().split('\n').at(-1)}\n`);
  });
});

test('`iam env` prints no profile for a server with other credentials', async () => {
  await open();
  onTestFinished(close);
  await iam(['profile', 'add', 'staging', '--base-url', 'https://iam.example.com']);
  const own = { IAM_ADMIN_CLIENT_ID: 'other', IAM_ADMIN_CLIENT_SECRET: 'a-secret-that-is-stored-elsewhere' };
  const { url, profile } = await start(inMemory, own);
  expect(profile).toBeUndefined();
  expect((await iam(['env'])).out).toBe(`export IAM_BASE_URL='${url}'\n`);
  expect((await iam(['env', '--secrets'])).code).toBe(4);
});
