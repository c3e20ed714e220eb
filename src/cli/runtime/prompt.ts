/** The one way to questions: whether there is anybody to answer, and how each kind of question is put. */
import { escapeControls } from './control-characters.ts';
import { inputNeededError } from './errors.ts';
import type { Environment, Io } from './io.ts';
import type { Question } from './prompter.ts';
import { createTerminalPrompter } from './terminal-prompter.ts';

export interface PromptOptions {
  readonly io: Io;
  readonly environment: Environment;
  /** False with --no-input. */
  readonly input: boolean;
  /** Standard input is the data of the command. */
  readonly stdinIsData: boolean;
  /** auto, always or never. */
  readonly color?: string | undefined;
}

/** Whether there is somebody to answer. */
export function canPrompt({ io, environment, input, stdinIsData }: PromptOptions): boolean {
  const isTerminal = io.stdin.isTTY === true && io.stderr.isTTY === true;
  const ci = environment.variables.CI;
  return isTerminal && input && !stdinIsData && (ci === undefined || ci === '' || ci === 'false');
}

/** Asks yes or no; no where only Enter is pressed. Fails where nobody can answer. */
export async function confirm(promptOptions: PromptOptions, message: string): Promise<boolean> {
  if (!canPrompt(promptOptions))
    throw inputNeededError(
      `${message} Nobody can be asked here, and nothing was sent.`,
      'Add --yes to go on without being asked.',
    );
  return (await prompt(promptOptions, { type: 'confirm', message, default: false })) === true;
}

/** Asks to type a name, so that nobody says yes to the wrong thing. Fails where nobody can answer. */
export async function confirmByName(promptOptions: PromptOptions, message: string, name: string): Promise<boolean> {
  if (!canPrompt(promptOptions))
    throw inputNeededError(
      `${message} Nobody can be asked here, and nothing was sent.`,
      `Add --confirm ${name} to go on without being asked; --yes is not enough for this.`,
    );
  const typed = await prompt(promptOptions, { type: 'input', message: `${message} Type ${name} to go on:` });
  return String(typed).trim() === name;
}

/** Asks for a value that is not shown. Fails where nobody can answer. */
export async function promptSecret(promptOptions: PromptOptions, message: string, hint: string): Promise<string> {
  if (!canPrompt(promptOptions)) throw inputNeededError(`${message} is needed, and nobody can be asked here.`, hint);
  return String(await prompt(promptOptions, { type: 'password', message, mask: '*' }));
}

/** Asks for a value. Fails where nobody can answer. */
export async function promptText(promptOptions: PromptOptions, message: string, hint: string): Promise<string> {
  if (!canPrompt(promptOptions)) throw inputNeededError(`${message} is needed, and nobody can be asked here.`, hint);
  return String(await prompt(promptOptions, { type: 'input', message })).trim();
}

/** Puts a question of any kind. To be called only where `canAsk`. */
export async function prompt({ io, environment, color }: PromptOptions, given: Question): Promise<unknown> {
  // Names of the server and of files are in it.
  const question = { ...given, message: escapeControls(given.message) };
  if (io.prompter) return io.prompter(question);
  const { createColours } = await import('./colour.ts');
  return createTerminalPrompter(io, createColours(io.stderr, environment, color).level > 0)(question);
}
