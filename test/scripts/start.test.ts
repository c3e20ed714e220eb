import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { scriptPath } from './load-script.ts';

interface StartedScript {
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>;
  /** The first line of standard output. */
  readonly line: Promise<string>;
}

/** Runs the script in an empty folder that is also its home, isolated from the user's files. */
function start(...args: readonly string[]): StartedScript {
  const home = mkdtempSync(path.join(os.tmpdir(), 'iam-start-'));
  const env = { ...process.env, HOME: home, XDG_CONFIG_HOME: home, XDG_CACHE_HOME: home };
  const child = spawn(process.execPath, [scriptPath('start.mjs'), ...args], { cwd: home, env });
  onTestFinished(() => {
    child.kill('SIGKILL');
    rmSync(home, { recursive: true, force: true });
  });
  const output = { stdout: '', stderr: '' };
  const line = new Promise<string>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output.stdout += chunk;
      if (output.stdout.includes('\n')) resolve(output.stdout.split('\n')[0] ?? '');
    });
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    output.stderr += chunk;
  });
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...output }));
  return { child, line, ended };
}

describe('npm start', () => {
  test('serves, prints its URL in one JSON line, and stops cleanly on SIGTERM', async () => {
    const { child, line, ended } = start('--json', '--port', '0', '--store', 'memory');
    const { ready, url } = JSON.parse(await line) as { ready: boolean; url: string };
    expect(ready).toBe(true);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    child.kill('SIGTERM');
    const { code, stdout } = await ended;
    expect(code).toBe(0);
    expect(stdout.trimEnd().split('\n')).toHaveLength(1);
  });

  test('serves in the process that was started', async () => {
    const { child, line } = start('--json', '--port', '0', '--store', 'memory');
    expect(JSON.parse(await line)).toMatchObject({ pid: child.pid });
  });

  test.each([
    [['--nope'], "unknown option '--nope'"],
    [['--port', 'x'], '--port must be a whole number'],
  ])('%j exits with code 2 and prints the reason', async (args, reason) => {
    const { code, stdout, stderr } = await start(...args).ended;
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(reason);
  });

  test('--help lists the options and does not serve', async () => {
    const { code, stdout } = await start('--help').ended;
    expect(code).toBe(0);
    expect(stdout).toContain('--reset-admin');
  });
});
