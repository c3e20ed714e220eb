/** Shows the value that a server rejects, in place of its index: `userEmail "a"`, and `roles "a"`, not `roles[3]`. */
import { ClientError, type ClientErrorItem } from '../../client/errors.ts';
import type { JsonSchema, ManifestField } from '../../contract/manifest-types.ts';

/** Values of a request, and their schema. */
interface SentValues {
  readonly values: unknown;
  readonly schema: JsonSchema | undefined;
}

/** The values of a path or a query, with the schemas of its parameters. */
export function sentParameters(values: object | undefined, fields: readonly ManifestField[]): SentValues {
  return { values, schema: { properties: Object.fromEntries(fields.map(({ name, schema }) => [name, schema])) } };
}

/** Adds the rejected values to the messages of an error, in place of their index. `sent`: those of body, query and path. */
export function showRejectedValues(error: unknown, sent: readonly SentValues[]): unknown {
  if (!(error instanceof ClientError)) return error;
  const items = error.items.map(
    (item) => sent.map((one) => showValue(item, one)).find((shown) => shown !== item) ?? item,
  );
  if (items.every((item, at) => item === error.items[at])) return error;
  const { status, requestId, retryAfter } = error;
  return new ClientError({ status, requestId, retryAfter, items });
}

/** The names and indexes of the path to a field, `groups[0].roles`. */
export function splitField(field: string): readonly string[] {
  return field
    .replace(indexes, '.$1')
    .split('.')
    .filter((part) => part !== '');
}

const indexes = /\[(\d+)\]/g;

function showValue(item: ClientErrorItem, { values: body, schema }: SentValues): ClientErrorItem {
  const { field } = item.details ?? {};
  if (field === undefined || (field.match(indexes)?.length ?? 0) > 1) return item;
  const path = splitField(field);
  const value = valueAt(body, path);
  const isShown = (typeof value === 'string' || typeof value === 'number') && !isSensitive(schema, path);
  if (!isShown || !isOnlyValue(body, path)) return item;
  const name = field.replace(indexes, '').replace(/^\./, '');
  const shown = [name, JSON.stringify(value)].filter((part) => part !== '').join(' ');
  return { ...item, message: item.message.replace(field, () => shown) };
}

/** Whether the value is in no list, or its entry has no other value: the index of another entry is its place in a file. */
function isOnlyValue(body: unknown, path: readonly string[]): boolean {
  const at = path.findIndex((part) => /^\d+$/.test(part));
  if (at === -1) return true;
  const entry = valueAt(body, path.slice(0, at + 1));
  return typeof entry !== 'object' || entry === null || (path.length === at + 2 && Object.keys(entry).length === 1);
}

function valueAt(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined || typeof value !== 'object' || value === null) return value;
  return Object.hasOwn(value, name) ? valueAt((value as Readonly<Record<string, unknown>>)[name], rest) : undefined;
}

/** Also for a value that no schema declares. */
function isSensitive(schema: JsonSchema | undefined, [name, ...rest]: readonly string[]): boolean {
  if (schema === undefined || schema.sensitive !== undefined) return true;
  if (name === undefined) return false;
  return isSensitive(schema.properties?.[name] ?? (/^\d+$/.test(name) ? schema.items : undefined), rest);
}
