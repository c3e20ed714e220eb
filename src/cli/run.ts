/** Runs one command line from words to exit code. */
import { manifest } from '../contract/manifest.ts';
import { complete } from './completion/complete.ts';
import { completeWord } from './completion/word.ts';
import { buildProgram } from './program.ts';
import { escapeLines } from './runtime/control-characters.ts';
import { QuietExit } from './runtime/failures.ts';
import type { Environment, Io } from './runtime/io.ts';
import { printReport, reportOf } from './runtime/report.ts';

/** Gives the exit code; whatever failed is on standard error by then. */
export async function run(typed: readonly string[], io: Io, environment: Environment): Promise<number> {
  if (typed[0] === completeWord) {
    await complete({ io, environment, manifest }, typed.slice(1));
    return 0;
  }
  try {
    const program = buildProgram(io, environment, { manifest, typed });
    await program.parseAsync(typed.length === 0 ? ['--help'] : [...typed], { from: 'user' });
    return 0;
  } catch (error) {
    const report = interruption(io, error) ?? reportOf(error, manifest);
    await printReport(report, io, environment, {
      json: wantsJson(typed, environment),
      colour: optionValue(typed, '--color'),
    });
    if (typed.includes('--debug') && error instanceof Error && report.exitCode !== 0)
      io.stderr.write(`debug: ${escapeLines(traceOf(error))}\n`);
    return report.exitCode;
  }
}

/** Once a signal came, it is the reason whatever failed thereby; what ended by itself says how. */
function interruption({ signal }: Io, error: unknown) {
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

function wantsJson(typed: readonly string[], { variables }: Environment): boolean {
  const format = optionValue(typed, '--output', '-o') ?? variables.IAM_OUTPUT ?? '';
  return format === 'json' || format === 'jsonl';
}

/** The value of an option among words that commander may have refused; the last one, as commander has it. */
function optionValue(typed: readonly string[], ...names: readonly string[]): string | undefined {
  const isOne = (word: string, name: string) =>
    word === name || word.startsWith(name.startsWith('--') ? `${name}=` : name);
  const at = typed.findLastIndex((word) => names.some((name) => isOne(word, name)));
  const name = names.find((one) => isOne(typed[at] ?? '', one));
  if (name === undefined) return undefined;
  return typed[at] === name ? typed[at + 1] : typed[at]?.slice(name.length).replace(/^=/, '');
}

/** Where it failed; the messages of causes can hold what was sent, so they stay out. */
function traceOf(error: Error): string {
  const { message, stack = '' } = error;
  // The message can have several lines, which the server chose.
  const calls = stack.slice(Math.max(0, stack.indexOf(message)) + message.length);
  return calls
    .split('\n')
    .filter((line) => /^ +at /.test(line))
    .join('\n');
}
