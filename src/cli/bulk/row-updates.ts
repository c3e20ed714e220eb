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

/** Sends a row that changes only the fields that it names, although the request of its operation replaces the entity. */
export type RowUpdate = (context: Context, input: CallInput) => Promise<RowSuccess>;

/** Returns how rows of an operation are sent; undefined for an operation that is sent as it is. */
export type FindRowUpdate = (operation: ManifestOperation) => RowUpdate | undefined;
