/** Prints lists, complete by default unless a person reads them, page by page. */
import type { Command } from 'commander';
import { asPage } from '../../client/response.ts';
import type { CallInput, ResultPage, Scalar } from '../../client/types.ts';
import type { ManifestOperation } from '../../contract/manifest-types.ts';
import type { CommandOptions, Context, RequestContext } from '../context.ts';
import { usageError } from '../errors.ts';
import type { ListShape } from '../output/list-writer.ts';
import { assertReferencesExist } from './assert-exists.ts';
import { addFieldOption, createField } from './field-options.ts';
import { send } from './send.ts';

/** The default of --limit for tables on a terminal. */
const terminalLimit = 100;
const maxPageSize = 1000;

/** The notice for an empty list. */
export const noResults = 'No results.';

export interface ListLimits {
  /** Removes the default limit; an explicit limit takes precedence. */
  readonly all: boolean;
  readonly limit?: number | undefined;
}

/** Returns one page of a list; the query contains limit and cursor. */
export type PageSource = (query: Readonly<Record<string, Scalar | undefined>>) => Promise<ResultPage<unknown>>;

/**
 * Prints a list, and a notice on standard error if more entries exist.
 * @param complete adds fields to the rows of a page
 */
export async function printList(
  context: Context,
  operation: ManifestOperation,
  input: CallInput,
  limits: ListLimits,
  complete?: (rows: readonly unknown[]) => Promise<readonly unknown[]>,
): Promise<void> {
  const read = createPageSource(context, operation, input);
  const source: PageSource = async (query) => {
    const page = await read(query);
    return complete ? { ...page, items: await complete(page.items) } : page;
  };
  await printPages(context, source, { schema: operation.response.schema }, limits);
}

/** Prints the pages of any source. */
export async function printPages(
  context: Context,
  source: PageSource,
  shape: ListShape,
  limits: ListLimits,
): Promise<void> {
  const maxEntries = limits.limit ?? defaultLimit(context, limits);
  const state = { more: false };
  const count = await context.printer.list(readPages(source, maxEntries, state), shape);
  if (count === 0) context.notice(noResults);
  if (!state.more) return;
  const hint = limits.limit === undefined ? 'Add --all or a higher --limit' : 'Increase or remove --limit';
  context.notice(`Showing the first ${count === 1 ? 'entry' : `${count} entries`}. ${hint} to see more.`);
}

/** A pipe, a file, a query or a format for programs gets the complete list. */
function defaultLimit({ io, printer }: Context, { all }: ListLimits): number {
  return !all && printer.isForPeople && io.stdout.isTTY === true ? terminalLimit : Number.POSITIVE_INFINITY;
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

export function addListOptions(command: Command): void {
  const description = 'max entries to print, also with --all (default 100 for a table on a terminal)';
  addFieldOption(command, createField(['limit'], { type: 'integer', description }, false));
  command.option(
    '--all',
    'print every entry; the default without a terminal, with --query, and as json, jsonl, yaml, csv or name',
  );
}

function createPageSource(context: Context, operation: ManifestOperation, input: CallInput): PageSource {
  const read: PageSource = async (query) =>
    asPage(await send(context, operation, { ...input, query: { ...input.query, ...query } }));
  return withKnownFilters(context, operation, input.query, read);
}

/** The pages of a list. @throws ClientError if it is empty because a filter names an object that does not exist */
export function withKnownFilters(
  context: RequestContext,
  { query }: Pick<ManifestOperation, 'query'>,
  filters: CallInput['query'],
  read: PageSource,
): PageSource {
  return async (page) => {
    const found = await read(page);
    if (found.items.length === 0 && page.after === undefined && found.next === undefined)
      await assertReferencesExist(context, { params: [], query }, { query: filters });
    return found;
  };
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
    // A route without pages ignores the limit.
    yield page.items.slice(0, left);
    left -= page.items.length;
    after = page.next;
  } while (after !== undefined && left > 0);
  state.more = after !== undefined || left < 0;
}
