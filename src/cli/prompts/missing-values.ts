/** Values that a command can't do without: asked for where somebody is there to answer, else named in a failure. */
import type { Command } from 'commander';
import type { JsonSchema } from '../../contract/manifest-types.ts';
import type { Context } from '../runtime/context.ts';
import { inputNeededError } from '../runtime/errors.ts';
import { canPrompt, prompt } from '../runtime/prompt.ts';
import { referenceIn, sourcesOf, type ValueSource } from '../value-sources.ts';
import { findChoiceList, type KnownValues } from './choice-lists.ts';
import { createValidator, formatPromptMessage, listFixedChoices } from './field-prompts.ts';
import { pageSize, selectMany, selectOne } from './select.ts';

export interface MissingValue {
  /** What it is called on the command line: `group`, `app-id`. */
  readonly name: string;
  /** How a prompt asks for it, where not by its name. */
  readonly label?: string | undefined;
  /** What it refers to, where its schema does not say it. */
  readonly sources?: readonly ValueSource[];
  /** How it is given there: `<group>`, `--app-id`. */
  readonly usage: string;
  readonly schema: JsonSchema;
  /** Never shown, and read from a file on the command line. */
  readonly secret?: boolean;
  /** One or more of them. */
  readonly multiple?: boolean;
  /** Enter alone leaves it out. */
  readonly optional?: boolean;
  /** Asked for only where that, by its name on the command line, has this value or none. */
  readonly onlyFor?: { readonly name: string; readonly value: string } | undefined;
}

export type PromptAnswer = string | readonly string[];

/** Which command it is that wants something. */
export interface PromptContext {
  readonly context: Context;
  /** How it is typed as a whole: `iam groups get ops`. */
  readonly example: string;
  /** Not where standard input is data, nor on a dry run, which never asks. */
  readonly allowsPrompts: boolean;
  /** What is known already, by its name on the command line. */
  readonly known: KnownValues;
}

/**
 * Asks for each in turn; those that were answered help to find the next. An answer is the text that would have been typed.
 * @throws CliError (exit 10) that names all of them where nobody can be asked
 */
export async function promptForValues(
  promptContext: PromptContext,
  missing: readonly MissingValue[],
): Promise<PromptAnswer[]> {
  const promptOptions = promptContext.context.promptOptions(!promptContext.allowsPrompts);
  if (missing.length > 0 && !canPrompt(promptOptions)) throw missingValuesError(promptContext, missing);
  const answers: PromptAnswer[] = [];
  const known: Record<string, string> = { ...promptContext.known };
  for (const one of missing) {
    const answer = isApplicable(one, known) ? await promptForValue({ ...promptContext, known }, one) : '';
    answers.push(answer);
    if (typeof answer === 'string') known[one.name] = answer;
  }
  return answers;
}

function isApplicable({ onlyFor }: MissingValue, known: KnownValues): boolean {
  return onlyFor === undefined || (known[onlyFor.name] ?? onlyFor.value) === onlyFor.value;
}

function missingValuesError({ example }: PromptContext, missing: readonly MissingValue[]): Error {
  const needed = missing.filter(({ optional }) => !optional);
  const names = needed.map(({ usage }) => usage).join(', ');
  const [only] = needed;
  const what = needed.length === 1 && only?.schema.description ? ` (${only.schema.description})` : '';
  return inputNeededError(
    `${names} ${needed.length === 1 ? 'is' : 'are'} missing${what}. Nobody can be asked here, and nothing was sent.`,
    `Give ${needed.length === 1 ? 'it' : 'them'} on the command line, as in \`${example}\`.`,
  );
}

async function promptForValue(promptContext: PromptContext, missing: MissingValue): Promise<PromptAnswer> {
  const { context, allowsPrompts, known } = promptContext;
  const { name, schema, secret = false, multiple = false, optional = false } = missing;
  const promptOptions = context.promptOptions(!allowsPrompts);
  const message = formatPromptMessage(missing);
  const validate = createValidator(schema, { multiple, optional });
  if (secret) return String(await prompt(promptOptions, { type: 'password', message, mask: '*', validate }));
  const choices = listFixedChoices(schema, optional);
  if (choices && multiple)
    return (await prompt(promptOptions, {
      type: 'checkbox',
      message,
      choices,
      required: !optional,
      pageSize,
    })) as string[];
  if (choices) return String(await prompt(promptOptions, { type: 'select', message, choices }));
  const reference = referenceIn(schema);
  const sources = missing.sources ?? (reference ? [reference] : []);
  const list = optional ? undefined : findChoiceList(context, { name, sources, known });
  const found =
    list && (await (multiple ? selectMany : selectOne)({ context, promptOptions, message, list, validate }));
  if (found !== undefined) return found;
  const text = String(await prompt(promptOptions, { type: 'input', message, validate })).trim();
  return multiple ? splitList(text) : text;
}

function splitList(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** The arguments that a command declares as required and was not given, with their places. */
export function findMissingArguments(
  command: Command,
  args: readonly (string | readonly string[] | undefined)[],
): { readonly at: number; readonly wanted: MissingValue }[] {
  return command.registeredArguments.flatMap((argument, at) => {
    const given = args[at];
    if (!argument.required || (given !== undefined && !(Array.isArray(given) && given.length === 0))) return [];
    const name = argument.name();
    const choices = argument.argChoices === undefined ? {} : { enum: argument.argChoices };
    const schema: JsonSchema = { type: 'string', description: argument.description, ...choices };
    const sources = sourcesOf(command, name);
    const label = argument.description;
    return [{ at, wanted: { name, label, usage: `<${name}>`, schema, sources, multiple: argument.variadic } }];
  });
}
