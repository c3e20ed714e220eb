/** Traces the system calls of a server with strace, and injects errors into them. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

/** Returns why strace can't be used on this machine; undefined if it works. */
export function findStraceProblem(): string | undefined {
  if (process.platform !== 'linux') return 'strace needs Linux';
  const { status, error } = spawnSync('strace', ['-o', '/dev/null', 'true'], { stdio: 'ignore' });
  if (error !== undefined) return 'strace is not installed';
  return status === 0 ? undefined : 'this process is not permitted to trace';
}

/** Returns the command prefix that traces a process; `-D` keeps the traced process as the direct child. */
export function buildStraceCommand(output: string, options: readonly string[]): string[] {
  return ['strace', '-D', '-f', '-q', '-yy', '-s', '200000', '-o', output, ...options];
}

export interface SystemCall {
  readonly thread: string;
  readonly call: string;
  /** The arguments, on the line that starts the call; empty on a `resumed` line. */
  readonly args: string;
  readonly starts: boolean;
  readonly ends: boolean;
  /** The return value, on the line that ends the call. */
  readonly result: number;
}

/** Waits until the traced process and strace have ended, and returns the calls in order. */
export async function readTrace(output: string): Promise<SystemCall[]> {
  return (await readWhenEnded(output)).split('\n').flatMap(parseLine);
}

/** Waits until the traced process and strace have ended, and returns the number of injected errors. */
export async function countInjectedErrors(output: string): Promise<number> {
  return (await readWhenEnded(output)).split('(INJECTED)').length - 1;
}

async function readWhenEnded(output: string): Promise<string> {
  for (let wait = 0; wait < 500; wait += 1) {
    if (existsSync(output) && /\+\+\+ (exited|killed)[^\n]*\n$/.test(readFileSync(output, 'latin1').slice(-200))) break;
    await setTimeout(20);
  }
  return readFileSync(output, 'latin1');
}

function parseLine(text: string): SystemCall[] {
  const resumed = /^(\d+)\s+<\.\.\. (\w+) resumed>(.*)$/.exec(text);
  const started = /^(\d+)\s+(\w+)\((.*)$/.exec(text);
  const [, thread, call, rest] = resumed ?? started ?? [];
  if (thread === undefined || call === undefined || rest === undefined) return [];
  const ends = !rest.endsWith('<unfinished ...>');
  const result = Number(/\)\s+= (-?\d+)[^=]*$/.exec(rest)?.[1] ?? -1);
  return [{ thread, call, args: resumed === null ? rest : '', starts: resumed === null, ends, result }];
}
