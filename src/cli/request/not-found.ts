/** Names in the error of a rejected request what was not found. */
import { ClientError } from '../../client/errors.ts';
import type { CallInput } from '../../client/types.ts';
import type { ManifestField, ManifestOperation } from '../../contract/manifest-types.ts';
import { type ErrorTable, errorEntryOf } from '../errors.ts';
import { showRejectedValues } from '../output/rejected-values.ts';
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
  const values = fields
    .filter(({ schema }) => entry.entity === undefined || schema['x-reference']?.entity === entry.entity)
    .flatMap(({ name }) => sent[name] ?? []);
  if (values.length === 0) return error;
  return addValues(error, values);
}

/** Adds the only value of a body that refers to another object to the error of an unknown one; of several, any can be meant. */
function nameUnknownReference(table: ErrorTable, operation: ManifestOperation, body: unknown, error: unknown): unknown {
  if (!(error instanceof ClientError)) return error;
  const entry = errorEntryOf(table, error.code);
  const isOfBody = entry?.category === 'unknown-reference' || entry?.category === 'not-found';
  if (!isOfBody || error instanceof NamedNotFoundError || error.details?.field !== undefined) return error;
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
  const shown = showRejectedValues(error, input.body, operation.body);
  const named = nameMissing(table, operation.params, input.params ?? {}, shown);
  return nameUnknownReference(table, operation, input.body, named);
}

function addValues(error: ClientError, values: readonly unknown[]): ClientError {
  const [first, ...others] = error.items;
  if (first === undefined) return error;
  const message = `${values.map(String).join(', ')}: ${first.message}`;
  return new NamedNotFoundError(error, [{ ...first, message }, ...others]);
}
