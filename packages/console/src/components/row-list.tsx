/** A list of any length: only the visible rows are in the page, and the next page of results is read at its end. */
import { UnstyledButton } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useVirtualizer } from '@tanstack/react-virtual';
import {
  type CSSProperties,
  memo,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useMemo,
  useRef,
} from 'react';
import type { LiveState } from '../api/lists/use-live-list.ts';
import type { PagedList } from '../api/lists/use-paged-list.ts';
import type { RowPanelState } from '../api/use-row-panel.ts';
import { ErrorPanel } from './error-panel.tsx';
import { useRowFocus } from './keys/use-row-focus.ts';
import { ListCountText } from './lists/list-count.tsx';
import { useGradualRows } from './lists/use-gradual-rows.ts';
import { useNarrow } from './lists/use-narrow.ts';
import { SelectAllCell, SelectCell } from './selection/select-cells.tsx';
import type { RowSelection } from './selection/use-selection.ts';

export interface RowColumn<Row> {
  readonly title: string;
  /** A track of CSS grid. */
  readonly width: `${number}rem` | `minmax(${number}rem, ${number}fr)`;
  render(row: Row): ReactNode;
  /** The value of the `sort` parameter; without it the column cannot be sorted. */
  readonly sort?: string;
  /** Of numbers, which are compared by their last digits. */
  readonly align?: 'end';
  /**
   * Its place on a phone, where a row has two lines and the first column is the name: at the end of the first line, in the
   * second, at the end of the second, or beside both. Without it, phones do not show the column.
   */
  readonly phone?: 'end' | 'detail' | 'detailEnd' | 'action';
  /** Left out where the list is too narrow for all columns, the last one first. */
  readonly isOptional?: boolean;
}

interface RowListProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly RowColumn<Row>[];
  keyOf(row: Row): string;
  /** Opens a row; without it rows are only shown. */
  onOpen?(row: Row): void;
  /** Where rows open, if that is no page of its own. */
  readonly panel?: RowPanelState;
  /** Of rows that can be selected. */
  readonly selection?: RowSelection<Row> | undefined;
  /** Whether `j` and `k` move through the rows, as they do with a panel or a selection. */
  readonly hasKeys?: boolean;
  /** Reads the next page of results; undefined if all are shown. */
  readonly loadMore?: (() => void) | undefined;
  /** Called with the index of the first visible row. */
  onVisible?(first: number): void;
  readonly isLoading?: boolean;
  /** Of the area with the rows. */
  readonly scroller?: RefObject<HTMLDivElement | null> | undefined;
  /** Whether to say below the list how many rows it has. */
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
  const { items, error, isReady, refetch, live, headers: _, ...state } = list;
  const { loadMore, isLoading } = state;
  // A page can have no rows although more follow: the server has searched a part of the list.
  const isSearching = items.length === 0 && !error && loadMore !== undefined;
  useEffect(() => {
    if (isSearching && !isLoading) loadMore?.();
  }, [isSearching, isLoading, loadMore]);
  return (
    <>
      {error ? <ErrorPanel error={error} onRetry={refetch} /> : undefined}
      {(isReady || error) && !isSearching ? undefined : <SkeletonRows />}
      {isReady && !error && !isSearching && items.length === 0 ? empty : undefined}
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
        <div key={String(at)} className="skeleton-row">
          <span />
        </div>
      ))}
    </div>
  );
}

/** Of a row, in pixels: on a phone one line, or two. */
function heightOf<Row>(columns: readonly RowColumn<Row>[], isPhone: boolean): number {
  if (!isPhone) return 30;
  return columns.some(({ phone }) => phone === 'detail' || phone === 'detailEnd') ? 56 : 44;
}

/** In `rem`: between two columns, and at both ends of a row together, with the border of the list. */
const gap = 0.75;
const padding = 1.75;
const selectWidth = 1;

/** The columns that a list has place for; `width` in `rem`. */
function fitColumns<Row>(columns: readonly RowColumn<Row>[], width: number): readonly RowColumn<Row>[] {
  const needed = columns.reduce((sum, column) => sum + leastWidthOf(column) + gap, padding - gap);
  const at = needed > width ? columns.findLastIndex(({ isOptional = false }) => isOptional) : -1;
  return at < 0 ? columns : fitColumns(columns.toSpliced(at, 1), width);
}

function leastWidthOf<Row>({ width }: RowColumn<Row>): number {
  return Number.parseFloat(width.replace('minmax(', ''));
}

/** The tracks of the rows. On a phone: those of the second line, the end of the lines, and actions. */
function layOut<Row>(columns: readonly RowColumn<Row>[], rowHeight: number, isSelectable: boolean): CSSProperties {
  const details = columns.filter(({ phone }) => phone === 'detail').length;
  return {
    '--columns': `${isSelectable ? `${selectWidth}rem ` : ''}${columns.map(({ width }) => width).join(' ')}`,
    '--phone-columns': `${'fit-content(60%) '.repeat(Math.max(0, details - 1))}minmax(0, 1fr) auto auto`,
    '--row-height': `${rowHeight}px`,
  } as CSSProperties;
}

