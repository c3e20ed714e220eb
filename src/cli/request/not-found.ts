/** Names in the error of a rejected request what was not found. */
import { ClientError } from '../../client/errors.ts';
import type { EntityName } from '../../contract/entities.ts';
import type { ManifestOperation } from '../../contract/manifest-types.ts';
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

interface MissingCandidate {
  readonly entity: EntityName | undefined;
  readonly value: string;
}

/** Adds the values of the path to the error of an unknown object: those of its kind, or all if the error has no kind. */
export function nameMissing(
  table: ErrorTable,
  { params: declared }: Pick<ManifestOperation, 'params'>,
  params: Readonly<Record<string, unknown>> | undefined,
  error: unknown,
): unknown {
  const candidates = declared.flatMap(({ name, schema }) => {
    const value = params?.[name];
    return value === undefined ? [] : [{ entity: schema['x-reference']?.entity, value: String(value) }];
  });
  return nameMissingOf(table, candidates, error);
}

/** Adds what a command looked up to the error of an unknown object. */
export function nameMissingOf(table: ErrorTable, candidates: readonly MissingCandidate[], error: unknown): unknown {
  if (!(error instanceof ClientError)) return error;
  const entry = errorEntryOf(table, error.code);
  const [first, ...others] = error.items;
  if (entry?.category !== 'not-found' || first === undefined) return error;
  const values = candidates.filter(({ entity }) => entry.entity === undefined || entity === entry.entity);
  if (values.length === 0) return error;
  const message = `${values.map(({ value }) => value).join(', ')}: ${first.message}`;
  return new NamedNotFoundError(error, [{ ...first, message }, ...others]);
}
