/**
 * Lists of the control plane: search by part of a text, order by a column, pages that stay valid while rows change, and
 * the number of entries.
 */
import * as z from 'zod';
import { withUnicodeDomain } from '../../contract/email/email-address.ts';
import { fieldError } from '../../contract/errors.ts';
import type { Page } from '../../contract/operation.ts';
import { PageQuery, singleLine } from '../../contract/schemas/primitives.ts';
import { foldIdentifier, foldSpelling } from '../../lib/fold-identifier.ts';
import { createPause } from '../lib/event-loop-turns.ts';
import { readFilteredPage, toPage } from '../store/pages.ts';
import type { Range } from '../store/store.ts';

/** The sortable columns of a list and the text of a row in each. The first is the id of the row. */
export type SortColumns<Item> = Readonly<Record<string, (row: Item) => string | undefined>>;

export const SearchText = singleLine(254, 'Only entries of which a field contains this text (case-insensitive)')
  .optional()
  .meta({ examples: ['ali'] });

/** Max length of a cursor, which contains the text of a sorted column. */
const maxCursor = 4096;

/** The parameter of lists that can count their entries. */
export const CountQuery = {
  count: z
    .boolean()
    .optional()
    .meta({
      description:
        'Whether to count the entries on all pages, in the header X-Total-Count. The Link header omits it: the following pages do not count again',
      examples: [true],
    }),
};

/** The query of a sorted list. `searched` names the fields that the search looks in. */
export function buildListQuery<Item>(columns: SortColumns<Item>, searched: string) {
  const names = Object.keys(columns);
  return {
    limit: PageQuery.limit,
    after: z
      .string()
      .max(maxCursor, 'is too long')
      .optional()
      .meta({ description: PageQuery.after.description, examples: ['64b0c0ffee00000000000001'] }),
    search: SearchText.meta({ description: `Only entries with this text in ${searched} (case-insensitive)` }),
    sort: z
      .enum(
        names.flatMap((name) => [name, `-${name}`]),
        `must be ${names.join(', ')}, or one of them with a minus sign`,
      )
      .optional()
      .meta({
        description: `Column to sort by, case-insensitively, then by id; descending with a minus sign. Default: ${names[0]}`,
        examples: [names[1]],
      }),
    ...CountQuery,
  };
}

/** Returns whether one of the texts contains the search text, ignoring case. */
export function createTextFilter(search: string | undefined): (texts: readonly (string | undefined)[]) => boolean {
  if (search === undefined) return () => true;
  const [folded, spelled] = [foldIdentifier(search), foldSpelling(search)];
  const matches = (text: string) => {
    const name = foldIdentifier(text);
    // A part of a domain in Unicode is not converted.
    return name.includes(folded) || (name.includes('xn--') && withUnicodeDomain(name).includes(spelled));
  };
  return (texts) => texts.some((text) => text !== undefined && matches(text));
}

interface ListQuery {
  /** A name of `columns`, after a minus sign for the descending order. Default: the order of the keys. */
  readonly sort?: string | undefined;
  readonly count?: boolean | undefined;
}

export interface ListSource<Item> {
  readonly range: { readonly after?: string | undefined; readonly limit: number };
  /** The validated query of the request. */
  readonly query: ListQuery;
  /** Returns rows in the order of their keys. */
  fetch(part: Range): Promise<readonly Item[]>;
  /** The number of all rows, if the list without filters has all of them. */
  countRows?(): Promise<number>;
  keyOf(row: Item): string;
  isMatch(row: Item): boolean;
  readonly columns?: SortColumns<Item>;
}

/**
 * A page of the rows that match, in the order of the keys or of the sorted column. Reads all rows once for a sorted page
 * and to count what a filter finds, and yields to the event loop. @throws IamError CURSOR_INVALID.
 */
