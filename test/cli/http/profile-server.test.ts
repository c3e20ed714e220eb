/** After a local server has stopped, another user can listen on its port: nothing secret is sent there. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { chown, mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect } from 'vitest';
import { writeSession } from '../../../src/cli/auth/session-file.ts';
import { createTokenCache } from '../../../src/cli/auth/token-cache.ts';
import type { ProfileFile } from '../../../src/cli/config/profile.ts';
import { replacePrivateFile } from '../../../src/cli/io/private-files.ts';
import { readProcessIdentity } from '../../../src/cli/io/processes.ts';
import { followServer, saveServerProfile } from '../../../src/cli/local-server/server-profile.ts';
import { listCompletions } from '../completion/complete.ts';
import { type Home, test, tokenVariables } from '../run-cli.ts';

const now = 1_800_000_000_000;
const secret = 'secret-of-the-administrator';
const credentials = { adminClientId: 'admin', appClientId: 'app', adminUser: 'administrator' };
/** Accepts no connection itself: what matters is whether it runs. */
/** A name that a shell needs quotes for. */
const storeFolder = mkdtempSync(path.join(os.tmpdir(), 'my store '));
afterAll(() => rmSync(storeFolder, { recursive: true }));

let owner: ChildProcess;
let impostor: Server;
let received: IncomingMessage[];
let url: string;

beforeEach(async () => {
  owner = startProcess();
  received = [];
  impostor = createServer((request, response) => {
    received.push(request);
    response.setHeader('content-type', 'application/json').end('[]');
  }).listen(0, '127.0.0.1');
  await once(impostor, 'listening');
  url = `http://127.0.0.1:${(impostor.address() as AddressInfo).port}`;
});
afterEach(async () => {
  owner.kill('SIGKILL');
  impostor.closeAllConnections();
  await new Promise((resolve) => impostor.close(resolve));
});

function startProcess(): ChildProcess {
  return spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
}

