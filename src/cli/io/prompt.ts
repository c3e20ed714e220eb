/** Prompts: whether they are possible, and one function per kind. */

import { inputNeededError } from '../errors.ts';
import { escapeControls } from './control-characters.ts';
import type { Environment, Io } from './io.ts';
import type { Question } from './prompter.ts';

export interface PromptOptions {
  readonly io: Io;
  readonly environment: Environment;
  /** False with --no-input. */
  readonly input: boolean;
  /** Standard input contains the data of the command. */
  readonly stdinIsData: boolean;
  /** auto, always or never. */
  readonly color?: string | undefined;
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
export async function prompt({ io, environment, color }: PromptOptions, request: Question): Promise<unknown> {
  // Messages contain names from the server and from files.
  const question = { ...request, message: escapeControls(request.message) };
  if (io.prompter) return io.prompter(question);
  const { createTerminalPrompter } = await import('./terminal-prompter.ts');
  const { createColours } = await import('./colour.ts');
  return createTerminalPrompter(io, createColours(io.stderr, environment, color).level > 0)(question);
}
