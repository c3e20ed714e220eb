/** Missing required values: prompts for them on a terminal, fails with their names elsewhere. */
import type { Command } from 'commander';
import type { JsonSchema } from '../../contract/manifest-types.ts';
import type { Context } from '../context.ts';
import { inputNeededError } from '../errors.ts';
import { canPrompt, prompt } from '../io/prompt.ts';
import type { Choice, Validator } from '../io/prompter.ts';
import { type ChoiceList, findChoiceList, type KnownValues } from './choice-lists.ts';
import { createValidator, formatPromptMessage, listFixedChoices } from './field-prompts.ts';
import { pageSize, selectMany, selectOne } from './select.ts';
import { referenceIn, sourcesOf, type ValueSource } from './value-sources.ts';

export interface MissingValue {
  /** Its name on the command line: `group`, `app-id`. */
  readonly name: string;
  /** The label of its prompt; by default derived from its name. */
  readonly label?: string | undefined;
  /** What it refers to, if its schema does not declare it. */
  readonly sources?: readonly ValueSource[];
  /** Its notation in help: `<group>`, `--app-id`. */
  readonly usage: string;
  readonly schema: JsonSchema;
  /** Never displayed; on the command line it is read from a file. */
  readonly secret?: boolean;
  /** Accepts one or more values. */
  readonly multiple?: boolean;
  /** An empty input omits it. */
  readonly optional?: boolean;
  /** The input `null` clears it. */
  readonly clearable?: boolean;
  /** Prompted for only if that field, by its name on the command line, has this value or none. */
  readonly onlyFor?: { readonly name: string; readonly value: string } | undefined;
}

export type PromptAnswer = string | readonly string[];

/** The command that needs the values. */
export interface PromptContext {
  readonly context: Context;
  /** A full command line: `iam groups get ops`. */
  readonly example: string;
  /** False if standard input is data, and on a dry run, which never prompts. */
  readonly allowsPrompts: boolean;
  /** Values that are known, by name on the command line. */
  readonly known: KnownValues;
}

/**
 * Prompts for each value in turn; earlier answers narrow the choices of later ones. An answer is the text of an argument.
 * @throws CliError (exit 10) with the names of all of them in non-interactive mode
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
    `${names} ${needed.length === 1 ? 'is' : 'are'} missing${what}. Cannot prompt in non-interactive mode; nothing was sent.`,
    `Pass ${needed.length === 1 ? 'it' : 'them'} on the command line, as in \`${example}\`.`,
  );
}

async function promptForValue(promptContext: PromptContext, missing: MissingValue): Promise<PromptAnswer> {
  const { context, allowsPrompts, known } = promptContext;
  const { schema, secret = false, multiple = false, optional = false, clearable = false } = missing;
  const promptOptions = context.promptOptions(!allowsPrompts);
  const message = formatPromptMessage(missing);
  const validateValue = createValidator(schema, { multiple, optional });
  const validate: Validator = (text) => (clearable && text.trim() === 'null') || validateValue(text);
  if (secret) return String(await prompt(promptOptions, { type: 'password', message, mask: '*', validate }));
  const others = [
    ...(optional ? [{ value: '', name: '(skip)' }] : []),
    ...(clearable ? [{ value: 'null', name: '(none)' }] : []),
  ];
  const choices = listFixedChoices(schema, others);
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
  const list = findChoiceList(context, { sources, known });
  const found =
    list &&
    (await (multiple ? selectMany : selectOne)({
      context,
      promptOptions,
      message,
      list: withChoices(list, others),
      validate,
    }));
  if (found !== undefined) return found;
  const text = String(await prompt(promptOptions, { type: 'input', message, validate })).trim();
  return multiple ? splitList(text) : text;
}

/** The list with choices before those of the server. */
function withChoices(list: ChoiceList, choices: readonly Choice[]): ChoiceList {
  const load: ChoiceList['load'] = async (term, signal) => {
    const page = await list.load(term, signal);
    return term === undefined && page.choices.length > 0 ? { ...page, choices: [...choices, ...page.choices] } : page;
  };
  return choices.length === 0 ? list : { ...list, load };
}

function splitList(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** The required arguments of a command that are missing, with their positions. */
export function findMissingArguments(
  command: Command,
  args: readonly (string | readonly string[] | undefined)[],
): { readonly at: number; readonly value: MissingValue }[] {
  return command.registeredArguments.flatMap((argument, at) => {
    const arg = args[at];
    if (!argument.required || (arg !== undefined && !(Array.isArray(arg) && arg.length === 0))) return [];
    const name = argument.name();
    const choices = argument.argChoices === undefined ? {} : { enum: argument.argChoices };
    const schema: JsonSchema = { type: 'string', description: argument.description, ...choices };
    const sources = sourcesOf(command, name);
    const label = argument.description;
    return [{ at, value: { name, label, usage: `<${name}>`, schema, sources, multiple: argument.variadic } }];
  });
}
