/** Fields of a request as options: kebab-case names, lists repeated or comma-separated, nested objects with dots. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { JsonSchema } from '../../contract/manifest-types.ts';
import type { CommandOptions } from '../context.ts';
import { usageError } from '../errors.ts';

export interface Field {
  /** Path of its value in the body or the query. */
  readonly path: readonly string[];
  readonly flag: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
  /** Read from a file, never from the command line. */
  readonly secret: boolean;
}

/** Lists the fields of an object schema; nested fields are named with dots. */
export function listFields(schema: JsonSchema | undefined, above: readonly string[] = [], isRequired = true): Field[] {
  return Object.entries(schema?.properties ?? {}).flatMap(([name, declared]) => {
    const property = unwrapList(unwrapNullable(declared));
    const path = [...above, name];
    const required = isRequired && (schema?.required?.includes(name) ?? false);
    return property.properties ? listFields(property, path, required) : [createField(path, property, required)];
  });
}

/** A nullable field takes the same values as any other; empty text stands for null. */
function unwrapNullable(schema: JsonSchema): JsonSchema {
  const others = schema.anyOf?.filter(({ type }) => type !== 'null') ?? [];
  const [only] = others;
  if (!only || others.length !== 1 || schema.anyOf?.length !== 2) return schema;
  return { ...only, nullable: true, description: schema.description ?? only.description ?? '' };
}

/** A schema that accepts a list or text becomes a list option. */
function unwrapList(schema: JsonSchema): JsonSchema {
  const list = schema.anyOf?.find(({ type }) => type === 'array');
  return list ? { ...list, description: schema.description ?? list.description ?? '' } : schema;
}

/** Flags of fields whose names are too long for the column of options. */
const shortFlags: Readonly<Record<string, string>> = {
  postLogoutRedirectURIs: 'logout-uri',
  requirePushedAuthorizationRequests: 'require-par',
};

/** Creates a field; its flag is the path in kebab-case. */
export function createField(path: readonly string[], schema: JsonSchema, required: boolean): Field {
  const secret = schema.sensitive === 'secret';
  const names = path.map(
    (name, at) =>
      shortFlags[name] ?? toKebabCase(schema.type === 'array' && at === path.length - 1 ? toSingular(name) : name),
  );
  return { path, flag: names.join('.') + (secret ? '-file' : ''), required, schema, secret };
}

/** Converts `groupName` to `group-name`. */
export function toKebabCase(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase();
}

/** The singular of a list's name: `roles` becomes --role, `dependencies` becomes --dependency. */
export function toSingular(name: string): string {
  return name
    .replace(/ies$/, 'y')
    .replace(/sses$/, 'ss')
    .replace(/([^s])s$/, '$1');
}

/** Adds the option of a field. Required fields are checked after files are read. */
export function addFieldOption(command: Command, field: Field): void {
  command.addOption(createOption(field));
}

/** The option of a field that an empty value clears. */
export class ClearableOption extends Option {}

function createOption({ flag, path, schema, secret, required }: Field): Option {
  const isList = schema.type === 'array' && Object.keys(schema.items?.properties ?? {}).length <= 1;
  const notes = `${required ? ' (required)' : ''}${isList ? ' (repeatable or comma-separated)' : ''}${schema.nullable === true ? '; empty to clear' : ''}`;
  const description = lowerFirst(schema.description ?? '') + notes;
  if (secret) return new Option(`--${flag} <file>`, `${description}; read from a file, - is standard input`);
  if (schema.type === 'boolean')
    return new Option(`--${flag} [true|false]`, description).choices(['true', 'false']).preset('true');
  const kind = schema.nullable === true ? ClearableOption : Option;
  const option = new kind(`--${flag} <${placeholder(schema)}>`, description);
  if (schema.type === 'array')
    return option.argParser((value, previous) => collectValues(value, previous, path.join('.')));
  if (schema.enum) return option.choices(schema.enum.map(String));
  return schema.type === 'integer' ? option.argParser(parseInteger) : option;
}

/** The text with a small first letter, unless it starts with an abbreviation. */
export function lowerFirst(text: string): string {
  return text.replace(/^.(?![A-Z])/, (letter) => letter.toLowerCase());
}

function placeholder(schema: JsonSchema): string {
  if (schema.type === 'integer') return 'number';
  return schema.type === 'array' ? 'value..' : 'value';
}

/**
 * Collects the values of a list option, repeated or comma-separated.
 * @param field the list of a body, which `update` can empty
 */
export function collectValues(value: string, previous: unknown, field?: string): string[] {
  const values = splitList(value, ',');
  if (values === undefined) {
    const remedy = field === undefined ? '' : ` \`--set ${field}=\` of an update empties the list.`;
    throw new InvalidArgumentError(`An empty value is not allowed.${remedy}`);
  }
  return [...((previous as string[] | undefined) ?? []), ...values];
}

