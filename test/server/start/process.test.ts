/** The server process: output, signals and exit codes. */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { servicePrefix } from '../../../src/contract/prefix.ts';
import { serve } from '../../../src/server/main.ts';
import { isFullRun } from '../../effort.ts';
import { buildHead, open, parseResponses, readUntilClosed } from '../http/raw-http.ts';
import { createLauncher, type Launcher, promptStopLimit, type Ready, type Run, type StartOptions } from './spawn.ts';

let launcher: Launcher;

beforeAll(async () => {
  launcher = await createLauncher();
});
afterAll(() => launcher.remove());

/** Starts a server that must fail, in this process. @returns the exit code, and what it prints */
async function failStart({ flags = {}, environment = {} }: StartOptions) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const code = await serve({ flags: { port: '0', json: true, ...flags }, environment, io: { stdout, stderr } });
  return { code, stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? '') };
}

async function expectExit(options: StartOptions, code: number, message: RegExp): Promise<void> {
  const { stderr, ...outcome } = await failStart(options);
  expect(outcome).toEqual({ code, stdout: '' });
  expect(stderr).toMatch(/^error: [^\n]+\n$/);
  expect(stderr).toMatch(message);
}

async function stopProcess(run: Run, signal: NodeJS.Signals = 'SIGTERM'): Promise<number | string> {
  run.process.kill(signal);
  return run.exit();
}

async function login({ url, adminClientId }: Ready, secret: string | undefined): Promise<number> {
  const authorization = `Basic ${btoa(`${adminClientId}:${secret}`)}`;
  const response = await fetch(`${url}${servicePrefix}/client-identities/login`, {
    method: 'POST',
    headers: { authorization },
  });
  return response.status;
}

