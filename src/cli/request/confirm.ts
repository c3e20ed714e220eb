/** Confirms destructive requests: by a prompt, `--yes` or `--confirm NAME`. Without a terminal one of the flags is required. */

import { resolveSafetyRules } from '../config/safety.ts';
import type { CommandOptions, Context } from '../context.ts';
import { CliError, inputNeededError } from '../errors.ts';
import { escapeControls } from '../io/control-characters.ts';
import { canPrompt, type PromptOptions, prompt } from '../io/prompt.ts';
import { formatFields, type TableRow } from '../output/table.ts';

/** What is known about something that a command replaces, in the form of every confirmation. */
export interface FactTable {
  readonly heading: string;
  readonly facts: TableRow;
}

/** Formats a heading, and the facts below it: a line each. */
export async function formatFactTable({ heading, facts }: FactTable): Promise<string[]> {
  return [heading, ...(await formatFields(facts)).map((line) => `  ${line}`)];
}

export interface ConfirmOptions {
  /** The name is required, because more than one entity or a whole server is affected; `--yes` is not enough. */
  readonly requireName?: boolean;
  /** The name to type; by default that of the profile in use. */
  readonly name?: string;
  /** Another name that `--confirm` accepts, because it confirms more than is required. */
  readonly alternativeName?: string;
  /** What is true without a confirmation; by default that nothing was sent. */
  readonly unconfirmed?: string;
  /** Throws if there is nothing to ask about. Called only before a prompt, since that takes a request. */
  readonly assertExists?: () => Promise<void>;
  /** What else is affected. Loaded only before a prompt, since that takes requests. */
  readonly details?: () => Promise<readonly (string | FactTable)[]>;
}

/**
 * Prompts before a destructive request; ends the command if the answer is no. In a protected profile, and with
 * `requireName`, the name must be typed or passed with `--confirm`.
 */
export async function assertConfirmed(
  context: Context,
  question: string,
  options: CommandOptions,
  stdinIsData = false,
  confirmOptions: ConfirmOptions = {},
): Promise<void> {
  const { isProtected, name: defaultName } = resolveSafetyRules(context.settings);
  const { requireName = isProtected, name = defaultName, unconfirmed = 'nothing was sent' } = confirmOptions;
  const typedName = options.confirm as string | undefined;
  if (typedName !== undefined && typedName !== name && typedName !== confirmOptions.alternativeName)
    throw new CliError(`--confirm is ${JSON.stringify(typedName)} but must be ${name}; ${unconfirmed}.`, {
      code: 'NOT_CONFIRMED',
      exitCode: 2,
    });
  if (typedName !== undefined || (options.yes === true && !requireName)) return;
  const promptOptions = context.promptOptions(stdinIsData);
  if (canPrompt(promptOptions)) await confirmOptions.assertExists?.();
  if (confirmOptions.details && canPrompt(promptOptions))
    for (const detail of await confirmOptions.details())
      for (const line of typeof detail === 'string' ? [detail] : await formatFactTable(detail))
        context.io.stderr.write(`  ${escapeControls(line)}\n`);
  const message = escapeControls(question);
  if (!canPrompt(promptOptions)) throw unconfirmedError(message, unconfirmed, requireName ? name : undefined);
  if (requireName ? await confirmByName(promptOptions, message, name) : await confirm(promptOptions, message)) return;
  throw new CliError(`Not confirmed; ${unconfirmed}.`, { code: 'NOT_CONFIRMED', exitCode: 1 });
}

/** For non-interactive mode. `name`: the one that confirms, if `--yes` is not enough. */
function unconfirmedError(message: string, unconfirmed: string, name: string | undefined): CliError {
  return inputNeededError(
    `${message} Cannot prompt in non-interactive mode; ${unconfirmed}.`,
    name === undefined
      ? 'Add --yes to confirm without a prompt.'
      : `Add --confirm ${name} to confirm without a prompt; --yes is not enough.`,
  );
}

/** Prompts for yes or no; the default is no. */
async function confirm(promptOptions: PromptOptions, message: string): Promise<boolean> {
  return (await prompt(promptOptions, { type: 'confirm', message, default: false })) === true;
}

/** Prompts to type a name, so that the target is not confirmed by mistake. */
async function confirmByName(promptOptions: PromptOptions, message: string, name: string): Promise<boolean> {
  const typed = await prompt(promptOptions, {
    type: 'input',
    message: `${message} Type ${name} to confirm:`,
    isConfirmation: true,
  });
  return String(typed).trim() === name;
}
