/** Identifies operating system processes, so that a reused PID is not mistaken for the server. */
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { CliError } from '../errors.ts';

/** Loads node:child_process late: every command would. */
async function run(program: string, words: readonly string[], options = {}): Promise<{ stdout: string }> {
  const { execFile } = await import('node:child_process');
  return promisify(execFile)(program, words, options);
}

/** Returns a string that identifies a process across PID reuse (boot id and start time); undefined if it does not run. */
export async function readProcessIdentity(pid: number): Promise<string | undefined> {
  if (process.platform === 'linux') return identityOnLinux(pid);
  const identify = process.platform === 'win32' ? identityOnWindows : identityElsewhere;
  return identify(pid).catch(() => undefined);
}

async function identityOnLinux(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // Field 2 of /proc/PID/stat is the program name in parentheses; it can contain parentheses and spaces.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
  const [state, startedAt] = [fields[0], fields[19]];
  const isDead = state === undefined || state === 'Z' || state === 'X';
  if (isDead) return undefined;
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
  return `${boot.trim()} ${startedAt}`;
}

/** The time of the start in ticks of 100 ns. @throws if the process does not run */
async function identityOnWindows(pid: number): Promise<string | undefined> {
  const script = `(Get-Process -Id ${pid}).StartTime.ToUniversalTime().Ticks`;
  const { stdout } = await run('powershell.exe', ['-NoProfile', '-NonInteractive', '-Command', script]);
  return stdout.trim() || undefined;
}

/** @throws if the process does not run */
async function identityElsewhere(pid: number): Promise<string | undefined> {
  const { stdout } = await run('/bin/ps', ['-o', 'lstart=', '-p', String(pid)], { env: { LC_ALL: 'C' } });
  return stdout.trim() || undefined;
}

/** A process, distinguished from a later one with the same PID. */
export interface RecordedProcess {
  readonly pid: number;
  readonly identity: string;
}

export async function isProcessRunning({ pid, identity }: RecordedProcess): Promise<boolean> {
  return (await readProcessIdentity(pid)) === identity;
}

/** Sends a signal. Ignores a process that no longer exists. */
export function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Opens a file in the editor of a user, which may have arguments, and waits for its end. @throws CliError if it fails */
export async function runEditor(
  editor: string,
  file: string,
  variables: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const { spawn } = await import('node:child_process');
  const options = { stdio: 'inherit', env: { ...variables } } as const;
  const child =
    process.platform === 'win32'
      ? spawn(`${editor} "${file}"`, { ...options, shell: true })
      : spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], options);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code === 0) return;
  throw new CliError(`The editor ${JSON.stringify(editor)} failed; nothing was sent.`, {
    code: 'EDITOR_FAILED',
    exitCode: 70,
    hint: 'Set $VISUAL or $EDITOR to the command of an editor that waits until the file is closed.',
  });
}

/**
 * Opens a page in the browser of the user, without waiting for it.
 * @returns whether a browser was started; a failure of it is not noticed.
 */
export async function openInBrowser(
  url: string,
  { BROWSER: chosen }: Readonly<Record<string, string | undefined>>,
): Promise<boolean> {
  const [program, ...words] = findBrowserCommand(chosen);
  if (program === undefined) return false;
  const { spawn } = await import('node:child_process');
  const child = spawn(program, [...words, url], { stdio: 'ignore', detached: true });
  child.unref();
  return new Promise((resolve) => {
    child.once('error', () => resolve(false));
    child.once('spawn', () => resolve(true));
  });
}

/** $BROWSER is a program, or `none`. The launchers of the systems take the address as one argument, without a shell. */
function findBrowserCommand(chosen: string | undefined): readonly string[] {
  if (chosen === 'none') return [];
  if (chosen) return [chosen];
  if (process.platform === 'darwin') return ['open'];
  return process.platform === 'win32' ? ['rundll32', 'url.dll,FileProtocolHandler'] : ['xdg-open'];
}
