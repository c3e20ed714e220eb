/** The requests of commands for the control plane: lists that are printed page by page, and writes. */
import { type ApiResponse, asPage } from '../../client/response.ts';
import type { JsonSchema } from '../../contract/manifest-types.ts';
import { assertChangeLimit } from '../config/safety.ts';
import type { CommandOptions, Context } from '../context.ts';
import { readPathValues } from '../http/outcome-check.ts';
import { routeOfUrl } from '../http/redact.ts';
import type { ListShape } from '../output/list-writer.ts';
import { describeWithNames, type NameOf } from '../output/name-columns.ts';
import type { TableRow } from '../output/table.ts';
import { assertReferencesExist } from './assert-exists.ts';
import { assertConfirmed, type ConfirmOptions } from './confirm.ts';
import { buildListShape, type ControlFilters, callControlPlane, controlRequestPreview } from './control-plane.ts';
import type { CreatedEntities } from './created-entity.ts';
import { type PageSource, parseListLimits, printPages, withKnownFilters } from './pagination.ts';
import { printRequestPreview, printRequestPreviews } from './preview.ts';
import { printResponse } from './send.ts';
import { writeEach } from './several-targets.ts';

interface ControlListRequest extends Pick<ListShape, 'text' | 'required'> {
  readonly path: string;
  readonly filters?: ControlFilters;
  /** The most important first. */
  readonly columns: readonly string[];
  /** How many of the columns a table displays. */
  readonly main: number;
  /** The row of a table. */
  readonly summarize?: SummarizeRow;
  /** Called with the response of each page. */
  onPage?(response: ApiResponse): void;
  /** Called if the list is empty. @throws CliError if a filter names what does not exist */
  assertKnown?(): Promise<void>;
  /** What the ids of a column refer to, where the rows do not contain the names. */
  readonly references?: Readonly<Record<string, JsonSchema>>;
}

/** The row of a table, with the names of ids. */
type SummarizeRow = (row: TableRow, nameOf: NameOf) => TableRow;

/** Prints a list of the control plane within the limits of the options. */
export function printControlList(
  context: Context,
  options: CommandOptions,
  { path, filters = {}, columns, main, references, summarize, text, required, onPage, assertKnown }: ControlListRequest,
): Promise<void> {
  const read: PageSource = async (query) => {
    const response = await callControlPlane(context, 'GET', path, { query: { ...filters, ...query } });
    const page = asPage(response);
    onPage?.(response);
    if (page.items.length === 0 && query.after === undefined && page.next === undefined) await assertKnown?.();
    return page;
  };
  const route = routeOfUrl(context.manifest, 'GET', path);
  const source = route ? withKnownFilters(context, route, filters, read) : read;
  const rows = summarize ? summarizeForTables(context, source, summarize) : source;
  const shape = { ...buildListShape(columns, main, references), text, required };
  return printPages(context, rows, shape, parseListLimits(options));
}

/** The rows as a table shows them; other formats, and columns that the caller selects, have the data. */
export function summarizeForTables(
  { printer, settings, findNames }: Context,
  source: PageSource,
  summarize: SummarizeRow,
): PageSource {
  if (!printer.isForPeople || printer.format !== 'table' || settings.options.columns !== undefined) return source;
  return async (query) => {
    const page = await source(query);
    const rows = page.items as readonly TableRow[];
    const items = await describeWithNames(findNames, (nameOf) => rows.map((row) => summarize(row, nameOf)));
    return { ...page, items };
  };
}

export interface ControlWrite {
  readonly method: string;
  readonly path: string;
  readonly query?: ControlFilters;
  readonly body?: unknown;
  /** Asked before the request is sent. */
  readonly question?: string;
  /** Asks otherwise. @throws CliError if it is not confirmed */
  confirm?(look: Pick<ConfirmOptions, 'assertExists'>): Promise<void>;
  /** What it created. */
  readonly created?: (body: TableRow) => CreatedEntities;
  /** The response for people. */
  readonly summarize?: (body: TableRow) => TableRow;
  /** Throws if the response is no success. */
  checkResponse?(body: unknown): Promise<void>;
  /** The notice for an empty response. */
  readonly done: string;
}

/** Confirms a write, sends it and prints the response; with --dry-run only prints the request. */
export async function sendControlWrite(
  context: Context,
  options: CommandOptions,
  { method, path, query = {}, body, question, confirm, created, summarize, checkResponse, done }: ControlWrite,
): Promise<void> {
  if (options.dryRun === true)
    return printRequestPreview(context, { ...controlRequestPreview(context, method, path, query), body });
  const look = { assertExists: () => assertTargetExists(context, method, path, query) };
  if (question !== undefined) await assertConfirmed(context, question, options, false, look);
  await confirm?.(look);
  const response = await callControlPlane(context, method, path, { query, body });
  await checkResponse?.(response.body);
  const row = response.body as TableRow;
  const shown = summarize && context.printer.isForPeople ? summarize(row) : row;
  await printResponse(context, shown, done, created?.(row));
}

/** A removal of one of several targets. */
export interface ControlRemoval {
  readonly path: string;
  readonly query?: ControlFilters;
  /** What is printed after it. */
  readonly done: string;
}

/** Removes targets in turn, after one confirmation. @param question for the targets; without one, nothing is asked */
export async function removeTargets(
  context: Context,
  options: CommandOptions,
  targets: readonly string[],
  removalOf: (target: string) => ControlRemoval,
  question?: (targets: readonly string[]) => string,
): Promise<void> {
  const unique = [...new Set(targets)];
  const removals = unique.map((target) => ({ target, ...removalOf(target) }));
  const [only, ...others] = removals;
  const asked = question?.(unique);
  if (only && others.length === 0)
    return sendControlWrite(context, options, { method: 'DELETE', ...(asked && { question: asked }), ...only });
  if (options.dryRun === true)
    return printRequestPreviews(
      context,
      removals.map(({ path, query }) => controlRequestPreview(context, 'DELETE', path, query)),
    );
  assertChangeLimit(context.settings, removals.length);
  if (asked !== undefined) await assertConfirmed(context, asked, options);
  await writeEach(
    context,
    removals.map(({ target, path, query = {}, done }) => ({
      target,
      run: async () => {
        await callControlPlane(context, 'DELETE', path, { query });
        return 'done';
      },
      describe: async () => () => done,
    })),
  );
}

/** Looks whether what a request to the control plane refers to exists. @throws ClientError if it does not */
export async function assertTargetExists(
  context: Context,
  method: string,
  path: string,
  query: ControlFilters = {},
): Promise<void> {
  const route = routeOfUrl(context.manifest, method, path);
  if (route) await assertReferencesExist(context, route, { params: readPathValues(route.path, path), query });
}
