/** The dialog of an update whose command line names no change: which fields of the resource, and their new values. */

import type { JsonSchema } from '../../../contract/manifest-types.ts';
import type { Context } from '../../context.ts';
import { escapeControls } from '../../io/control-characters.ts';
import { prompt } from '../../io/prompt.ts';
import { type ChoiceList, findChoiceList, toTypedList } from '../../prompts/choice-lists.ts';
import { createValidator, labelOf, listFixedChoices } from '../../prompts/field-prompts.ts';
import { promptForValues } from '../../prompts/missing-values.ts';
import { pageSize, selectListEdit } from '../../prompts/select.ts';
import { referenceIn } from '../../prompts/value-sources.ts';
import { type EntityFields, formatEntryValue, formatFieldValue, isRow, toList } from '../../request/differences.ts';
import { type Field, parseFieldValue, setAtPath, toKebabCase } from '../../request/field-options.ts';
import { type BodyRules, canBeCleared, type EditDialog, pickBody } from './merge.ts';
import { nameOf } from './resources.ts';
import { describeNamed, readCurrent, type UpdateTarget } from './write.ts';

/** The edit while it is made. */
interface Answers {
  readonly set: Record<string, unknown>;
  readonly add: Record<string, readonly unknown[]>;
  readonly remove: Record<string, readonly unknown[]>;
}

/** Asks which fields to change. Requires an interactive terminal. @param fields those of the update */
export async function openDialog(
  context: Context,
  target: UpdateTarget,
  fields: readonly Field[],
): Promise<EditDialog> {
  const { entity } = await readCurrent(context, target);
  const name = nameOf(target, entity);
  const asked = fields.filter(({ secret }) => !secret);
  const selected = await selectFields(context, target, entity, asked);
  const answers: Answers = { set: {}, add: {}, remove: {} };
  return {
    fields: selected,
    ask: async (paths) => {
      for (const field of asked.filter(({ path }) => paths.includes(path[0] ?? '') || paths.includes(path.join('.')))) {
        if (field.schema.type === 'array') await askForEntries(context, target, { entity, name, field }, answers);
        else await askForValue(context, target, { entity, name, field }, answers);
      }
      return answers;
    },
  };
}

async function selectFields(
  context: Context,
  { rules }: UpdateTarget,
  entity: EntityFields,
  fields: readonly Field[],
): Promise<readonly string[]> {
  const current = pickBody(entity, rules);
  const names = [...new Set(fields.map(({ path }) => path[0] ?? ''))].filter((name) => {
    const condition = rules.schema.properties?.[name]?.['x-only-for'];
    return condition === undefined || entity[condition.field] === condition.value;
  });
  const choices = await describeNamed(context, rules, (named) =>
    names.map((name) => {
      const label = labelOfField(name, rules.schema.properties?.[name]);
      const value = escapeControls(formatCurrent(name, current[name], named));
      return { value: name, name: `${label}: ${value}`, short: label };
    }),
  );
  const question = { type: 'checkbox', message: 'Fields to change:', choices, required: true, pageSize } as const;
  return (await prompt(context.promptOptions(false), question)) as string[];
}

function labelOfField(name: string, schema: JsonSchema = {}): string {
  const declared = schema.anyOf?.find((one) => one['x-label']) ?? schema;
  return declared['x-label'] ?? labelOf(toKebabCase(name));
}

interface FieldQuestion {
  readonly entity: EntityFields;
  readonly name: string;
  readonly field: Field;
}

/** Offers the entries that the server has, and what is typed. */
async function askForEntries(
  context: Context,
  { resource }: UpdateTarget,
  { entity, name, field: { path, schema } }: FieldQuestion,
  { add, remove }: Answers,
): Promise<void> {
  const field = path.join('.');
  const reference = referenceIn(schema);
  const list =
    (reference && findChoiceList(context, { sources: [reference], known: {} })) ??
    toTypedList(listFixedChoices(schema.items ?? {}) ?? []);
  // No resource refers to itself.
  const isItself = (value: string) => reference?.entity === resource.entity && value === name;
  const load: ChoiceList['load'] = async (term, signal) => {
    const { choices, more } = await list.load(term, signal);
    return { choices: choices.filter(({ value }) => !isItself(value)), more };
  };
  const [property] = Object.keys(schema.items?.properties ?? {});
  const validateText = createValidator((property && schema.items?.properties?.[property]) || (schema.items ?? {}), {
    multiple: true,
  });
  const validate = (text: string) =>
    isItself(text.trim()) ? `This is the ${resource.label} itself.` : validateText(text);
  const current = toList(entity[field]).map((entry) => String(property && isRow(entry) ? entry[property] : entry));
  const message = `${labelOf(toKebabCase(field))} of ${name}:`;
  const options = { context, promptOptions: context.promptOptions(false), message, list: { ...list, load }, validate };
  const edit = await selectListEdit(options, current);
  const toEntries = (values: readonly string[]) =>
    values.map((value) => (property === undefined ? value : { [property]: value }));
  Object.assign(add, { [field]: toEntries(edit.add) });
  Object.assign(remove, { [field]: toEntries(edit.remove) });
}

async function askForValue(
  context: Context,
  { operation, rules }: UpdateTarget,
  { entity, field }: FieldQuestion,
  { set }: Answers,
): Promise<void> {
  const { path, flag, schema } = field;
  const current = await describeNamed(context, rules, (named) =>
    formatFieldValue(path.join('.'), valueAt(entity, path), named),
  );
  const label = `${labelOfField(path.join('.'), schema)}, now ${current}`;
  const promptContext = { context, example: `iam ${operation.command}`, allowsPrompts: true, known: {} };
  const clearable = canBeCleared(operation, path) && (valueAt(entity, path) ?? undefined) !== undefined;
  const [answer = ''] = await promptForValues(promptContext, [
    { name: flag, label, usage: `--${flag}`, schema, optional: true, clearable },
  ]);
  const text = String(answer);
  if (text === '') return;
  setAtPath(set, path, clearable && text === 'null' ? null : parseFieldValue(field, text));
}

function formatCurrent(field: string, value: unknown, rules: BodyRules): string {
  if (!Array.isArray(value)) return formatFieldValue(field, value, rules);
  const entries = value.map((entry) => formatEntryValue(field, entry, rules));
  return entries.length === 0 ? '(none)' : entries.join(', ');
}

function valueAt(entity: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return entity;
  return isRow(entity) ? valueAt(entity[name], rest) : undefined;
}