export async function readSortedPage<Item>(source: ListSource<Item>): Promise<Page<Item>> {
  const { query, range, countRows } = source;
  if (query.sort !== undefined) return await readPageByColumn(source, query.sort);
  const hasFilter = Object.entries(query).some(([name, value]) => value !== undefined && !pageParameters.has(name));
  if (query.count && (hasFilter || countRows === undefined)) return await readCountedPage(source);
  const page = await readFilteredPage(range, source.fetch, source.keyOf, source.isMatch);
  return query.count ? { ...page, total: await countRows?.() } : page;
}

/** The parameters that do not restrict what a list contains. */
const pageParameters: ReadonlySet<string> = new Set(['limit', 'after', 'sort', 'count']);

async function readCountedPage<Item>(source: ListSource<Item>): Promise<Page<Item>> {
  const { after, limit } = source.range;
  const rows: Item[] = [];
  let total = 0;
  for await (const row of readMatches(source)) {
    total += 1;
    if (rows.length <= limit && (after === undefined || source.keyOf(row) > after)) rows.push(row);
  }
  return { ...toPage(rows, limit, source.keyOf), total };
}

/** The position of a row in a sorted list: the folded text of the column, then the key. */
type Position = readonly [text: string, key: string];

interface PositionedRow<Item> {
  readonly position: Position;
  readonly row: Item;
}

const rowsPerFetch = 500;

async function readPageByColumn<Item>(source: ListSource<Item>, sort: string): Promise<Page<Item>> {
  const { after, limit } = source.range;
  const start = after === undefined ? undefined : parsePosition(after);
  const direction = sort.startsWith('-') ? -1 : 1;
  const textOf = source.columns?.[sort.replace(/^-/, '')] ?? source.keyOf;
  const compare = (a: Position, b: Position) => direction * comparePositions(a, b);
  const first = createFirstRows<Item>(limit + 1, compare);
  let total = 0;
  for await (const row of readMatches(source)) {
    total += 1;
    const position: Position = [foldIdentifier(textOf(row) ?? ''), source.keyOf(row)];
    if (start === undefined || compare(position, start) > 0) first.add({ position, row });
  }
  const page = toPage(first.list(), limit, ({ position }) => JSON.stringify(position));
  return { ...page, ...(source.query.count ? { total } : {}), items: page.items.map(({ row }) => row) };
}

async function* readMatches<Item>(source: ListSource<Item>): AsyncIterable<Item> {
  const pause = createPause(rowsPerFetch);
  let after: string | undefined;
  for (;;) {
    const rows = await source.fetch({ after, limit: rowsPerFetch });
    yield* rows.filter((row) => source.isMatch(row));
    const last = rows.at(-1);
    if (last === undefined || rows.length < rowsPerFetch) return;
    after = source.keyOf(last);
    await pause(rows.length);
  }
}

function comparePositions([text, key]: Position, [otherText, otherKey]: Position): number {
  if (text !== otherText) return text < otherText ? -1 : 1;
  return key === otherKey ? 0 : key < otherKey ? -1 : 1;
}

/** Collects the first `count` rows of an order without sorting the others. */
function createFirstRows<Item>(count: number, compare: (a: Position, b: Position) => number) {
  let rows: PositionedRow<Item>[] = [];
  let last: Position | undefined;
  const cut = () => {
    rows = rows.toSorted((a, b) => compare(a.position, b.position)).slice(0, count);
    if (rows.length === count) last = rows.at(-1)?.position;
  };
  return {
    add(row: PositionedRow<Item>): void {
      if (last !== undefined && compare(row.position, last) > 0) return;
      rows.push(row);
      if (rows.length >= 2 * count + 100) cut();
    },
    list(): readonly PositionedRow<Item>[] {
      cut();
      return rows;
    },
  };
}

const CursorPosition = z.tuple([z.string(), z.string()]);

/** A caller can forge a cursor, which grants nothing. */
function parsePosition(after: string): Position {
  try {
    return CursorPosition.parse(JSON.parse(after));
  } catch {
    throw fieldError('CURSOR_INVALID', 'after');
  }
}
