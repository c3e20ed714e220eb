/** How rows update what exists. */
import type { CallInput } from '../../client/types.ts';
import type { ManifestOperation } from '../../contract/manifest-types.ts';
import type { Context } from '../context.ts';
import { repeatOnChange } from '../request/call-operation.ts';
import { nameRejected } from '../request/not-found.ts';
import { NameResolver } from '../request/resolve-names.ts';
import { classifyRequestError } from './request-failure.ts';
import { type BulkRow, resolveRow } from './rows.ts';

export interface RowSuccess {
  readonly status?: number;
  readonly body?: unknown;
  readonly requestId?: string | undefined;
  /** Why nothing was sent, or why the row counts as done. */
  readonly message?: string;
}

/** What a row changes of an entity. */
export interface RowChange {
  /** The request; undefined if there is nothing to change. */
  readonly input: CallInput | undefined;
  /** A line for each difference, with names. */
  describe(): Promise<readonly string[]>;
}

/** Changes only the fields that a row names, also where the request of its operation replaces the entity. */
export interface RowUpdate {
  /** Reads the entity. @throws ClientError, or CliError (exit 2) for a value that is not valid */
  prepare(context: Context, input: CallInput): Promise<RowChange>;
  /** Whether an entity with the new name that the row gives has the values of the row. */
  isRenamed(context: Context, input: CallInput): Promise<boolean>;
}

/** Returns how rows of an operation are sent; undefined for an operation that is sent as it is. */
export type FindRowUpdate = (operation: ManifestOperation) => RowUpdate | undefined;

const unchanged = 'nothing to change';

/** Sends the change of a row; reads again if the entity was changed in between. */
export async function sendRowUpdate(
  context: Context,
  update: RowUpdate,
  { operation, input }: Pick<BulkRow, 'operation' | 'input'>,
): Promise<RowSuccess> {
  const { once } = await context.connect();
  const send = async (): Promise<RowSuccess> => {
    const change = await update.prepare(context, input);
    return change.input ? once.call(operation.id, change.input) : { message: unchanged };
  };
  return input.ifMatch === undefined ? repeatOnChange(context, send) : send();
}

export interface RowPreview {
  /** The request; undefined if none would be sent. */
  readonly input?: CallInput | undefined;
  /** What an update changes, or why it would be rejected. */
  readonly message?: string;
}

/** What a row that updates would send. */
export async function previewRowUpdate(context: Context, update: RowUpdate, row: BulkRow): Promise<RowPreview> {
  const { manifest } = context;
  try {
    const { input } = await resolveRow(new NameResolver(context, true), row);
    const change = await update.prepare(context, input);
    return change.input
      ? { input: change.input, message: (await change.describe()).join(', ') }
      : { message: unchanged };
  } catch (error) {
    const problem = classifyRequestError(manifest, nameRejected(manifest, row.operation, row.input, error));
    if (problem?.kind !== 'rejected') throw error;
    return { message: problem.message };
  }
}
