/** Starts the server as a process that goes on when the command ends, and waits until it says that it is ready. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { CliError } from '../../runtime/errors.ts';
import type { Environment } from '../../runtime/io.ts';
import { toReachableUrl } from '../../runtime/server-url.ts';
import { createLogFile, lastLines, readLogFrom } from './log-file.ts';
import { readProcessIdentity } from './processes.ts';

/** The line of `iam serve --json`; the secrets are there where this start made them. */
export interface ReadyLine {
  readonly url: string;
  readonly store: 'file' | 'memory';
  readonly data?: string;
  readonly adminClientId: string;
  readonly adminClientSecret?: string;
  readonly appClientId: string;
  readonly adminUser: string;
  readonly adminPassword?: string;
  /** What is unsafe about the start. */
  readonly warnings?: readonly string[];
}

export interface LaunchOptions {
  /** What follows `iam serve`. */
  readonly words: readonly string[];
  readonly variables: Environment['variables'];
  readonly log: string;
  /** How long it may take, in milliseconds. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface LaunchedServer {
  readonly ready: ReadyLine;
  readonly pid: number;
  readonly identity: string;
}

/** @throws CliError with the exit code of the server where it ends instead; a server that is not ready in time is ended. */
export async function launchServer(options: LaunchOptions): Promise<LaunchedServer> {
  const child = await spawnServer(options);
  const outcome = await waitForOutcome(child, options);
  const { pid } = child;
  const identity = pid === undefined ? undefined : await readProcessIdentity(pid);
  if (outcome.kind === 'line' && pid !== undefined && identity !== undefined) {
    // Nothing more is written there. It is not the log, because that line can hold secrets.
    child.stdout?.destroy();
    child.unref();
    const ready = JSON.parse(outcome.line) as ReadyLine;
    return { ready: { ...ready, url: toReachableUrl(ready.url) }, pid, identity };
  }
  await stopChild(child);
  throw await createLaunchError(outcome, options);
}

async function spawnServer({ words, variables, log }: LaunchOptions): Promise<ChildProcess> {
  const handle = await createLogFile(log);
  try {
    // The command itself, by whatever way it was started.
    const command = [process.argv[1] ?? '', 'serve', '--json', ...words];
    const options = { detached: true, env: { ...variables }, windowsHide: true };
    return spawn(process.execPath, command, { ...options, stdio: ['ignore', 'pipe', handle.fd] });
  } finally {
    await handle.close();
  }
}

type Outcome =
  | { readonly kind: 'line'; readonly line: string }
  | { readonly kind: 'ended'; readonly exitCode: number }
  | { readonly kind: 'late' }
  | { readonly kind: 'interrupted' };

/** Whatever comes first. */
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
      // All its output has come by then.
      child.once('close', (code) => resolve({ kind: 'ended', exitCode: code || 1 }));
      child.once('error', () => resolve({ kind: 'ended', exitCode: 1 }));
    });
  } finally {
    listening.abort();
    lines.close();
  }
}

const stopTimeoutMs = 5_000;

/** Ends a server that nobody will know of. */
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
    const details = { code: 'SERVER_ENDED', exitCode: outcome.exitCode, hint: `Its log is ${log}` };
    return reason === undefined
      ? new CliError('The server ended at once.', { ...details, lines })
      : new CliError(reason, details);
  }
  const waited = `The server was not ready within ${timeoutMs / 1000} s, and was ended.`;
  return new CliError(waited, {
    lines,
    code: 'SERVER_NOT_READY',
    exitCode: 75,
    hint: `Give it longer with --wait. Its log is ${log}`,
  });
}
