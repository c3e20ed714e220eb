/** Runs one command line and returns its exit code. */
import { CommanderError } from 'commander';
import { manifest } from '../contract/manifest.ts';
import { addTrustedFolders } from '../lib/file-trust.ts';
import { hiddenCompleteCommand } from './commands/completion/hidden-command.ts';
import { loadSettings } from './context.ts';
import { DeferredHelp, QuietExit, UnknownOutcomeError } from './errors.ts';
import { formatServerOptions } from './http/server-options.ts';
import { escapeLines } from './io/control-characters.ts';
import type { Environment, Io } from './io/io.ts';
import { createErrorReport, type ErrorReport, printErrorReport, withUsageHint } from './output/error-report.ts';
import { maskNotices } from './output/mask.ts';
import { buildProgram, type ProgramOptions } from './program.ts';

/** Parses and runs a command line. Errors are printed on standard error. @returns the exit code */
export async function run(words: readonly string[], io: Io, given: Environment): Promise<number> {
  const environment = { ...given };
  if (words[0] === hiddenCompleteCommand) {
    const { complete } = await import('./completion/complete.ts');
    await complete({ io, environment, manifest }, words.slice(1));
    return 0;
  }
  try {
    // The option counts as its variable, for the command, for the server that it starts and for the files of settings.
    await parse(words, io, environment, (folders) => {
      environment.variables = addTrustedFolders(environment.variables, folders);
    });
    return 0;
  } catch (error) {
    // Help was printed.
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    const serverOptions = formatServerOptions({
      profile: optionValue(words, '--profile'),
      baseUrl: optionValue(words, '--base-url'),
    });
    const reportOf = (failure: unknown) => createErrorReport(failure, manifest, serverOptions);
    const report =
      createInterruptReport(io, error, reportOf) ??
      (await addSuggestion(reportOf(error), error, words, io, environment));
    await printErrorReport(report, hasFlag(words, '--mask') ? maskNotices(io) : io, environment, {
      json: !report.quiet && (await wantsJson(words, environment)),
      colour: optionValue(words, '--color'),
    });
    if (hasFlag(words, '--debug') && error instanceof Error && report.exitCode !== 0)
      io.stderr.write(`debug: ${escapeLines(formatStack(error))}\n`);
    return report.exitCode;
  }
}

async function parse(
  words: readonly string[],
  io: Io,
  environment: Environment,
  onTrust: ProgramOptions['trust'],
): Promise<void> {
  const program = await buildProgram(io, environment, { manifest, words, ...(onTrust ? { trust: onTrust } : {}) });
  try {
    await program.parseAsync(words.length === 0 ? ['--help'] : [...words], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError || !(error instanceof DeferredHelp)) throw error;
    await error.print();
  }
}

/** For an unknown command or option: what it means probably, in place of a name with similar letters. */
async function addSuggestion(
  report: ErrorReport,
  error: unknown,
  words: readonly string[],
  io: Io,
  environment: Environment,
): Promise<ErrorReport> {
  const code = error instanceof CommanderError ? error.code : '';
  if (code !== 'commander.unknownCommand' && code !== 'commander.unknownOption') return report;
  const { buildForSuggestion, suggestInstead } = await import('./suggestions.ts');
  const program = await buildForSuggestion(words, (named) => buildProgram(io, environment, { manifest, words: named }));
  const suggestion = suggestInstead(program, words);
  return suggestion === undefined ? report : { ...report, hint: withUsageHint(suggestion) };
}

/**
 * After a signal, any error is reported as an interruption, unless the command ended with its own exit code. Only a write
 * that was sent may have taken effect.
 */
function createInterruptReport(
  { signal }: Io,
  error: unknown,
  report: (error: unknown) => ErrorReport,
): ErrorReport | undefined {
  if (!signal.aborted || error instanceof QuietExit) return undefined;
  const exitCode = signal.reason === 'SIGTERM' ? 143 : 130;
  const base = { code: 'INTERRUPTED', message: 'Interrupted.', items: [], transient: false, exitCode };
  if (!(error instanceof UnknownOutcomeError)) return base;
  const { hint, details } = report(error);
  return { ...base, message: 'Interrupted while a request was pending.', hint, details };
}

async function wantsJson(words: readonly string[], environment: Environment): Promise<boolean> {
  const format = optionValue(words, '--output', '-o') ?? (await resolveOutput(words, environment));
  return format === 'json' || format === 'jsonl';
}

/** The output setting. The error may be that it cannot be resolved: then that of the environment. */
async function resolveOutput(words: readonly string[], environment: Environment): Promise<string | undefined> {
  const profile = optionValue(words, '--profile');
  try {
    const settings = await loadSettings(environment, profile === undefined ? {} : { profile });
    return settings.get('output')?.value;
  } catch {
    return environment.variables.IAM_OUTPUT;
  }
}

function hasFlag(line: readonly string[], flag: string): boolean {
  return beforeOperands(line).includes(flag);
}

function beforeOperands(line: readonly string[]): readonly string[] {
  const end = line.indexOf('--');
  return end === -1 ? line : line.slice(0, end);
}

/** The value of an option on a command line that commander may have rejected; the last one wins, as in commander. */
function optionValue(line: readonly string[], ...names: readonly string[]): string | undefined {
  const words = beforeOperands(line);
  const isOne = (word: string, name: string) =>
    word === name || word.startsWith(name.startsWith('--') ? `${name}=` : name);
  const at = words.findLastIndex((word) => names.some((name) => isOne(word, name)));
  const name = names.find((one) => isOne(words[at] ?? '', one));
  if (name === undefined) return undefined;
  return words[at] === name ? words[at + 1] : words[at]?.slice(name.length).replace(/^=/, '');
}

/** The stack frames without messages: messages of causes can contain request data. */
function formatStack(error: Error): string {
  const { message, stack = '' } = error;
  // The message comes from the server and can have several lines.
  const calls = stack.slice(Math.max(0, stack.indexOf(message)) + message.length);
  return calls
    .split('\n')
    .filter((line) => /^ +at /.test(line))
    .join('\n');
}
