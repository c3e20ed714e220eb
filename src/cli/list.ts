/** Lists: as many entries as asked for, over as many pages as that takes. */
import type { Command } from 'commander';
import { asPage } from '../client/answer.ts';
import type { CallInput, ResultPage, Scalar } from '../client/types.ts';
import type { ManifestOperation } from '../contract/manifest-types.ts';
import { addFieldOption, fieldOf } from './fields.ts';
import type { Options } from './leaf.ts';
import type { Context } from './runtime/context.ts';
import { usageError } from './runtime/failures.ts';
import type { ListShape } from './runtime/output.ts';
import { send } from './send.ts';

const usual = 100;
const longestPage = 1000;

export interface Extent {
  readonly all: boolean;
  readonly limit?: number | undefined;
}

/** One page of a list: the query holds limit and cursor. */
export type PageSource = (query: Readonly<Record<string, Scalar | undefined>>) => Promise<ResultPage<unknown>>;

/** Prints a list and says on standard error where more exist. */
export async function printList(
  context: Context,
  operation: ManifestOperation,
  input: CallInput,
  extent: Extent,
): Promise<void> {
  await printPages(context, pagesOf(context, operation, input), { schema: operation.response.schema }, extent);
}

/** The same for pages from anywhere. */
export async function printPages(
  context: Context,
  source: PageSource,
  shape: ListShape,
  extent: Extent,
): Promise<void> {
  const most = extent.all ? Number.POSITIVE_INFINITY : (extent.limit ?? usual);
  const state = { more: false };
  const count = await context.printer.list(pagesUpTo(source, most, state), shape);
  if (count === 0) context.notice('There are none.');
  if (state.more)
    context.notice(`More exist than ${count === 1 ? 'this one' : `these ${count}`}: add --all, or a higher --limit.`);
}

/** Every entry of a list. */
export async function allEntries(context: Context, operation: ManifestOperation): Promise<unknown[]> {
  const found: unknown[] = [];
  const source = pagesOf(context, operation, {});
  for await (const page of pagesUpTo(source, Number.POSITIVE_INFINITY, { more: false })) found.push(...page);
  return found;
}

/** How much of a list was asked for. */
export function extentOf(options: Options): Extent {
  const limit = options.limit as number | undefined;
  if (limit !== undefined && limit < 1) throw usageError('--limit must be at least 1.');
  return { all: options.all === true, ...(limit === undefined ? {} : { limit }) };
}

/** Adds the options of every list. */
export function addExtentOptions(command: Command): void {
  const schema = { type: 'integer', description: 'most entries to print; 100 where not given' };
  addFieldOption(command, fieldOf(['limit'], schema, false));
  command.option('--all', 'print every entry');
}

function pagesOf(context: Context, operation: ManifestOperation, input: CallInput): PageSource {
  return async (query) => asPage(await send(context, operation, { ...input, query: { ...input.query, ...query } }));
}

/** The next page is asked for when somebody takes it. */
async function* pagesUpTo(
  source: PageSource,
  most: number,
  state: { more: boolean },
): AsyncGenerator<readonly unknown[], void, undefined> {
  let left = most;
  let after: string | undefined;
  do {
    const page = await source({ limit: Math.min(left, longestPage), after });
    yield page.items;
    left -= page.items.length;
    after = page.next;
  } while (after !== undefined && left > 0);
  state.more = after !== undefined;
}
