/** Looks up errors of the server in the error table. */
import { ClientError } from '../client/errors.ts';
import type { ErrorCategory } from '../contract/error-codes.ts';
import type { Manifest, ManifestError } from '../contract/manifest-types.ts';

/** The part of the manifest that has the error table. It is loaded on first use, so pass it on unread. */
export type ErrorTable = Pick<Manifest, 'errors'>;

/** The entry of a code; undefined for a code of a newer server or a proxy. */
export function errorEntryOf(table: ErrorTable, code: string): ManifestError | undefined {
  return table.errors.find((entry) => entry.code === code);
}

/** The category of a rejected request; undefined for other failures and for unknown codes. */
export function categoryOf(table: ErrorTable, error: unknown): ErrorCategory | undefined {
  return error instanceof ClientError ? errorEntryOf(table, error.code)?.category : undefined;
}