/** The last cell of the second line has the rest of it. */
function placeOf<Row>(columns: readonly RowColumn<Row>[], at: number): string | undefined {
  const { phone } = columns[at] as RowColumn<Row>;
  if (at === 0) return 'name';
  return phone === 'detail' && at === columns.findLastIndex((column) => column.phone === 'detail') ? 'rest' : phone;
}

export function RowList<Row>(props: RowListProps<Row>) {
  const { label, rows, keyOf, panel, selection, loadMore, onVisible, isLoading = false, isCounted = true } = props;
  const { hasKeys = panel !== undefined || selection !== undefined } = props;
  const openRow = props.onOpen;
  // The rows that are in the page stay as they are while others are scrolled to.
  const onOpen = useMemo(() => openRow ?? (panel && ((row: Row) => panel.open(keyOf(row)))), [openRow, panel, keyOf]);
  const { openKey } = panel ?? {};
  const ownScroller = useRef<HTMLDivElement>(null);
  const scroller = props.scroller ?? selection?.scroller ?? ownScroller;
  // Rows have the form of phones.
  const isPhone = useNarrow();
  const { ref, width } = useElementSize();
  const isSelectable = selection !== undefined;
  const columns = useMemo(() => {
    // The width is 0 until it was measured.
    if (isPhone || width === 0) return props.columns;
    const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
    return fitColumns(props.columns, width / rem - (isSelectable ? selectWidth + gap : 0));
  }, [props.columns, isPhone, width, isSelectable]);
  const cells = useMemo(
    () => (isPhone ? columns.filter(({ phone }, at) => at === 0 || phone !== undefined) : columns),
    [columns, isPhone],
  );
  const rowHeight = heightOf(columns, isPhone);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 10,
    // The head stays above the rows.
    scrollPaddingEnd: rowHeight,
    // With another function, the positions of all rows are computed again.
    getItemKey: useCallback((at: number) => keyOf(rows[at] as Row), [rows, keyOf]),
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height is what changes the positions.
  useEffect(() => virtualizer.measure(), [rowHeight, virtualizer]);
  const openIndex = openKey === undefined ? -1 : rows.findIndex((row) => keyOf(row) === openKey);
  useRowFocus({
    scroller,
    rowCount: rows.length,
    openKey,
    openIndex: openIndex < 0 ? undefined : openIndex,
    hasKeys,
    onSelect: selection && ((at) => selection.toggle(rows[at] as Row)),
    scrollTo: (at) => virtualizer.scrollToIndex(at),
  });
  const visible = virtualizer.getVirtualItems();
  const isAtEnd = (visible.at(-1)?.index ?? 0) >= rows.length - 20;
  const first = virtualizer.range?.startIndex ?? 0;
  const shown = useGradualRows(visible, first);
  useEffect(() => onVisible?.(first), [first, onVisible]);
  useEffect(() => {
    if (isAtEnd && !isLoading) loadMore?.();
  }, [isAtEnd, isLoading, loadMore]);
  return (
    <div className="row-list" ref={ref}>
      <section
        className="rows"
        ref={scroller}
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by the keyboard
        tabIndex={0}
        style={layOut(columns, rowHeight, isSelectable)}
      >
        <table aria-rowcount={rows.length + 1}>
          <RowHead {...props} columns={columns} />
          <tbody style={{ height: virtualizer.getTotalSize() }}>
            {shown.map(({ index, key, start }) => (
              <ListRow
                key={key}
                row={rows[index] as Row}
                index={index}
                start={start}
                isOpen={index === openIndex}
                isSelected={selection?.selected.has(String(key)) === true}
                selection={selection}
                columns={cells}
                onOpen={onOpen}
              />
            ))}
          </tbody>
        </table>
      </section>
      {isCounted ? <ListCountText list={{ items: rows, loadMore, isLoading }} /> : undefined}
    </div>
  );
}

interface ListRowProps<Row> extends Pick<RowListProps<Row>, 'columns' | 'selection'> {
  readonly row: Row;
  readonly index: number;
  /** Its distance from the first row, in pixels. */
  readonly start: number;
  readonly isOpen: boolean;
  readonly isSelected: boolean;
  readonly onOpen: ((row: Row) => void) | undefined;
}

const ListRow = memo(function ListRow<Row>(props: ListRowProps<Row>) {
  const { row, index, start, isOpen, isSelected, columns, selection, onOpen } = props;
  return (
    <tr
      aria-rowindex={index + 2}
      aria-current={isOpen ? 'true' : undefined}
      data-selected={isSelected || undefined}
      className={onOpen ? 'row row-link' : 'row'}
      style={{ transform: `translateY(${start}px)` }}
    >
      {selection ? <SelectCell selection={selection} row={row} isSelected={isSelected} /> : undefined}
      {columns.map((column, at) => (
        <td key={column.title} data-phone={placeOf(columns, at)} data-align={column.align}>
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
}) as <Row>(props: ListRowProps<Row>) => ReactNode;

function RowHead<Row>({ rows, columns, selection, sort, onSort }: RowListProps<Row>) {
  return (
    <thead className="row-head">
      <tr aria-rowindex={1} className="row">
        {selection ? <SelectAllCell selection={selection} count={rows.length} /> : undefined}
        {columns.map((column) => (
          <th key={column.title} scope="col" aria-sort={sortStateOf(column.sort, sort)} data-align={column.align}>
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
