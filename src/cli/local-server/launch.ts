/** Starts the server as a detached process and waits until it reports that it is ready. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { toReachableUrl } from '../config/server-url.ts';
import { CliError } from '../errors.ts';
import type { Environment } from '../io/io.ts';
import { programWords } from '../io/process.ts';
import { readProcessIdentity } from '../io/processes.ts';
import { createLogFile, lastLines, readLogFrom } from './log-file.ts';
import type { StoreKind } from './server-records.ts';

/** The JSON line printed by `iam serve --json`. The secrets are present only if this start created them. */
export interface ReadyLine {
  readonly url: string;
  readonly store: StoreKind;
  readonly data?: string;
  readonly adminClientId: string;
  readonly adminClientSecret?: string;
  readonly appClientId: string;
  readonly adminUser: string;
  readonly adminPassword?: string;
  /** Warnings about an insecure configuration. */
  readonly warnings?: readonly string[];
}

export interface LaunchOptions {
  /** Command-line arguments for `iam serve`. */
  readonly args: readonly string[];
  readonly variables: Environment['variables'];
  readonly log: string;
  /** Startup timeout in milliseconds. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface LaunchedServer {
  readonly ready: ReadyLine;
  readonly pid: number;
  readonly identity: string;
}

/**
 * Starts the server and waits for its ready line. Terminates the process if it is not ready in time.
 * @throws CliError with the exit code of the server if it exits during startup
 */
export async function launchServer(options: LaunchOptions): Promise<LaunchedServer> {
  const child = await spawnServer(options);
  const outcome = await waitForOutcome(child, options);
  const { pid } = child;
  const identity = pid === undefined ? undefined : await readProcessIdentity(pid);
  if (outcome.kind === 'line' && pid !== undefined && identity !== undefined) {
    // The ready line can contain secrets, so stdout is a pipe, not the log file.
    child.stdout?.destroy();
    child.unref();
    const ready = JSON.parse(outcome.line) as ReadyLine;
    return { ready: { ...ready, url: toReachableUrl(ready.url) }, pid, identity };
  }
  await stopChild(child);
  throw await createLaunchError(outcome, options);
}

async function spawnServer({ args, variables, log }: LaunchOptions): Promise<ChildProcess> {
  // Late: every command would load it.
  const { spawn } = await import('node:child_process');
  const handle = await createLogFile(log);
  try {
    const [file, ...script] = programWords();
    const options = { detached: true, env: { ...variables }, windowsHide: true };
    return spawn(file, [...script, 'serve', '--json', ...args], { ...options, stdio: ['ignore', 'pipe', handle.fd] });
  } finally {
    await handle.close();
  }
}

type Outcome =
  | { readonly kind: 'line'; readonly line: string }
  | { readonly kind: 'ended'; readonly exitCode: number }
  | { readonly kind: 'late' }
  | { readonly kind: 'interrupted' };

/** Resolves with the first of: ready line, exit, timeout, interruption. */
async function waitForOutcome(child: ChildProcess, { timeoutMs, signal }: LaunchOptions): Promise<Outcome> {
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const listening = new AbortController();
  try {
    return await new Promise<Outcome>((resolve) => {
      const late = setTimeout(() => resolve({ kind: 'late' }), timeoutMs);
      listening.signal.addEventListener('abort', () => clearTimeout(late));
      const interrupt = () => resolve({ kind: 'interrupted' });
      if (signal.aborted) interrupt();
      signal.addEventListener('abort', interrupt, { signal: listening.signal });
      lines.once('line', (line) => resolve({ kind: 'line', line }));
      // `close` follows the end of all output streams.
      child.once('close', (code) => resolve({ kind: 'ended', exitCode: code || 1 }));
      child.once('error', () => resolve({ kind: 'ended', exitCode: 70 }));
    });
  } finally {
    listening.abort();
    lines.close();
  }
}

const stopTimeoutMs = 5_000;

/** Terminates a server that did not start, so that no unrecorded process is left. */
async function stopChild(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const kill = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
  await ended;
  clearTimeout(kill);
}

const maxLogLines = 10;

async function createLaunchError(outcome: Outcome, { log, timeoutMs }: LaunchOptions): Promise<CliError> {
  const lines = lastLines((await readLogFrom(log, 0)).toString('utf8'), maxLogLines);
  if (outcome.kind === 'ended') {
    const reason = lines.findLast((line) => line.startsWith('error: '))?.slice('error: '.length);
    const details = { code: 'SERVER_ENDED', exitCode: outcome.exitCode, hint: `See the log in ${log}` };
    return reason === undefined
      ? new CliError('The server exited during startup.', { ...details, lines })
      : new CliError(reason, details);
  }
  const message = `The server was not ready within ${timeoutMs / 1000} s and was stopped.`;
  return new CliError(message, {
    lines,
    code: 'SERVER_NOT_READY',
    exitCode: 75,
    hint: `Increase the timeout with --wait, or see the log in ${log}`,
  });
}
