/** Values that a command can't do without: asked for where somebody is there to answer, else named in a failure. */
import type { Command } from 'commander';
import type { JsonSchema } from '../../contract/manifest-types.ts';
import type { Context } from '../runtime/context.ts';
import { unanswered } from '../runtime/failures.ts';
import { ask, canAsk } from '../runtime/prompt.ts';
import { referenceIn, sourcesOf, type ValueSource } from '../value-sources.ts';
import { checkOf, choicesOf, messageOf } from './fields.ts';
import { type Known, listOf } from './lists.ts';
import { pageSize, pick, pickSeveral } from './picking.ts';

export interface Wanted {
  /** What it is called on the command line: `group`, `app-id`. */
  readonly name: string;
  /** How a prompt asks for it, where not by its name. */
  readonly label?: string | undefined;
  /** What it refers to, where its schema does not say it. */
  readonly sources?: readonly ValueSource[];
  /** How it is given there: `<group>`, `--app-id`. */
  readonly typed: string;
  readonly schema: JsonSchema;
  /** Never shown, and read from a file on the command line. */
  readonly secret?: boolean;
  /** One or more of them. */
  readonly several?: boolean;
  /** Enter alone leaves it out. */
  readonly optional?: boolean;
  /** Asked for only where that, by its name on the command line, has this value or none. */
  readonly onlyFor?: { readonly name: string; readonly value: string } | undefined;
}

export type Answer = string | readonly string[];

/** Which command it is that wants something. */
export interface Occasion {
  readonly context: Context;
  /** How it is typed as a whole: `iam groups get ops`. */
  readonly example: string;
  /** Not where standard input is data, nor on a dry run, which never asks. */
  readonly mayAsk: boolean;
  /** What is known already, by its name on the command line. */
  readonly known: Known;
}

/**
 * Asks for each in turn; those that were answered help to find the next. An answer is the text that would have been typed.
 * @throws CliError (exit 10) that names all of them where nobody can be asked
 */
export async function askFor(occasion: Occasion, wanted: readonly Wanted[]): Promise<Answer[]> {
  const asking = occasion.context.asking(!occasion.mayAsk);
  if (wanted.length > 0 && !canAsk(asking)) throw missing(occasion, wanted);
  const answers: Answer[] = [];
  const known: Record<string, string> = { ...occasion.known };
  for (const one of wanted) {
    const answer = isFor(one, known) ? await askOne({ ...occasion, known }, one) : '';
    answers.push(answer);
    if (typeof answer === 'string') known[one.name] = answer;
  }
  return answers;
}

function isFor({ onlyFor }: Wanted, known: Known): boolean {
  return onlyFor === undefined || (known[onlyFor.name] ?? onlyFor.value) === onlyFor.value;
}

function missing({ example }: Occasion, wanted: readonly Wanted[]): Error {
  const needed = wanted.filter(({ optional }) => !optional);
  const names = needed.map(({ typed }) => typed).join(', ');
  const [only] = needed;
  const what = needed.length === 1 && only?.schema.description ? ` (${only.schema.description})` : '';
  return unanswered(
    `${names} ${needed.length === 1 ? 'is' : 'are'} missing${what}. Nobody can be asked here, and nothing was sent.`,
    `Give ${needed.length === 1 ? 'it' : 'them'} on the command line, as in \`${example}\`.`,
  );
}

async function askOne(occasion: Occasion, wanted: Wanted): Promise<Answer> {
  const { context, mayAsk, known } = occasion;
  const { name, schema, secret = false, several = false, optional = false } = wanted;
  const asking = context.asking(!mayAsk);
  const message = messageOf(wanted);
  const validate = checkOf(schema, { several, optional });
  if (secret) return String(await ask(asking, { type: 'password', message, mask: '*', validate }));
  const choices = choicesOf(schema, optional);
  if (choices && several)
    return (await ask(asking, { type: 'checkbox', message, choices, required: !optional, pageSize })) as string[];
  if (choices) return String(await ask(asking, { type: 'select', message, choices }));
  const reference = referenceIn(schema);
  const sources = wanted.sources ?? (reference ? [reference] : []);
  const list = optional ? undefined : listOf(context, { name, sources, known });
  const found = list && (await (several ? pickSeveral : pick)({ context, asking, message, list, validate }));
  if (found !== undefined) return found;
  const text = String(await ask(asking, { type: 'input', message, validate })).trim();
  return several ? partsOf(text) : text;
}

function partsOf(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** The arguments that a command declares as required and was not given, with their places. */
export function missingArguments(
  command: Command,
  args: readonly (string | readonly string[] | undefined)[],
): { readonly at: number; readonly wanted: Wanted }[] {
  return command.registeredArguments.flatMap((argument, at) => {
    const given = args[at];
    if (!argument.required || (given !== undefined && !(Array.isArray(given) && given.length === 0))) return [];
    const name = argument.name();
    const choices = argument.argChoices === undefined ? {} : { enum: argument.argChoices };
    const schema: JsonSchema = { type: 'string', description: argument.description, ...choices };
    const sources = sourcesOf(command, name);
    const label = argument.description;
    return [{ at, wanted: { name, label, typed: `<${name}>`, schema, sources, several: argument.variadic } }];
  });
}
