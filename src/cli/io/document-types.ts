/** Finds values in the body of a file that have another JSON type than the operation declares. */
import type { JsonSchema } from '../../contract/manifest-types.ts';
import { usageError } from '../errors.ts';

interface TypeProblem {
  /** `roles must be a list, not "ADMIN"` */
  readonly message: string;
  /** What to write, such as `["ADMIN"]`. */
  readonly remedy: string | undefined;
}

/** @throws CliError (exit 2) with the path, the value and what to write */
export function assertBodyTypes(schema: JsonSchema | undefined, body: unknown): void {
  const problem = findTypeProblem(schema ?? {}, body, '');
  if (!problem) return;
  throw usageError(`${problem.message}; nothing was sent.`, problem.remedy && `Write ${problem.remedy}.`);
}

/** The first value of another type. Null is none: it stands for no value. */
export function findTypeProblem(schema: JsonSchema, value: unknown, path: string): TypeProblem | undefined {
  if (value === null || value === undefined) return undefined;
  const choices = (schema.anyOf ?? schema.oneOf)?.filter(({ type }) => type !== 'null');
  if (choices) {
    const problems = choices.map((choice) => findTypeProblem(choice, value, path));
    return problems.includes(undefined) ? undefined : problems[0];
  }
  const expected = [schema.type ?? []].flat();
  if (expected.length === 1 && !isOfType(String(expected[0]), value)) return describeProblem(schema, value, path);
  if (Array.isArray(value)) return findFirst(value.map((entry, at) => [schema.items, entry, `${path}[${at}]`]));
  if (typeof value !== 'object') return undefined;
  const prefix = path === '' ? '' : `${path}.`;
  return findFirst(
    Object.entries(schema.properties ?? {}).map(([name, property]) => [
      property,
      (value as Record<string, unknown>)[name],
      prefix + name,
    ]),
  );
}

function findFirst(values: readonly [JsonSchema | undefined, unknown, string][]): TypeProblem | undefined {
  for (const [schema = {}, value, path] of values) {
    const problem = findTypeProblem(schema, value, path);
    if (problem) return problem;
  }
  return undefined;
}

/** Whether a value has a type of JSON Schema. */
export function isOfType(type: string, value: unknown): boolean {
  const actual = typeOf(value);
  return actual === type || (type === 'number' && actual === 'integer');
}

/** The JSON type of a value. */
export function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

const typeNames: Readonly<Record<string, string>> = {
  array: 'a list',
  object: 'an object',
  string: 'a string',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
};

function describeProblem(schema: JsonSchema, value: unknown, path: string): TypeProblem {
  const seen = typeOf(value);
  const isShort = seen !== 'array' && seen !== 'object' && schema.sensitive === undefined;
  const shown = isShort ? JSON.stringify(value) : (typeNames[seen] ?? seen);
  const remedy = schema.sensitive === undefined ? toRemedy(schema, value) : undefined;
  return { message: `${path || 'The body'} must be ${typeNames[String(schema.type)]}, not ${shown}`, remedy };
}

/** The value as JSON of the type, or the fields that an object has. */
function toRemedy(schema: JsonSchema, value: unknown): string | undefined {
  if (schema.type === 'array') {
    const items = schema.items ?? {};
    const entry = findTypeProblem(items, value, '') ? toRemedy(items, value) : JSON.stringify(value);
    return entry && `[${entry}]`;
  }
  if (schema.type === 'object') {
    const [[name, only] = [], ...others] = Object.entries(schema.properties ?? {});
    const isOnly = others.length === 0 && !findTypeProblem(only ?? {}, value, '');
    if (isOnly) return JSON.stringify({ [name ?? '']: value });
    const names = schema.required ?? [name];
    return `{${names.map((one) => `"${one}": ..`).join(', ')}}`;
  }
  if (typeof value === 'object') return undefined;
  if (schema.type === 'string') return JSON.stringify(String(value));
  const isReadable = schema.type === 'boolean' ? /^(?:true|false)$/ : /^-?(?:0|[1-9]\d{0,14})$/;
  return isReadable.test(String(value)) ? String(value) : undefined;
}
