/** What a server asks of the system, as strace tells it; and what the system refuses, as strace makes it. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

/** Why there is nothing to be traced here; undefined where it works. */
export function findStraceProblem(): string | undefined {
  if (process.platform !== 'linux') return 'strace is for Linux';
  const { status, error } = spawnSync('strace', ['-o', '/dev/null', 'true'], { stdio: 'ignore' });
  if (error !== undefined) return 'strace is not installed';
  return status === 0 ? undefined : 'this process may not trace others';
}

/** What stands before a command to trace it, the process started being the traced one. */
export function buildStraceCommand(output: string, options: readonly string[]): string[] {
  return ['strace', '-D', '-f', '-q', '-yy', '-s', '200000', '-o', output, ...options];
}

export interface SystemCall {
  readonly thread: string;
  readonly call: string;
  /** Of the start of a call; empty in the line that tells its end. */
  readonly args: string;
  readonly starts: boolean;
  readonly ends: boolean;
  /** Where it ends. */
  readonly result: number;
}

/** Resolves with the lines, in order, when the traced process and strace have ended. */
export async function readTrace(output: string): Promise<SystemCall[]> {
  return (await readWhenEnded(output)).split('\n').flatMap(parseLine);
}

/** How often the system refused what it was told to, when the traced process and strace have ended. */
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
  const begun = /^(\d+)\s+(\w+)\((.*)$/.exec(text);
  const [, thread, call, rest] = resumed ?? begun ?? [];
  if (thread === undefined || call === undefined || rest === undefined) return [];
  const ends = !rest.endsWith('<unfinished ...>');
  const result = Number(/\)\s+= (-?\d+)[^=]*$/.exec(rest)?.[1] ?? -1);
  return [{ thread, call, args: resumed === null ? rest : '', starts: resumed === null, ends, result }];
}
