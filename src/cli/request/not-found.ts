/** Names in the error of a rejected request what was not found. */
import { ClientError, type ClientErrorItem } from '../../client/errors.ts';
import type { CallInput } from '../../client/types.ts';
import { idPropertyOf, type Reference } from '../../contract/entities.ts';
import type { ErrorCode } from '../../contract/errors.ts';
import type { ManifestError, ManifestField, ManifestOperation } from '../../contract/manifest-types.ts';
import { singleQuote } from '../../lib/shell-variables.ts';
import { type ErrorTable, errorEntryOf, HintedClientError } from '../errors.ts';
import { sentParameters, showRejectedValues } from '../output/rejected-values.ts';
import { listReferences } from './request-spec.ts';

/** The error of an unknown object, with what was not found in its message. */
export class NamedNotFoundError extends HintedClientError {
  /** The error as the server sent it, for reports that name the object otherwise. */
  readonly plain: ClientError;
  readonly #values: readonly string[];

  /** @param values those in the message of the first item */
  constructor(plain: ClientError, items: ClientError['items'], values: readonly string[] = []) {
    const { status, requestId, retryAfter } = plain;
    super(
      new ClientError({ status, requestId, retryAfter, items }),
      plain instanceof HintedClientError ? plain.hint : undefined,
    );
    this.plain = plain;
    this.#values = values;
  }

  /** The same error, with the names of the values. */
  withNames(format: (value: string) => string): NamedNotFoundError {
    return this.#values.length === 0 ? this : addValues(this.plain, this.#values, format);
  }
}

/**
 * Adds the values of a request to the error of an unknown object: those of its kind, or all if the error has no kind.
 * @param fields the fields that refer to what can be missing
 */
export function nameMissing(
  table: ErrorTable,
  fields: readonly Pick<ManifestField, 'name' | 'schema'>[],
  sent: Readonly<Record<string, unknown>>,
  error: unknown,
): unknown {
  if (!(error instanceof ClientError)) return error;
  const entry = errorEntryOf(table, error.code);
  if (entry?.category !== 'not-found' || error instanceof NamedNotFoundError) return error;
  const field = error.details?.field;
  const values = fields
    .filter(({ name }) => field === undefined || name === field)
    .filter(({ schema }) => entry.entity === undefined || schema['x-reference']?.entity === entry.entity)
    .flatMap(({ name }) => sent[name] ?? []);
  if (values.length === 0) return error;
  return addValues(new HintedClientError(error, listHint(entry, fields, sent)), values.map(String));
}

/**
 * Names the list of what a path can have, where it depends on the objects above it: `users factors list alice`; else the hint
 * of the table, for the group of the path.
 */
function listHint(
  { entity, hint }: ManifestError,
  fields: readonly Pick<ManifestField, 'name' | 'schema'>[],
  sent: Readonly<Record<string, unknown>>,
): string {
  const at = fields.findIndex(({ schema }) => schema['x-reference']?.entity === entity);
  const among = fields[at]?.schema['x-reference']?.among;
  if (entity === undefined || !among || !('command' in among))
    return hint.replace(/`iam groups (get|members)`/g, (command, verb: string) => {
      const group = fields.find(({ schema }) => schema['x-reference']?.entity === 'group')?.name ?? '';
      return sent[group] === undefined ? command : `\`iam groups ${verb} ${singleQuote(String(sent[group]))}\``;
    });
  const above = fields.slice(0, at).map(({ name }) => singleQuote(String(sent[name])));
  return `List them with \`${['iam', among.command, ...above].join(' ')}\`.`;
}

/**
 * Adds the only value of a body that refers to the missing object to its error; of several, any can be meant. The service
 * names an unknown reference itself.
 */
function nameMissingInBody(table: ErrorTable, operation: ManifestOperation, body: unknown, error: unknown): unknown {
  if (!(error instanceof ClientError)) return error;
  const entry = errorEntryOf(table, error.code);
  if (entry?.category !== 'not-found' || error instanceof NamedNotFoundError) return error;
  // An application names no single client.
  const references = listReferences(operation, { params: {}, query: {}, body }).filter(
    ({ reference: { entity, by } }) => by.includes('id') && (entry.entity === undefined || entity === entry.entity),
  );
  const values = new Set(references.map(({ value }) => value));
  return values.size === 1 ? addValues(error, [...values]) : error;
}

