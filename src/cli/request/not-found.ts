/** Names in the error of a rejected request what was not found. */
import { ClientError } from '../../client/errors.ts';
import type { CallInput } from '../../client/types.ts';
import type { ManifestField, ManifestOperation } from '../../contract/manifest-types.ts';
import { type ErrorTable, errorEntryOf } from '../errors.ts';
import { sentParameters, showRejectedValues } from '../output/rejected-values.ts';
import { listReferences } from './request-spec.ts';

/** The error of an unknown object, with what was not found in its message. */
export class NamedNotFoundError extends ClientError {
  /** The error as the server sent it, for reports that name the object otherwise. */
  readonly plain: ClientError;

  constructor(plain: ClientError, items: ClientError['items']) {
    super({ status: plain.status, requestId: plain.requestId, retryAfter: plain.retryAfter, items });
    this.plain = plain;
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
  if (entry?.category !== 'not-found') return error;
  const field = error.details?.field;
  const values = fields
    .filter(({ name }) => field === undefined || name === field)
    .filter(({ schema }) => entry.entity === undefined || schema['x-reference']?.entity === entry.entity)
    .flatMap(({ name }) => sent[name] ?? []);
  if (values.length === 0) return error;
  return addValues(error, values);
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

/** The error of an operation, with the values that the service rejects or does not know, never those of sensitive fields. */
export function nameRejected(
  table: ErrorTable,
  operation: ManifestOperation,
  input: CallInput,
  error: unknown,
): unknown {
  const shown = showRejectedValues(error, [
    { values: input.body, schema: operation.body },
    sentParameters(input.query, operation.query),
    sentParameters(input.params, operation.params),
  ]);
  const named = nameMissing(table, operation.params, input.params ?? {}, shown);
  return nameMissingInBody(table, operation, input.body, named);
}

function addValues(error: ClientError, values: readonly unknown[]): ClientError {
  const [first, ...others] = error.items;
  if (first === undefined) return error;
  const message = `${values.map(String).join(', ')}: ${first.message}`;
  return new NamedNotFoundError(error, [{ ...first, message }, ...others]);
}
