/** Fields of a request as options: names in kebab-case, lists repeated or with commas, objects by dots. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { JsonSchema } from '../contract/manifest-types.ts';
import type { CommandOptions } from './command.ts';
import { usageError } from './runtime/errors.ts';

export interface Field {
  /** Where its value goes in the body or the query. */
  readonly path: readonly string[];
  readonly flag: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
  /** Read from a file, never typed. */
  readonly secret: boolean;
}

/** The fields of an object schema; those of objects within it by dots. */
export function listFields(schema: JsonSchema | undefined, above: readonly string[] = [], isRequired = true): Field[] {
  return Object.entries(schema?.properties ?? {}).flatMap(([name, declared]) => {
    const property = unwrapList(unwrapNullable(declared));
    const path = [...above, name];
    const required = isRequired && (schema?.required?.includes(name) ?? false);
    return property.properties ? listFields(property, path, required) : [createField(path, property, required)];
  });
}

/** A field that may be null is typed like any other; the empty text clears it. */
function unwrapNullable(schema: JsonSchema): JsonSchema {
  const others = schema.anyOf?.filter(({ type }) => type !== 'null') ?? [];
  const [only] = others;
  if (!only || others.length !== 1 || schema.anyOf?.length !== 2) return schema;
  return { ...only, nullable: true, description: schema.description ?? only.description ?? '' };
}

/** A list that may come as text as well is typed as a list. */
function unwrapList(schema: JsonSchema): JsonSchema {
  const list = schema.anyOf?.find(({ type }) => type === 'array');
  return list ? { ...list, description: schema.description ?? list.description ?? '' } : schema;
}

/** One field, named by the last part of its path. */
export function createField(path: readonly string[], schema: JsonSchema, required: boolean): Field {
  const secret = schema.sensitive === 'secret';
  const names = path.map((name, at) =>
    toKebabCase(schema.type === 'array' && at === path.length - 1 ? toSingular(name) : name),
  );
  return { path, flag: names.join('.') + (secret ? '-file' : ''), required, schema, secret };
}

/** `groupName` as it is typed: `group-name`. */
export function toKebabCase(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase();
}

/** `roles` is given as --role, `dependencies` as --dependency. */
export function toSingular(name: string): string {
  return name
    .replace(/ies$/, 'y')
    .replace(/sses$/, 'ss')
    .replace(/([^s])s$/, '$1');
}

/** Adds the option of a field. Whether a required one is there is checked once files were read. */
export function addFieldOption(command: Command, field: Field): void {
  command.addOption(createOption(field));
}

function createOption({ flag, schema, secret, required }: Field): Option {
  const notes = `${required ? ' (required)' : ''}${schema.nullable === true ? '; empty to clear' : ''}`;
  const description = `${(schema.description ?? '').replace(/^.(?![A-Z])/, (letter) => letter.toLowerCase())}${notes}`;
  if (secret) return new Option(`--${flag} <file>`, `${description}; read from a file, - is standard input`);
  if (schema.type === 'boolean')
    return new Option(`--${flag} [yes]`, description).choices(['true', 'false']).preset('true');
  const option = new Option(`--${flag} <${placeholder(schema)}>`, description);
  if (schema.type === 'array') return option.argParser(collectValues);
  if (schema.enum) return option.choices(schema.enum.map(String));
  return schema.type === 'integer' ? option.argParser(parseInteger) : option;
}

function placeholder(schema: JsonSchema): string {
  if (schema.type === 'integer') return 'number';
  return schema.type === 'array' ? 'value..' : 'value';
}

/** Values of a list option, given again and again or with commas. */
export function collectValues(value: string, previous: unknown): string[] {
  const values = value.split(',').map((part) => part.trim());
  if (values.includes('')) throw new InvalidArgumentError('An empty value is not allowed.');
  return [...((previous as string[] | undefined) ?? []), ...values];
}

const wholeNumber = /^-?\d{1,15}$/;

function parseInteger(value: string): number {
  if (!wholeNumber.test(value)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(value);
}

/** The name under which commander keeps the value of a field's option. */
export function optionAttribute({ flag }: Field): string {
  return flag.split('-').reduce((name, word) => name + word.slice(0, 1).toUpperCase() + word.slice(1));
}

/** What was typed for a field, as the body or the query takes it. */
export function readFieldOption(field: Field, options: CommandOptions): unknown {
  const typed = options[optionAttribute(field)];
  if (typed === undefined) return undefined;
  if (field.schema.type === 'boolean') return typed === 'true';
  if (field.schema.nullable === true && typed === '') return null;
  return Array.isArray(typed) ? typed.map((value: string) => toListItem(field, value)) : typed;
}

/** The value that a text stands for where no option has checked it: `--set name=text`, or a cell of CSV. */
export function parseFieldValue(
  field: Field,
  text: string,
  separator = ',',
  readItem: (item: string) => string = (item) => item,
): unknown {
  const { schema, path } = field;
  if (text === '' && schema.nullable === true) return null;
  const wrong = (what: string) => usageError(`${path.join('.')} must be ${what}, not ${JSON.stringify(text)}.`);
  if (schema.type === 'boolean') {
    if (text !== 'true' && text !== 'false') throw wrong('true or false');
    return text === 'true';
  }
  if (schema.type === 'integer') {
    if (!wholeNumber.test(text)) throw wrong('a whole number');
    return Number(text);
  }
  if (schema.type !== 'array') return text;
  return text === '' ? [] : text.split(separator).map((value) => toListItem(field, readItem(value.trim())));
}

/** A list of objects with one field, such as `{groupName}`, is typed as the values of that field. */
function toListItem({ schema, flag }: Field, value: string): unknown {
  const names = Object.keys(schema.items?.properties ?? {});
  if (names.length === 0) return value;
  const [name] = names;
  if (names.length > 1 || name === undefined) throw usageError(`--${flag} can't be typed; give it in a file with -f.`);
  return { [name]: value };
}

/** Puts a value into an object at a path. */
export function setAtPath(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [name = '', ...rest] = path;
  if (rest.length === 0) {
    target[name] = value;
    return;
  }
  const below = (target[name] ?? {}) as Record<string, unknown>;
  target[name] = below;
  setAtPath(below, rest, value);
}