async function endProcess(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

const describeProcess = async ({ pid = 0 }: ChildProcess) => ({
  ...{ url, pid, store: 'file' as const, data: storeFolder },
  identity: (await readProcessIdentity(pid)) ?? '',
});

async function addProfile({ variables }: Home): Promise<void> {
  const ready = { ...credentials, url, store: 'file' as const, adminClientSecret: secret };
  await saveServerProfile('local', ready, await describeProcess(owner), variables);
}

const list = ['groups', 'list'];

describe('the profile of a server that has stopped', () => {
  test('sends nothing to whatever has its port now', async ({ home }) => {
    await addProfile(home);
    await home.iam(list);
    expect(received.length).toBeGreaterThan(0);
    received = [];
    await endProcess(owner);
    const calls: (readonly string[])[] = [
      list,
      [...list, '--profile', 'local'],
      ['groups', 'create', '--group-name', 'a'],
      ['api', 'GET', '/_iam/settings'],
      ['token', 'generate'],
    ];
    for (const words of calls) {
      const { code, err } = await home.iam(words, { columns: 400 });
      expect([words, code, err]).toEqual([
        ...[words, 75],
        expect.stringContaining(`The server of the profile local is not running; nothing was sent to ${url}.`),
      ]);
      expect(err).toContain(`\`iam server start --data '${storeFolder}' --port ${new URL(url).port}\`, or wait`);
    }
    const selected = { IAM_PROFILE: 'local', IAM_BASE_URL: url };
    expect((await home.iam(list, { variables: selected })).code).toBe(75);
    expect(received).toEqual([]);
  });

  test('sends no password of a login', async ({ home }) => {
    await addProfile(home);
    await endProcess(owner);
    const words = ['login', '--user', 'administrator', '--client-id', 'app', '--password-stdin'];
    expect(await home.iam(words, { stdin: 'a-password\n' })).toMatchObject({ code: 75 });
    expect(received).toEqual([]);
  });

  test.for(['IAM_BASE_URL', '--base-url'])(
    'sends no stored token or password to a URL of %s',
    async (source, { home }) => {
      await addProfile(home);
      const file = home.file('config/iam/config.json');
      const profiles = JSON.parse(await readFile(file, 'utf8')) as ProfileFile;
      await endProcess(owner);
      const environment = { variables: home.variables, now: () => now, random: () => 0 };
      const pair = { clientId: 'admin', clientSecret: secret };
      const cache = createTokenCache(url, pair, environment);
      await cache.write({ accessToken: 'cached', expiresIn: '600' });
      const named = source === '--base-url' ? ['--base-url', url] : [];
      const variables = source === '--base-url' ? {} : { IAM_BASE_URL: url };
      const complete = () =>
        listCompletions([...named, 'groups', 'get', ''], { variables: { ...home.variables, ...variables } });
      const iam = (words: string[], stdin = '') => home.iam([...words, ...named], { variables, stdin });
      const passwordLogin = ['login', '--user', 'administrator', '--client-id', 'app', '--password-stdin'];
      await complete();
      expect((await iam(passwordLogin, 'a-password\n')).code).toBe(75);
      const session = { clientId: 'app', userName: 'administrator' };
      const signedIn = { ...profiles, profiles: { local: { ...profiles.profiles.local, session } } };
      await writeFile(file, JSON.stringify(signedIn));
      const tokens = { accessToken: 'access', refreshToken: 'refresh', expiresAt: now + 600_000 };
      await writeSession('local', { baseUrl: url, ...session, ...tokens }, home.variables);
      await complete();
      expect((await iam(['login', '--mfa'])).code).toBe(75);
      const { code, err } = await iam(['logout']);
      expect([code, err]).toEqual([0, expect.stringContaining('Could not revoke the tokens')]);
      expect(received).toEqual([]);
    },
  );

  test.for(['localhost', '127.0.0.2', '[::1]', 'iam.localhost'])(
    'sends nothing to its port at another name of the machine: %s',
    async (host, { home }) => {
      await addProfile(home);
      await home.iam(['config', 'set', 'base-url', `http://${host}:${new URL(url).port}`]);
      await endProcess(owner);
      expect(await home.iam(list)).toMatchObject({ code: 75, err: expect.stringContaining('is not running') });
      await home.iam(['config', 'set', 'base-url', `http://${host}:1`]);
      expect((await home.iam(list)).err).not.toContain('is not running');
      expect(received).toEqual([]);
    },
  );

  test('is not used for credentials and URL of the environment, nor for requests without a secret', async ({
    home,
  }) => {
    await addProfile(home);
    await endProcess(owner);
    expect((await home.iam(list, { url, variables: tokenVariables })).code).toBe(0);
    expect(received).toHaveLength(1);
    expect((await home.iam(['server', 'status', '--ready'])).code).toBe(0);
  });

  test('is not confused with another process that has its PID', async ({ home }) => {
    await addProfile(home);
    const file = home.file('config/iam/config.json');
    const profiles = JSON.parse(await readFile(file, 'utf8')) as ProfileFile;
    const { identity = '' } = profiles.profiles.local?.server ?? {};
    const { variables } = home;
    const ready = { ...credentials, url, store: 'file' as const };
    const other = { ...(await describeProcess(owner)), pid: process.pid, identity };
    expect(await saveServerProfile('local', ready, other, variables)).toBe('local');
    expect((await home.iam(list)).code).toBe(75);
    expect(received).toEqual([]);
  });
});

test.skipIf(process.getuid?.() !== 0)(
  'root with sudo leaves profiles to their owner (needs root)',
  async ({ home }) => {
    await addProfile(home);
    const file = home.file('config/iam/config.json');
    for (const name of ['config/iam', 'config/iam/config.json']) await chown(home.file(name), 12345, 23456);
    const variables = { ...home.variables, SUDO_UID: '12345', SUDO_GID: '23456' };
    expect((await home.iam(['config', 'set', 'timeout', '5'], { variables })).code).toBe(0);
    const { uid, gid, mode } = await stat(file);
    expect([uid, gid, mode & 0o777]).toEqual([12345, 23456, 0o600]);
    expect(await readFile(file, 'utf8')).toContain('"timeout": "5"');
    await writeFile(home.file('other'), '');
    await chown(home.file('other'), 12345, 23456);
    await replacePrivateFile(home.file('other'), 'secret of root');
    expect((await stat(home.file('other'))).uid).toBe(0);
  },
);

test('the profile of a store that was moved says so, and follows it to its new folder only', async ({ home }) => {
  const [data, moved] = [home.file('store'), home.file('moved store')];
  await mkdir(data);
  const ready = { ...credentials, url, store: 'file' as const };
  const served = { ...(await describeProcess(owner)), data };
  await saveServerProfile('local', { ...ready, adminClientSecret: secret }, served, home.variables);
  await endProcess(owner);
  const next = { ...served, pid: process.pid, identity: (await readProcessIdentity(process.pid)) ?? '', data: moved };
  expect(await saveServerProfile('local-2', ready, next, home.variables)).toBeUndefined();
  expect((await home.iam(list)).err).toContain('Start it with `iam server start --data');
  await rename(data, moved);
  const { code, err } = await home.iam(list);
  expect([code, err.replace(/\s+/g, ' ')]).toEqual([75, expect.stringContaining('store is not there any more.')]);
  expect(await saveServerProfile('local-2', { ...ready, adminClientId: 'another' }, next, home.variables)).toBe(
    undefined,
  );
  for (const pid of [owner.pid ?? 0, process.pid])
    expect(await saveServerProfile('local-2', ready, { ...next, pid }, home.variables)).toBe('local');
  const { profiles } = JSON.parse(await readFile(home.file('config/iam/config.json'), 'utf8')) as ProfileFile;
  expect(profiles.local).toMatchObject({ clientSecret: secret, server: { pid: process.pid, data: moved } });
});

test('the profile of a store follows its next server, but not away from one that runs', async ({ home }) => {
  await addProfile(home);
  const next = startProcess();
  try {
    const served = { ...(await describeProcess(next)), url: 'http://0.0.0.0:8081' };
    const readServer = async () => {
      const { profiles } = JSON.parse(await readFile(home.file('config/iam/config.json'), 'utf8')) as ProfileFile;
      return [profiles.local?.baseUrl, profiles.local?.server?.pid];
    };
    await followServer('local', 'admin', served, home.variables);
    expect(await readServer()).toEqual([url, owner.pid]);
    await endProcess(owner);
    await followServer('local', 'another', served, home.variables);
    expect(await readServer()).toEqual([url, owner.pid]);
    await followServer('local', 'admin', served, home.variables);
    expect(await readServer()).toEqual(['http://127.0.0.1:8081', next.pid]);
    // A URL that the user set stays.
    await home.iam(['config', 'set', 'base-url', 'https://iam.example.com']);
    await endProcess(next);
    await followServer('local', 'admin', { ...served, pid: process.pid }, home.variables);
    expect(await readServer()).toEqual(['https://iam.example.com', process.pid]);
  } finally {
    next.kill('SIGKILL');
  }
});