/** The entries of a list in a text, without spaces at their ends; undefined if one is empty. */
export function splitList(text: string, separator: string): string[] | undefined {
  const entries = text.split(separator).map((entry) => entry.trim());
  return entries.includes('') ? undefined : entries;
}

/** Why a text is not a whole number as JSON writes it: another spelling may be a code, such as a phone number. */
export function findIntegerProblem(text: string): string | undefined {
  if (/^-?(?:0|[1-9]\d*)$/.test(text))
    return Number.isSafeInteger(Number(text)) ? undefined : `numbers end at ${Number.MAX_SAFE_INTEGER}`;
  if (/^[-+]?0\d+$/.test(text)) return 'a number cannot keep a leading zero; write it without, if it has no meaning';
  if (/^\+\d+$/.test(text)) return 'write it without the plus sign';
  if (/^[-+]?\d+(?:[.,]\d+)?e[-+]?\d+$/i.test(text)) return 'write all its digits; a spreadsheet shortens long numbers';
  if (/^\s|\s$/.test(text)) return 'remove the space at its end or start';
  if (/^[-+]?\d[\d.,'\s_]*$/.test(text)) return 'write digits only, without separators and decimals';
  return 'write digits only';
}

/** Parses the value of a number option. @throws InvalidArgumentError. */
export function parseInteger(value: string): number {
  const problem = findIntegerProblem(value);
  if (problem !== undefined) throw new InvalidArgumentError(`Must be a whole number: ${problem}.`);
  return Number(value);
}

/** The commander attribute of a field's option. */
function optionAttribute({ flag }: Field): string {
  return flag.split('-').reduce((name, word) => name + word.slice(0, 1).toUpperCase() + word.slice(1));
}

/** The option value of a field, converted for the body or the query. */
export function readFieldOption(field: Field, options: CommandOptions): unknown {
  const typed = options[optionAttribute(field)];
  if (typed === undefined) return undefined;
  if (field.schema.type === 'boolean') return typed === 'true';
  if (field.schema.nullable === true && typed === '') return null;
  return Array.isArray(typed) ? typed.map((value: string) => toListItem(field, value)) : typed;
}

/** Parses text that no option parser has checked: `--set name=text`, or an answer. */
export function parseFieldValue(field: Field, text: string): unknown {
  const { schema, path } = field;
  if (text === '' && schema.nullable === true) return null;
  const wrong = (what: string) => usageError(`${path.join('.')} must be ${what}, not ${JSON.stringify(text)}.`);
  if (schema.type === 'boolean') {
    if (text !== 'true' && text !== 'false') throw wrong('true or false');
    return text === 'true';
  }
  if (schema.type === 'integer') {
    const problem = findIntegerProblem(text);
    if (problem !== undefined)
      throw usageError(`${path.join('.')} must be a whole number, not ${JSON.stringify(text)}: ${problem}.`);
    return Number(text);
  }
  if (schema.type !== 'array') return text;
  if (text === '') return [];
  const entries = splitList(text, ',');
  if (entries === undefined)
    throw usageError(`${path.join('.')} must not have an empty entry between commas, as in ${JSON.stringify(text)}.`);
  return entries.map((entry) => toListItem(field, entry));
}

/** Items with a single field, such as `{groupName}`, are entered as the values of that field. */
export function toListItem({ schema, flag }: Field, value: string): unknown {
  const names = Object.keys(schema.items?.properties ?? {});
  if (names.length === 0) return value;
  const [name] = names;
  if (names.length > 1 || name === undefined)
    throw usageError(`--${flag} is not supported on the command line; pass it in a file with -f.`);
  return { [name]: value };
}

/** Adds the option of a file with the body of a request, and shows the lists in it. */
export function addFileOption(command: Command, body: JsonSchema | undefined, description: string): void {
  const lists = formatListShapes(body, '');
  command.option('-f, --file <file>', lists.length === 0 ? description : `${description}; lists: ${lists.join(', ')}`);
}

/** The lists of a body as they are written in YAML: `dependencies: [{groupName: GROUP-NAME}, ..]`. */
export function formatListShapes(schema: JsonSchema | undefined, path: string): readonly string[] {
  const { type, items, properties = {} } = unwrapList(unwrapNullable(schema ?? {}));
  if (type !== 'array')
    return Object.entries(properties).flatMap(([name, property]) =>
      formatListShapes(property, path === '' ? name : `${path}.${name}`),
    );
  const fields = Object.keys(items?.properties ?? {});
  const value = (name: string) => toKebabCase(name).toUpperCase();
  const entry =
    fields.length === 0
      ? value(toSingular(path.split('.').at(-1) ?? ''))
      : `{${fields.map((name) => `${name}: ${value(name)}`).join(', ')}}`;
  return [`${path === '' ? '' : `${path}: `}[${entry}, ..]`];
}

/** Sets a value in an object at a path. */
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
