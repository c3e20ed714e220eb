/** Prompts: whether they are possible, and one function per kind. */

import { inputNeededError } from '../errors.ts';
import { escapeControls } from './control-characters.ts';
import type { Environment, Io } from './io.ts';
import type { Choice, Question } from './prompter.ts';

export interface PromptOptions {
  readonly io: Io;
  readonly environment: Environment;
  /** False with --no-input. */
  readonly input: boolean;
  /** Standard input contains the data of the command. */
  readonly stdinIsData: boolean;
  /** auto, always or never. */
  readonly color?: string | undefined;
  /** With --mask: hides addresses in what is shown. */
  readonly mask?: ((text: string) => string) | undefined;
}

/** Whether prompts are possible: an interactive terminal, not in CI, without --no-input. */
export function canPrompt({ io, environment, input, stdinIsData }: PromptOptions): boolean {
  const isTerminal = io.stdin.isTTY === true && io.stderr.isTTY === true;
  const ci = environment.variables.CI;
  return isTerminal && input && !stdinIsData && (ci === undefined || ci === '' || ci === 'false');
}

/** Prompts for a hidden value. @throws CliError (exit 10) in non-interactive mode */
export async function promptSecret(promptOptions: PromptOptions, message: string, hint: string): Promise<string> {
  if (!canPrompt(promptOptions))
    throw inputNeededError(`${message} is required. Cannot prompt in non-interactive mode.`, hint);
  return String(await prompt(promptOptions, { type: 'password', message, mask: '*' }));
}

/** Prompts for a value. @throws CliError (exit 10) in non-interactive mode */
export async function promptText(promptOptions: PromptOptions, message: string, hint: string): Promise<string> {
  if (!canPrompt(promptOptions))
    throw inputNeededError(`${message} is required. Cannot prompt in non-interactive mode.`, hint);
  return String(await prompt(promptOptions, { type: 'input', message })).trim();
}

/** Prompts with a question of any kind. Call it only if `canPrompt`. */
export async function prompt({ io, environment, color, mask }: PromptOptions, request: Question): Promise<unknown> {
  // Messages contain names from the server and from files.
  const escaped = { ...request, message: escapeControls(request.message) };
  const question = mask ? maskQuestion(escaped, mask) : escaped;
  if (io.prompter) return io.prompter(question);
  const { createTerminalPrompter } = await import('./terminal-prompter.ts');
  const { createColours } = await import('./colour.ts');
  return createTerminalPrompter(io, createColours(io.stderr, environment, color).level > 0)(question);
}

/** The values of choices stay as they are. */
function maskQuestion(question: Question, mask: (text: string) => string): Question {
  const maskChoice = ({ name, short, description, ...choice }: Choice): Choice => ({
    ...choice,
    name: mask(name),
    ...(short === undefined ? {} : { short: mask(short) }),
    ...(description === undefined ? {} : { description: mask(description) }),
  });
  const masked = { ...question, message: mask(question.message) };
  if ('choices' in masked) return { ...masked, choices: masked.choices.map(maskChoice) };
  if (masked.type !== 'search') return masked;
  return { ...masked, source: async (...search) => (await masked.source(...search)).map(maskChoice) };
}
