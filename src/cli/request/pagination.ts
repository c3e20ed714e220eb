/** Prints lists up to the requested limit, over several pages if needed. */
import type { Command } from 'commander';
import { asPage } from '../../client/response.ts';
import type { CallInput, ResultPage, Scalar } from '../../client/types.ts';
import type { ManifestOperation } from '../../contract/manifest-types.ts';
import type { CommandOptions, Context } from '../context.ts';
import { usageError } from '../errors.ts';
import type { ListShape } from '../output/list-writer.ts';
import { addFieldOption, createField } from './field-options.ts';
import { send } from './send.ts';

const defaultLimit = 100;
const maxPageSize = 1000;

export interface ListLimits {
  readonly all: boolean;
  readonly limit?: number | undefined;
}

/** Returns one page of a list; the query contains limit and cursor. */
export type PageSource = (query: Readonly<Record<string, Scalar | undefined>>) => Promise<ResultPage<unknown>>;

/** Prints a list, and a notice on standard error if more entries exist. */
export async function printList(
  context: Context,
  operation: ManifestOperation,
  input: CallInput,
  limits: ListLimits,
): Promise<void> {
  await printPages(context, createPageSource(context, operation, input), { schema: operation.response.schema }, limits);
}

/** Prints the pages of any source. */
export async function printPages(
  context: Context,
  source: PageSource,
  shape: ListShape,
  limits: ListLimits,
): Promise<void> {
  const maxEntries = limits.all ? Number.POSITIVE_INFINITY : (limits.limit ?? defaultLimit);
  const state = { more: false };
  const count = await context.printer.list(readPages(source, maxEntries, state), shape);
  if (count === 0) context.notice('No results.');
  if (state.more)
    context.notice(
      `Showing the first ${count === 1 ? 'entry' : `${count} entries`}. Add --all or a higher --limit to see more.`,
    );
}

/** Returns every entry of a list. */
export async function listAllEntries(context: Context, operation: ManifestOperation): Promise<unknown[]> {
  return collectEntries(createPageSource(context, operation, {}), Number.POSITIVE_INFINITY);
}

/** Returns the entries of a source up to a limit. */
export async function collectEntries(source: PageSource, maxEntries: number): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const page of readPages(source, maxEntries, { more: false })) found.push(...page);
  return found;
}

/** Reads --limit and --all. @throws CliError (exit 2) for a limit below 1 */
export function parseListLimits(options: CommandOptions): ListLimits {
  const limit = options.limit as number | undefined;
  if (limit !== undefined && limit < 1) throw usageError('--limit must be at least 1.');
  return { all: options.all === true, ...(limit === undefined ? {} : { limit }) };
}

/** Adds the options of list commands. */
export function addListOptions(command: Command): void {
  const schema = { type: 'integer', description: 'max entries to print (default 100)' };
  addFieldOption(command, createField(['limit'], schema, false));
  command.option('--all', 'print every entry');
}

function createPageSource(context: Context, operation: ManifestOperation, input: CallInput): PageSource {
  return async (query) => asPage(await send(context, operation, { ...input, query: { ...input.query, ...query } }));
}

/** Requests each page when it is consumed. */
async function* readPages(
  source: PageSource,
  maxEntries: number,
  state: { more: boolean },
): AsyncGenerator<readonly unknown[], void, undefined> {
  let left = maxEntries;
  let after: string | undefined;
  do {
    const page = await source({ limit: Math.min(left, maxPageSize), after });
    yield page.items;
    left -= page.items.length;
    after = page.next;
  } while (after !== undefined && left > 0);
  state.more = after !== undefined;
}