describe('when it is ready', () => {
  test('prints one line of JSON with the URL and new credentials; files are accessible to the owner only', async () => {
    const data = path.join(launcher.folder(), 'store');
    const flags = { data };
    const first = launcher.start({ flags, umask: '000' });
    const ready = await first.ready();
    expect(first.stdout()).toMatch(/^\{[^\n]*\}\n$/);
    expect(ready).toMatchObject({ ready: true, prefix: servicePrefix, pid: first.process.pid, store: 'file', data });
    expect(ready.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(await login(ready, ready.adminClientSecret)).toBe(200);
    expect(await stopProcess(first)).toBe(0);
    expect(statSync(data).mode & 0o777).toBe(0o700);
    const files = readdirSync(data);
    expect(files.length).toBeGreaterThan(1);
    for (const file of files) expect([file, statSync(path.join(data, file)).mode & 0o777]).toEqual([file, 0o600]);
    for (const file of files)
      expect(readFileSync(path.join(data, file), 'utf8')).not.toContain(ready.adminClientSecret);

    const second = launcher.start({ flags, umask: '077' });
    const again = await second.ready();
    expect(again).not.toHaveProperty('adminClientSecret');
    expect(again).not.toHaveProperty('adminPassword');
    expect(again.adminClientId).toBe(ready.adminClientId);
    expect(await login(again, ready.adminClientSecret)).toBe(200);
    expect(await stopProcess(second, 'SIGINT')).toBe(0);
    expect([first.stderr(), second.stderr()]).toEqual(['', '']);
  });

  test('prints the banner with new credentials and next commands', async () => {
    const run = launcher.start({ flags: { json: false, store: 'memory', 'soft-errors': true } });
    await run.ready().catch(() => {});
    await expect.poll(run.stdout).toContain('Ctrl-C');
    for (const part of [
      /^Ready: http:\/\/127/,
      /in memory/,
      /soft-errors/,
      /its secret {2,}\S{20,}/,
      /\n {2}iam groups list\n/,
    ])
      expect(run.stdout()).toMatch(part);
    for (const line of [/^Console: (\S+)$/m, /^Read and try the API: (\S+)$/m]) {
      const [, page = ''] = line.exec(run.stdout()) ?? [];
      const response = await fetch(page);
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    }
    expect(await stopProcess(run)).toBe(0);
  });

  test('handles a signal sent right after the ready line', async () => {
    // Other tests stop servers with the other two.
    const signals = isFullRun ? (['SIGTERM', 'SIGINT', 'SIGHUP'] as const) : (['SIGHUP'] as const);
    for (const signal of signals) {
      const run = launcher.start({ flags: { store: 'memory' } });
      run.process.stdout?.once('data', () => run.process.kill(signal));
      expect(await run.exit()).toBe(0);
    }
  });
});

test('a stop completes the running request and closes all other connections', async () => {
  const run = launcher.start({ flags: { data: path.join(launcher.folder(), 'store') }, hasLongGracePeriod: true });
  const ready = await run.ready();
  const silent = await open(ready);
  const pending = await open(ready);
  const authorization = `Authorization: Basic ${btoa(`${ready.adminClientId}:${ready.adminClientSecret}`)}`;
  const body = '{"groupName":"late"}';
  pending.write(
    buildHead(
      `POST ${servicePrefix}/groups HTTP/1.1`,
      'Host: localhost',
      authorization,
      'Content-Type: application/json',
      'Expect: 100-continue',
      `Content-Length: ${body.length}`,
    ),
  );
  const [silence, reading] = [readUntilClosed(silent), readUntilClosed(pending)];
  await new Promise<void>((resolve) => void pending.once('data', () => resolve()));
  run.process.kill('SIGTERM');
  expect(await silence).toBe('');
  const before = performance.now();
  pending.write(body);
  expect(await run.exit()).toBe(0);
  expect(performance.now() - before).toBeLessThan(promptStopLimit);
  expect(parseResponses(await reading)).toMatchObject([{ status: 201 }]);
});

describe('exits with a one-line error and a specific code if', () => {
  test('a setting is invalid: 2', async () => {
    // One process for the exit code; the others fail in this one.
    const run = launcher.start({ flags: { port: 'http' } });
    expect([await run.exit(), run.stdout()]).toEqual([2, '']);
    expect(run.stderr()).toMatch(/^error: --port .*"http".*\n$/);
    await expectExit({ flags: { host: '0.0.0.0' } }, 2, /--allow-remote/);
    await expectExit({ environment: { IAM_ADMIN_PASSWORD: 'canary' } }, 2, /IAM_ADMIN_PASSWORD/);
    await expectExit(
      { flags: { host: 'no-such-host.invalid', 'allow-remote': true, store: 'memory' } },
      2,
      /no-such-host\.invalid/,
    );
  });

  test('a seed is invalid: 2, with the position', async () => {
    const seed = path.join(launcher.folder(), 'seed.yaml');
    await expectExit({ flags: { seed, store: 'memory' } }, 2, /can't read the seed: .*seed\.yaml/);
    writeFileSync(seed, 'groups:\n  - groupNam: ops\n');
    const wrong = await failStart({ flags: { seed, store: 'memory' } });
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain(`${seed}:2:5: groups[0].groupNam: unknown key`);
    writeFileSync(seed, 'groups:\n  - groupName: ops\n    users: [unknown-user]\n');
    const data = path.join(launcher.folder(), 'store');
    await expectExit({ flags: { seed, data } }, 2, /unknown-user/);
    writeFileSync(seed, 'groups:\n  - groupName: ops\n');
    const right = launcher.start({ flags: { seed, data } });
    expect(await right.ready()).toMatchObject({ ready: true });
    expect(await stopProcess(right)).toBe(0);
  });

  test('the port is in use: 11, before anything is written', async () => {
    const run = launcher.start({ flags: { store: 'memory' } });
    const { port } = new URL((await run.ready()).url);
    const folder = launcher.folder();
    await expectExit(
      { flags: { port, data: path.join(folder, 'store') } },
      11,
      new RegExp(`port ${port} is already in use.*--port`),
    );
    expect(readdirSync(folder)).toEqual([]);
    expect(await stopProcess(run)).toBe(0);
  });

  test('the folder is not a store: 12', async () => {
    const data = launcher.folder();
    writeFileSync(path.join(data, 'letter.txt'), 'dear diary');
    await expectExit({ flags: { data } }, 12, new RegExp(data));
    expect(readdirSync(data)).toEqual(['letter.txt']);
  });

  test('the folder is in use: 13, with the pid', async () => {
    const data = path.join(launcher.folder(), 'store');
    const run = launcher.start({ flags: { data } });
    const { url, pid } = await run.ready();
    await expectExit({ flags: { data } }, 13, new RegExp(`process ${pid}\\b`));
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect(await stopProcess(run)).toBe(0);
  });

  test('the store is damaged: 14, with file and byte', async () => {
    const data = path.join(launcher.folder(), 'store');
    const run = launcher.start({ flags: { data } });
    await run.ready();
    expect(await stopProcess(run)).toBe(0);
    // Damages both checkpoints, as one is sufficient.
    const checkpoints = ['iam.json', 'iam.previous.json'].map((name) => path.join(data, name));
    for (const file of checkpoints) {
      const bytes = readFileSync(file);
      bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
      writeFileSync(file, bytes);
    }
    const spoilt = checkpoints.map((file) => readFileSync(file));
    await expectExit({ flags: { data } }, 14, /iam\.json: .*byte \d+/);
    expect(checkpoints.map((file) => readFileSync(file))).toEqual(spoilt);
  });

  test('the folder cannot be created: 70', async () => {
    const file = path.join(launcher.folder(), 'file');
    writeFileSync(file, '');
    const { code, stderr } = await failStart({ flags: { data: path.join(file, 'store') } });
    expect(code).toBe(70);
    expect(stderr).toContain(file);
  });
});

test('--reset-admin prints new secrets for an existing store', async () => {
  const data = path.join(launcher.folder(), 'store');
  mkdirSync(data);
  const first = launcher.start({ flags: { data } });
  const before = await first.ready();
  expect(await stopProcess(first)).toBe(0);
  const second = launcher.start({ flags: { data, 'reset-admin': true } });
  const after = await second.ready();
  expect(await login(after, after.adminClientSecret)).toBe(200);
  expect(await login(after, before.adminClientSecret)).toBe(401);
  expect(await stopProcess(second)).toBe(0);
});
