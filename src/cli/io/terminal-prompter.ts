/** Prompts at a terminal with inquirer, drawn on standard error. Loaded only by runs that prompt. */
import { Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { styleText } from 'node:util';
import inquirer from 'inquirer';
import { inputNeededError, PromptCanceledError, usageError } from '../errors.ts';
import type { Io, OutputStream } from './io.ts';
import type { Choice, Prompter, Question } from './prompter.ts';

/** Event-loop turns after the end of input: keys that arrived before it are processed first. */
const turnsAfterEnd = 5;

/** The value of the first line of a list. No entity has it, because names contain no control characters. */
const unselected = '\u0000';
const firstLine = 'choose with the arrow keys';

/** Creates a prompter. The end of the input aborts the prompt, Esc cancels it. A list has no preselected entry. */
export function createTerminalPrompter(io: Io, isColoured = true): Prompter {
  const ask = createAsker(io, isColoured);
  return async (question) => {
    const { asked, answerOf } = question.type === 'search' ? prepareSearch(question) : prepareOther(question);
    for (;;) {
      const answer = answerOf(await ask(asked));
      if (answer !== unselected) return answer;
      io.stderr.write(eraseAnswered(question.message, io.stderr.columns));
    }
  };
}

/** Erases the line of a prompt that is asked again: its mark, its message and no answer. */
function eraseAnswered(message: string, columns = 0): string {
  const rows = Math.ceil(`? ${message}`.length / (columns || 80));
  return `\u001b[${rows}A\r\u001b[J`;
}

interface PreparedQuestion {
  readonly asked: Question & { readonly theme: object };
  /** The answer of the prompt, or what replaces it. */
  answerOf(answer: unknown): unknown;
}

/** Starts a list at a line that is not a choice, because Enter would otherwise select the first entry unread. */
function prepareOther(question: Exclude<Question, { readonly type: 'search' }>): PreparedQuestion {
  const theme = createTheme(() => ('choices' in question ? question.choices.length : 0), question);
  const asked =
    question.type === 'select' ? { ...question, choices: addFirstLine(question.choices, firstLine) } : question;
  return { asked: { ...asked, theme }, answerOf: (answer) => answer };
}

/** A search that accepts a typed text whose Enter arrives before its list, as in a pasted line. */
function prepareSearch(question: Extract<Question, { readonly type: 'search' }>): PreparedQuestion {
  const { source, validate } = question;
  let term = '';
  let list: Promise<readonly Choice[]> = Promise.resolve([]);
  let count = 0;
  let typed: string | undefined;
  const load = async (text: string | undefined, options: { readonly signal: AbortSignal }) => {
    const choices = await source(text, options);
    if (!options.signal.aborted) count = choices.length;
    return term === '' ? addFirstLine(choices, `${firstLine}, or type to search`) : choices;
  };
  const asked: PreparedQuestion['asked'] = {
    ...question,
    theme: createTheme(
      () => count,
      question,
      (shown) => typed ?? shown,
    ),
    source: (text, options) => {
      term = (text ?? '').trim();
      list = load(text, options);
      return list;
    },
    // A rejected choice would become the search term.
    validate: async (value) => {
      const choices = await list;
      typed = choices.some((choice) => choice.value === value) ? undefined : term;
      if (typed === undefined && value === unselected) return true;
      return (await validate?.(typed ?? value)) ?? true;
    },
  };
  return {
    asked,
    answerOf: (answer) => {
      const replaced = typed ?? answer;
      typed = undefined;
      return replaced;
    },
  };
}

/**
 * The footer: that Esc cancels, and that a list, which starts with a line of its own, has more entries than its window.
 * @param answerOf replaces the choice that inquirer shows as the answer
 */
function createTheme(countOf: () => number, question: Question, answerOf = (shown: string) => shown): object {
  const { pageSize = 7, hasMore = false } = question as { readonly pageSize?: number; readonly hasMore?: boolean };
  const hasFooter = ['select', 'checkbox', 'search'].includes(question.type);
  const keysHelpTip = (keys: readonly (readonly [string, string])[]) => {
    const count = countOf();
    const entries: readonly (readonly [string, string])[] =
      count < pageSize
        ? []
        : [[`${count}${hasMore ? '+' : ''} entries`, hasMore ? 'type to search all' : 'scroll for more']];
    return [...keys, ['esc', 'cancel'] as const, ...entries]
      .map(([key, action]) => `${styleText('bold', key)} ${styleText('dim', action)}`)
      .join(styleText('dim', ' • '));
  };
  const header = question.type === 'select' && question.header !== undefined ? `\n  ${question.header}` : '';
  const message = (text: string, status: string) =>
    styleText('bold', text) + (status === 'done' ? '' : hasFooter ? header : styleText('dim', ' (esc cancels)'));
  const answer = (shown: string) => styleText('cyan', answerOf(shown));
  return { style: { keysHelpTip, message, answer } };
}

/** Adds the line, unless the first choice selects nothing: `(skip)`, `(done)`. */
function addFirstLine(choices: readonly Choice[], text: string): readonly Choice[] {
  const [first] = choices;
  return first === undefined || first.value === ''
    ? choices
    : [{ value: unselected, name: `(${text})`, short: '' }, ...choices];
}

function createAsker(io: Io, isColoured: boolean): Prompter {
  return async (question) => {
    const watch = watchInput(io);
    const ask = inquirer.createPromptModule({
      input: io.stdin as NodeJS.ReadStream,
      output: (isColoured ? io.stderr : withoutColour(io.stderr)) as NodeJS.WriteStream,
      signal: watch.signal,
    });
    const confirming = question.type === 'input' && question.isConfirmation === true;
    const validate = () => !watch.isPasted() || 'Press Enter to confirm.';
    try {
      const { answer } = await ask([{ ...question, ...(confirming && { validate }), name: 'answer' } as never]);
      return answer as unknown;
    } catch (error) {
      if (watch.hasMoreLines()) throw severalLinesError();
      throw watch.hasEnded() ? inputEndedError() : toOwnError(error, watch.isCanceled());
    } finally {
      watch.close();
    }
  };
}

/** inquirer ignores color settings: removes color sequences and keeps cursor movement. */
function withoutColour(stderr: OutputStream): Writable {
  const write = (chunk: unknown, _encoding: string, done: () => void) => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: start of an ANSI escape sequence
    stderr.write(String(chunk).replace(/\u001b\[[\d;]*m/g, ''));
    done();
  };
  const plain = new Writable({ decodeStrings: false, write });
  return Object.defineProperty(plain, 'columns', { get: () => stderr.columns });
}

/** inquirer names its error for Ctrl-C `ExitPromptError`. */
function toOwnError(error: unknown, isEscaped: boolean): unknown {
  const isInterrupted = error instanceof Error && error.name === 'ExitPromptError';
  return isInterrupted || isEscaped ? new PromptCanceledError('The prompt was canceled.', { cause: error }) : error;
}

function severalLinesError(): Error {
  return usageError(
    'Several lines were pasted, and a prompt takes one; nothing was done.',
    'Paste one line, or pass the values on the command line.',
  );
}

function inputEndedError(): Error {
  return inputNeededError(
    'The input ended before an answer was given; nothing was done.',
    'In non-interactive use, pass the value on the command line.',
  );
}

interface InputWatch {
  readonly signal: AbortSignal;
  /** Whether the prompt was aborted by the end of the input. */
  hasEnded(): boolean;
  /** Whether Esc aborted the prompt. */
  isCanceled(): boolean;
  /** Whether the last key came with others, as those of a pasted text do. */
  isPasted(): boolean;
  /** Whether a pasted text with several lines aborted the prompt. */
  hasMoreLines(): boolean;
  close(): void;
}

interface Key {
  readonly ctrl?: boolean;
  readonly name?: string;
}

/** inquirer does not handle the end of its input, and keeps raw mode after a signal. */
function watchInput({ stdin, signal: interrupted }: Io): InputWatch {
  const broken = new AbortController();
  let isOver = false;
  // The keys of one read of the terminal come in one turn.
  let keysOfTurn: string[] = [];
  const isEnter = (name = '') => ['return', 'enter'].includes(name);
  const end = async () => {
    for (let turn = 0; turn < turnsAfterEnd; turn += 1) await nextTurn();
    if (!isOver) broken.abort('end of input');
  };
  // Ctrl-D on an empty line closes the line editor, which pauses the input; elsewhere it deletes a character.
  const onKey = async (_text: unknown, { ctrl, name }: Key = {}) => {
    if (keysOfTurn.length === 0) setImmediate(() => (keysOfTurn = []));
    if (keysOfTurn.some(isEnter) && !isEnter(name)) broken.abort('several lines');
    keysOfTurn.push(name ?? '');
    if (name === 'escape') broken.abort('canceled');
    if (!ctrl || name !== 'd') return;
    await nextTurn();
    if (!isOver && stdin.isPaused()) broken.abort('end of input');
  };
  const onInterruption = () => {
    // The process may exit before the prompt restores the terminal.
    (stdin as Partial<NodeJS.ReadStream>).setRawMode?.(false);
    broken.abort('interrupted');
  };
  stdin.on('end', end).on('close', end).on('keypress', onKey);
  interrupted.addEventListener('abort', onInterruption, { once: true });
  if (stdin.readableEnded || stdin.destroyed) void end();
  return {
    signal: broken.signal,
    hasEnded: () => broken.signal.reason === 'end of input',
    isCanceled: () => broken.signal.reason === 'canceled',
    isPasted: () => keysOfTurn.some((name) => !isEnter(name)),
    hasMoreLines: () => broken.signal.reason === 'several lines',
    close() {
      isOver = true;
      stdin.off('end', end).off('close', end).off('keypress', onKey);
      interrupted.removeEventListener('abort', onInterruption);
    },
  };
}
