/** Lists: as many entries as asked for, over as many pages as that takes. */
import { asPage } from '../client/answer.ts';
import type { CallInput } from '../client/types.ts';
import type { ManifestOperation } from '../contract/manifest-types.ts';
import type { Context } from './runtime/context.ts';
import { send } from './send.ts';

const usual = 100;
const longestPage = 1000;

export interface Extent {
  readonly all: boolean;
  readonly limit?: number | undefined;
}

/** Prints a list and says on standard error where more exist. */
export async function printList(
  context: Context,
  operation: ManifestOperation,
  input: CallInput,
  extent: Extent,
): Promise<void> {
  const most = extent.all ? Number.POSITIVE_INFINITY : (extent.limit ?? usual);
  const state = { more: false };
  const count = await context.printer.list(entries(context, operation, input, most, state), operation.response.schema);
  if (count === 0) context.notice('There are none.');
  if (state.more) context.notice(`More exist than these ${count}: add --all, or a higher --limit.`);
}

/** Every entry of a list. */
export async function allEntries(context: Context, operation: ManifestOperation): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const entry of entries(context, operation, {}, Number.POSITIVE_INFINITY, { more: false }))
    found.push(entry);
  return found;
}

async function* entries(
  context: Context,
  operation: ManifestOperation,
  input: CallInput,
  most: number,
  state: { more: boolean },
): AsyncGenerator<unknown, void, undefined> {
  let left = most;
  let after: string | undefined;
  do {
    const query = { ...input.query, limit: Math.min(left, longestPage), after };
    const page = asPage(await send(context, operation, { ...input, query }));
    yield* page.items;
    left -= page.items.length;
    after = page.next;
  } while (after !== undefined && left > 0);
  state.more = after !== undefined;
}
