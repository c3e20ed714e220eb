/** Names in the error of a rejected request what was not found. */
import { ClientError } from '../../client/errors.ts';
import type { ManifestField } from '../../contract/manifest-types.ts';
import { type ErrorTable, errorEntryOf } from '../errors.ts';

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
  const [first, ...others] = error.items;
  if (entry?.category !== 'not-found' || first === undefined) return error;
  const values = fields
    .filter(({ schema }) => entry.entity === undefined || schema['x-reference']?.entity === entry.entity)
    .flatMap(({ name }) => sent[name] ?? []);
  if (values.length === 0) return error;
  const message = `${values.map(String).join(', ')}: ${first.message}`;
  return new NamedNotFoundError(error, [{ ...first, message }, ...others]);
}
