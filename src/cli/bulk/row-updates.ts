/** How rows update what exists. */
import type { CallInput } from '../../client/types.ts';
import type { ManifestOperation } from '../../contract/manifest-types.ts';
import type { Context } from '../context.ts';

export interface RowSuccess {
  readonly status?: number;
  readonly body?: unknown;
  readonly requestId?: string | undefined;
  /** Why nothing was sent, or why the row counts as done. */
  readonly message?: string;
}

export interface RowUpdates {
  /** Whether rows of an operation change only the fields that they name, although its request replaces the entity. */
  has(operation: ManifestOperation): boolean;
  /** Sends such a row. */
  send(context: Context, operation: ManifestOperation, input: CallInput): Promise<RowSuccess>;
}
