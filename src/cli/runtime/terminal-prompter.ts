/** Questions at a terminal, drawn on standard error. */
import { Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { inputNeededError } from './errors.ts';
import type { Io, OutputStream } from './io.ts';
import type { Prompter } from './prompter.ts';

/** Keys that came with the end of the input are taken first: it takes a few turns until they are an answer. */
const turnsAfterEnd = 5;

/** Asks with inquirer, which is loaded with the first question. Whatever ends the input ends the question. */
export function createTerminalPrompter(io: Io, isColoured = true): Prompter {
  return async (question) => {
    const { inquirer } = await import('./inquirer.ts');
    const watch = watchInput(io);
    const ask = inquirer.createPromptModule({
      input: io.stdin as NodeJS.ReadStream,
      output: (isColoured ? io.stderr : withoutColour(io.stderr)) as NodeJS.WriteStream,
      signal: watch.signal,
    });
    try {
      const { answer } = await ask([{ ...question, name: 'answer' } as never]);
      return answer as unknown;
    } catch (error) {
      throw watch.hasEnded() ? inputEndedError() : error;
    } finally {
      watch.close();
    }
  };
}

/** inquirer paints as it likes: what chooses a colour is taken out, what moves the cursor is needed. */
function withoutColour(stderr: OutputStream): Writable {
  const write = (chunk: unknown, _encoding: string, done: () => void) => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the beginning of what tells a terminal something
    stderr.write(String(chunk).replace(/\u001b\[[\d;]*m/g, ''));
    done();
  };
  const plain = new Writable({ decodeStrings: false, write });
  return Object.defineProperty(plain, 'columns', { get: () => stderr.columns });
}

function inputEndedError(): Error {
  return inputNeededError(
    'The input ended before there was an answer; nothing was done.',
    'Give the answer on the command line where nobody is there to type it.',
  );
}

interface InputWatch {
  readonly signal: AbortSignal;
  /** Whether the question ended for want of input. */
  hasEnded(): boolean;
  close(): void;
}

interface Key {
  readonly ctrl?: boolean;
  readonly name?: string;
}

/** inquirer waits for ever where its input ends, and holds on to the terminal when a signal comes. */
function watchInput({ stdin, signal: interrupted }: Io): InputWatch {
  const broken = new AbortController();
  let isOver = false;
  const end = async () => {
    for (let turn = 0; turn < turnsAfterEnd; turn += 1) await nextTurn();
    if (!isOver) broken.abort('end of input');
  };
  // Ctrl-D on an empty line closes the line editor, which stops to read; elsewhere it deletes a letter.
  const onKey = async (_text: unknown, { ctrl, name }: Key = {}) => {
    if (!ctrl || name !== 'd') return;
    await nextTurn();
    if (!isOver && stdin.isPaused()) broken.abort('end of input');
  };
  const onInterruption = () => {
    // The process may be gone before the question tidies up after itself.
    (stdin as Partial<NodeJS.ReadStream>).setRawMode?.(false);
    broken.abort('interrupted');
  };
  stdin.on('end', end).on('close', end).on('keypress', onKey);
  interrupted.addEventListener('abort', onInterruption, { once: true });
  if (stdin.readableEnded || stdin.destroyed) void end();
  return {
    signal: broken.signal,
    hasEnded: () => broken.signal.reason === 'end of input',
    close() {
      isOver = true;
      stdin.off('end', end).off('close', end).off('keypress', onKey);
      interrupted.removeEventListener('abort', onInterruption);
    },
  };
}
