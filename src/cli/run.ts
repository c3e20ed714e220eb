/** Runs one command line from words to exit code. */
import { manifest } from '../contract/manifest.ts';
import { complete } from './completion/complete.ts';
import { hiddenCompleteCommand } from './completion/hidden-command.ts';
import { buildProgram } from './program.ts';
import { escapeLines } from './runtime/control-characters.ts';
import { createErrorReport, printErrorReport } from './runtime/error-report.ts';
import { QuietExit } from './runtime/errors.ts';
import type { Environment, Io } from './runtime/io.ts';

/** Gives the exit code; whatever failed is on standard error by then. */
export async function run(words: readonly string[], io: Io, environment: Environment): Promise<number> {
  if (words[0] === hiddenCompleteCommand) {
    await complete({ io, environment, manifest }, words.slice(1));
    return 0;
  }
  try {
    const program = buildProgram(io, environment, { manifest, words });
    await program.parseAsync(words.length === 0 ? ['--help'] : [...words], { from: 'user' });
    return 0;
  } catch (error) {
    const report = createInterruptReport(io, error) ?? createErrorReport(error, manifest);
    await printErrorReport(report, io, environment, {
      json: wantsJson(words, environment),
      colour: optionValue(words, '--color'),
    });
    if (words.includes('--debug') && error instanceof Error && report.exitCode !== 0)
      io.stderr.write(`debug: ${escapeLines(formatStack(error))}\n`);
    return report.exitCode;
  }
}

/** Once a signal came, it is the reason whatever failed thereby; what ended by itself says how. */
function createInterruptReport({ signal }: Io, error: unknown) {
  if (!signal.aborted || error instanceof QuietExit) return undefined;
  const exitCode = signal.reason === 'SIGTERM' ? 143 : 130;
  return {
    code: 'INTERRUPTED',
    message: 'Interrupted; what was under way may have been done or not.',
    items: [],
    transient: false,
    exitCode,
  };
}

function wantsJson(words: readonly string[], { variables }: Environment): boolean {
  const format = optionValue(words, '--output', '-o') ?? variables.IAM_OUTPUT ?? '';
  return format === 'json' || format === 'jsonl';
}

/** The value of an option among words that commander may have refused; the last one, as commander has it. */
function optionValue(words: readonly string[], ...names: readonly string[]): string | undefined {
  const isOne = (word: string, name: string) =>
    word === name || word.startsWith(name.startsWith('--') ? `${name}=` : name);
  const at = words.findLastIndex((word) => names.some((name) => isOne(word, name)));
  const name = names.find((one) => isOne(words[at] ?? '', one));
  if (name === undefined) return undefined;
  return words[at] === name ? words[at + 1] : words[at]?.slice(name.length).replace(/^=/, '');
}

/** Where it failed; the messages of causes can hold what was sent, so they stay out. */
function formatStack(error: Error): string {
  const { message, stack = '' } = error;
  // The message can have several lines, which the server chose.
  const calls = stack.slice(Math.max(0, stack.indexOf(message)) + message.length);
  return calls
    .split('\n')
    .filter((line) => /^ +at /.test(line))
    .join('\n');
}
