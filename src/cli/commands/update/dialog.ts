/** The dialog of an update whose command line names no change: which fields of the resource, and their new values. */

import type { Context } from '../../context.ts';
import { escapeControls } from '../../io/control-characters.ts';
import { prompt } from '../../io/prompt.ts';
import { type ChoiceList, findChoiceList } from '../../prompts/choice-lists.ts';
import { createValidator, labelOf } from '../../prompts/field-prompts.ts';
import { promptForValues } from '../../prompts/missing-values.ts';
import { pageSize, selectListEdit } from '../../prompts/select.ts';
import { referenceIn } from '../../prompts/value-sources.ts';
import { type EntityFields, formatValue, isRow, toList } from '../../request/differences.ts';
import { type Field, parseFieldValue, setAtPath, toKebabCase } from '../../request/field-options.ts';
import { type EditDialog, pickBody } from './merge.ts';
import { nameOf } from './resources.ts';
import { readCurrent, type UpdateTarget } from './write.ts';

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
        const isList = field.schema.type === 'array' && referenceIn(field.schema) !== undefined;
        if (isList) await askForEntries(context, target, { entity, name, field }, answers);
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
  const choices = names.map((name) => ({
    value: name,
    name: `${labelOf(toKebabCase(name))}  (${escapeControls(formatCurrent(current[name]))})`,
    short: labelOf(toKebabCase(name)),
  }));
  const question = { type: 'checkbox', message: 'Fields to change:', choices, required: true, pageSize } as const;
  return (await prompt(context.promptOptions(false), question)) as string[];
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
  const list = reference && findChoiceList(context, { sources: [reference], known: {} });
  if (!list) return;
  // No resource refers to itself.
  const isItself = (value: string) => reference.entity === resource.entity && value === name;
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
  { operation }: UpdateTarget,
  { entity, field }: FieldQuestion,
  { set }: Answers,
): Promise<void> {
  const { path, flag, schema } = field;
  const multiple = schema.type === 'array';
  const label = `${schema['x-label'] ?? labelOf(toKebabCase(path.join('.')))}, now ${formatCurrent(valueAt(entity, path))}`;
  const promptContext = { context, example: `iam ${operation.command}`, allowsPrompts: true, known: {} };
  const known = multiple ? { ...schema.items, ...schema } : schema;
  const [answer = ''] = await promptForValues(promptContext, [
    { name: flag, label, usage: `--${flag}`, schema: known, multiple },
  ]);
  setAtPath(set, path, parseFieldValue(field, [answer].flat().join(',')));
}

function formatCurrent(value: unknown): string {
  if (!Array.isArray(value)) return isRow(value) ? Object.values(value).map(formatValue).join(' ') : formatValue(value);
  const entries = value.map((entry) => formatCurrent(entry));
  return entries.length === 0 ? '(none)' : entries.join(', ');
}

function valueAt(entity: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return entity;
  return isRow(entity) ? valueAt(entity[name], rest) : undefined;
}