/** The codes of values that do not have the form of their field. */
const formCodes: readonly string[] = ['PATH_VALUE', 'FIELD_VALUE'] satisfies ErrorCode[];

/**
 * A typed name in a form that no id has, such as one with a space, is the name of nothing: the error of an unknown object for
 * the rejection of its form. Undefined if a rejected value refers to no object.
 */
export function findUnnamable(
  table: ErrorTable,
  request: Pick<ManifestOperation, 'params' | 'query' | 'body'>,
  { params = {}, query = {}, body }: CallInput,
  error: unknown,
): NamedNotFoundError | undefined {
  if (!(error instanceof ClientError) || !error.items.some(({ code }) => formCodes.includes(code))) return undefined;
  const references = listReferences(request, { params, query, body });
  const found = error.items.map(({ code, details }) => {
    const sent = references.find(({ field }) => formCodes.includes(code) && field === details?.field);
    const entry = sent && notFoundEntryOf(table, sent.reference);
    return entry && { sent, entry };
  });
  const [first] = found;
  if (!first) return undefined;
  const itemsWith = (format: (value: string, message: string) => string) =>
    error.items.map((item, at): ClientErrorItem => {
      const unknown = found[at];
      if (!unknown) return item;
      const { code, message } = unknown.entry;
      return { ...item, code, message: format(unknown.sent.value, message) };
    });
  const { requestId, retryAfter } = error;
  const items = itemsWith((_, message) => message);
  const plain = new HintedClientError(
    new ClientError({ status: first.entry.status, requestId, retryAfter, items }),
    listHint(first.entry, request.params, params),
  );
  return new NamedNotFoundError(plain, itemsWith(nameValue));
}

/** The error of an unknown object that a reference identifies. An application, or a name beside an id, is of no single one. */
function notFoundEntryOf(table: ErrorTable, { entity, by }: Reference): ManifestError | undefined {
  const code: ErrorCode = 'SERVICE_NOT_FOUND';
  if (by[0] === 'serviceAccount') return errorEntryOf(table, code);
  if (!by.includes(idPropertyOf(entity) === '' ? 'name' : 'id')) return undefined;
  return table.errors.find((entry) => entry.category === 'not-found' && entry.entity === entity);
}

/** The error of an object that does not exist; undefined if the reference names none by what identifies it. */
export function notFoundError(table: ErrorTable, reference: Reference, value: string): NamedNotFoundError | undefined {
  const entry = notFoundEntryOf(table, reference);
  if (!entry) return undefined;
  const { status, code, message } = entry;
  const plain = new ClientError({ status, items: [{ code, message }] });
  return new NamedNotFoundError(plain, [{ code, message: nameValue(value, message) }]);
}

/** The error of an operation, with the values that the service rejects or does not know, never those of sensitive fields. */
export function nameRejected(
  table: ErrorTable,
  operation: ManifestOperation,
  input: CallInput,
  error: unknown,
): unknown {
  const unnamable = findUnnamable(table, operation, input, error);
  if (unnamable) return unnamable;
  const shown = showRejectedValues(error, [
    { values: input.body, schema: operation.body },
    sentParameters(input.query, operation.query),
    sentParameters(input.params, operation.params),
  ]);
  const named = nameMissing(table, operation.params, input.params ?? {}, shown);
  return nameMissingInBody(table, operation, input.body, named);
}

function addValues(
  error: ClientError,
  values: readonly string[],
  format = (value: string) => value,
): NamedNotFoundError {
  const items = error.items.map((item, at) =>
    at === 0 ? { ...item, message: nameValue(values.map(format).join(', '), item.message) } : item,
  );
  return new NamedNotFoundError(error, items, values);
}

function nameValue(value: string, message: string): string {
  return `${value}: ${message}`;
}
