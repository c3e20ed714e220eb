/** A pager for output that is longer than the terminal, as git has one. */
import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { Writable } from 'node:stream';
import type { Environment, Io, OutputStream } from './io.ts';

type Variables = Environment['variables'];

/** The streams of a command whose output may be paged. */
export interface PagedIo {
  readonly io: Io;
  /** Prints the rest, and waits until the user has left the pager. */
  close(): Promise<void>;
}

/** Returns streams with a pager; undefined without a terminal, in CI, on Windows, and where the variables say so. */
export function openPager(io: Io, { variables }: Environment): PagedIo | undefined {
  const command = findCommand(variables);
  const { isTTY, rows = 0 } = io.stdout;
  if (command === undefined || isTTY !== true || rows === 0) return undefined;
  const output = new PagedOutput(io.stdout, command, variables, io.signal);
  const notices = noticesAfter(io.stderr, output);
  const paged = Object.create(io, { stdout: { value: output }, stderr: { value: notices } }) as Io;
  return { io: paged, close: () => output.close() };
}

/** Without a choice of the user it is `less`, if that is installed. */
function findCommand({ IAM_PAGER, PAGER, CI = '', TERM, PATH = '' }: Variables): string | undefined {
  const chosen = IAM_PAGER ?? PAGER;
  const isOff = chosen?.trim() === '' || chosen?.trim() === 'cat' || TERM === 'dumb';
  if (isOff || (CI !== '' && CI !== 'false') || process.platform === 'win32') return undefined;
  return chosen ?? (isInstalled('less', PATH) ? 'less' : undefined);
}

function isInstalled(name: string, searchPath: string): boolean {
  return searchPath.split(path.delimiter).some((folder) => {
    try {
      accessSync(path.join(folder, name), constants.X_OK);
      return true;
    } catch {
      // Not in this folder.
      return false;
    }
  });
}

/** Notices stay behind the output that they are about: while the pager runs they wait for its end. */
function noticesAfter(stderr: OutputStream, output: PagedOutput): OutputStream {
  const write = (chunk: unknown) => {
    output.printBefore(() => stderr.write(chunk));
    return true;
  };
  return Object.create(stderr, { write: { value: write } }) as OutputStream;
}

/** The most text that is kept for a pager which the shell does not find: more than a pipe takes before it ends. */
const maxKept = 1 << 20;
/** The exit codes of a shell that cannot run a command. */
const notRun: readonly (number | null)[] = [126, 127];

class PagedOutput extends Writable {
  readonly isTTY = true;
  readonly #terminal: OutputStream;
  readonly #command: string;
  readonly #variables: Variables;
  readonly #signal: AbortSignal;
  #held = '';
  #lines = 0;
  #pager: { readonly child: ChildProcess; readonly ended: Promise<number | null> } | undefined;
  /** What the pager was sent, as long as it is kept. */
  #kept: string | undefined = '';
  #isDirect = false;
  readonly #waiting: (() => void)[] = [];

  constructor(terminal: OutputStream, command: string, variables: Variables, signal: AbortSignal) {
    super({ decodeStrings: false });
    this.#terminal = terminal;
    this.#command = command;
    this.#variables = variables;
    this.#signal = signal;
    // An error is found by the writer: see output-failure.ts.
    this.on('error', () => undefined);
  }

  get columns(): number | undefined {
    return this.#terminal.columns;
  }

  override _write(chunk: string | Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    const text = String(chunk);
    if (this.#isDirect) this.#terminal.write(text, () => done());
    else if (this.#pager) this.#send(text, done);
    else this.#hold(text, done);
  }

  #hold(text: string, done: (error?: Error | null) => void): void {
    this.#held += text;
    this.#lines += countLines(text, this.#terminal.columns);
    if (this.#lines < (this.#terminal.rows ?? 0)) {
      done();
      return;
    }
    this.#pager = startPager(this.#command, this.#variables, this.#signal);
    const held = this.#held;
    this.#held = '';
    this.#send(held, done);
  }

  /** Prints text of another stream after what was written so far. */
  printBefore(print: () => void): void {
    if (this.#pager && !this.#isDirect) {
      this.#waiting.push(print);
      return;
    }
    this.#printHeld();
    print();
  }

  async close(): Promise<void> {
    if (this.#pager) {
      this.#pager.child.stdin?.end();
      const code = await this.#pager.ended;
      if (notRun.includes(code) && !this.#isDirect) this.#printDirectly('');
    }
    this.#printHeld();
    for (const print of this.#waiting) print();
  }

  #printHeld(): void {
    if (this.#held !== '') this.#terminal.write(this.#held);
    this.#held = '';
  }

  #send(text: string, done: (error?: Error | null) => void): void {
    this.#pager?.child.stdin?.write(text, async (error) => {
      const isMissing = error && notRun.includes((await this.#pager?.ended) ?? null);
      if (isMissing) this.#printDirectly(text);
      else this.#keep(text);
      done(isMissing ? undefined : error);
    });
  }

  #keep(text: string): void {
    this.#kept = this.#kept !== undefined && this.#kept.length < maxKept ? this.#kept + text : undefined;
  }

  #printDirectly(text: string): void {
    this.#isDirect = true;
    this.#terminal.write((this.#kept ?? '') + text);
  }
}

function countLines(text: string, columns = 80): number {
  const lines = text.split('\n');
  return lines.reduce((count, line) => count + Math.max(0, Math.ceil(line.length / columns) - 1), lines.length - 1);
}

/** Ctrl-C is for the pager, and ends the command: the user leaves the pager afterwards. */
function startPager(command: string, variables: Variables, signal: AbortSignal) {
  const env = { LESS: 'FRX', LV: '-c', ...variables };
  const child = spawn('/bin/sh', ['-c', command], { stdio: ['pipe', 'inherit', 'inherit'], env });
  const ignore = () => undefined;
  process.on('SIGINT', ignore);
  const end = () => signal.reason === 'SIGTERM' && child.kill('SIGTERM');
  signal.addEventListener('abort', end, { once: true });
  child.stdin.on('error', ignore);
  const ended = new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(127));
    child.once('close', resolve);
  }).finally(() => {
    process.off('SIGINT', ignore);
    signal.removeEventListener('abort', end);
  });
  return { child, ended };
}
