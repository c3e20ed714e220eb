/** A list of any length: only the visible rows are in the page, and the next page of results is read at its end. */
import { Group, Loader, Text, UnstyledButton } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import type { LiveState } from '../api/use-live-list.ts';
import type { PagedList } from '../api/use-paged-list.ts';
import { ErrorPanel } from './error-panel.tsx';

export interface RowColumn<Row> {
  readonly title: string;
  /** A track of CSS grid: `minmax(8rem, 2fr)`. */
  readonly width: string;
  render(row: Row): ReactNode;
  /** The value of the `sort` parameter; without it the column cannot be sorted. */
  readonly sort?: string;
}

interface RowListProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly RowColumn<Row>[];
  keyOf(row: Row): string;
  /** Opens a row; without it rows are only shown. */
  onOpen?(row: Row): void;
  readonly openKey?: string | undefined;
  /** Reads the next page of results; undefined if all are shown. */
  readonly loadMore?: (() => void) | undefined;
  /** Called with the index of the first visible row. */
  onVisible?(first: number): void;
  readonly isLoading?: boolean;
  /** Of the area with the rows. */
  readonly scroller?: RefObject<HTMLDivElement | null> | undefined;
  /** Whether to say how many rows there are. */
  readonly isCounted?: boolean;
  readonly sort?: string | undefined;
  onSort?(sort: string | undefined): void;
}

interface PagedRowsProps<Row>
  extends Omit<RowListProps<Row>, 'rows' | 'loadMore' | 'onVisible' | 'isLoading' | 'scroller'> {
  readonly list: PagedList<Row> & { readonly live?: LiveState };
  /** Shown instead of an empty list. */
  readonly empty: ReactNode;
}

/** The rows of a list that is read page by page, or why there are none. */
export function PagedRows<Row>({ list, empty, ...props }: PagedRowsProps<Row>) {
  const { items, error, isReady, refetch, live, ...state } = list;
  return (
    <>
      {error ? <ErrorPanel error={error} onRetry={refetch} /> : undefined}
      {isReady || error ? undefined : <SkeletonRows />}
      {isReady && !error && items.length === 0 ? empty : undefined}
      {items.length > 0 ? <RowList {...props} {...state} rows={items} scroller={live?.scroller} /> : undefined}
    </>
  );
}

const skeletonRows = 8;

/** Visible only if the first page of results takes longer than usual. */
function SkeletonRows() {
  return (
    <div className="rows skeleton" aria-hidden>
      {Array.from({ length: skeletonRows }, (_, at) => (
        <div key={String(at)} className="skeleton-row" style={{ height: rowHeight }}>
          <span />
        </div>
      ))}
    </div>
  );
}

const rowHeight = 30;

export function RowList<Row>(props: RowListProps<Row>) {
  const {
    label,
    rows,
    columns,
    keyOf,
    onOpen,
    openKey,
    loadMore,
    onVisible,
    isLoading = false,
    isCounted = true,
  } = props;
  const ownScroller = useRef<HTMLDivElement>(null);
  const scroller = props.scroller ?? ownScroller;
  const template = columns.map(({ width }) => width).join(' ');
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 10,
    getItemKey: (at) => keyOf(rows[at] as Row),
  });
  const visible = virtualizer.getVirtualItems();
  const isAtEnd = (visible.at(-1)?.index ?? 0) >= rows.length - 20;
  const first = virtualizer.range?.startIndex ?? 0;
  useEffect(() => onVisible?.(first), [first, onVisible]);
  useEffect(() => {
    if (isAtEnd && !isLoading) loadMore?.();
  }, [isAtEnd, isLoading, loadMore]);
  return (
    <div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by the keyboard */}
      <section className="rows" ref={scroller} aria-label={label} tabIndex={0}>
        <table aria-rowcount={rows.length + 1}>
          <RowHead {...props} template={template} />
          <tbody style={{ height: virtualizer.getTotalSize() }}>
            {visible.map(({ index, key, start }) => {
              const row = rows[index] as Row;
              return (
                <tr
                  key={key}
                  aria-rowindex={index + 2}
                  aria-current={openKey !== undefined && keyOf(row) === openKey ? 'true' : undefined}
                  className={onOpen ? 'row row-link' : 'row'}
                  style={{ gridTemplateColumns: template, height: rowHeight, transform: `translateY(${start}px)` }}
                >
                  {columns.map((column, at) => (
                    <td key={column.title}>
                      {at === 0 && onOpen ? (
                        <UnstyledButton onClick={() => onOpen(row)} fz="inherit">
                          {column.render(row)}
                        </UnstyledButton>
                      ) : (
                        column.render(row)
                      )}
                    </td>
                  ))}
                </tr>
              );
            })}
          </tbody>
        </table>
      </section>
      {isCounted ? (
        <Group gap="xs" mt={4} role="status">
          {isLoading ? <Loader size="xs" aria-label="Loading" /> : undefined}
          <Text size="sm" c="dimmed">
            {loadMore ? `${rows.length} shown, more follow` : `${rows.length} in all`}
          </Text>
        </Group>
      ) : undefined}
    </div>
  );
}

function RowHead<Row>({ columns, sort, onSort, template }: RowListProps<Row> & { readonly template: string }) {
  return (
    <thead className="row-head">
      <tr aria-rowindex={1} className="row" style={{ gridTemplateColumns: template, height: rowHeight }}>
        {columns.map((column) => (
          <th key={column.title} scope="col" aria-sort={sortStateOf(column.sort, sort)}>
            {column.sort === undefined || onSort === undefined ? (
              column.title
            ) : (
              <UnstyledButton className="row-sort" onClick={() => onSort(nextSort(column.sort, sort))}>
                {column.title} <span aria-hidden>{sortMarks[sortStateOf(column.sort, sort) ?? 'none']}</span>
              </UnstyledButton>
            )}
          </th>
        ))}
      </tr>
    </thead>
  );
}

const sortMarks = { ascending: '↑', descending: '↓', none: '↕' };

function sortStateOf(column: string | undefined, sort: string | undefined) {
  if (column === undefined) return undefined;
  if (sort === column) return 'ascending' as const;
  return sort === `-${column}` ? ('descending' as const) : ('none' as const);
}

/** Ascending, descending, unsorted. */
function nextSort(column: string | undefined, sort: string | undefined): string | undefined {
  if (sort === column) return `-${column}`;
  return sort === `-${column}` ? undefined : column;
}
