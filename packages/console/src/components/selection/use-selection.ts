/** The selected rows of a list. Rows stay selected while the list is scrolled, sorted and read again. */
import { type RefObject, useMemo, useRef, useState } from 'react';

export type SelectedRows<Row> = ReadonlyMap<string, Row>;

export interface RowSelection<Row> {
  readonly selected: SelectedRows<Row>;
  /** Of the area with the rows: it gets the focus when nothing is selected any more. */
  readonly scroller: RefObject<HTMLDivElement | null>;
  /** The accessible name of the checkbox of a row. */
  labelOf(row: Row): string;
  /** @param isRange all rows from the one that was toggled before */
  toggle(row: Row, isRange?: boolean): void;
  /** Of all rows that are read; undefined if only some are selected. */
  readonly isAllSelected: boolean | undefined;
  toggleAll(): void;
  /** Removes rows from the selection; without an argument, all. */
  clear(rows?: readonly Row[]): void;
}

interface SelectionOptions<Row> {
  readonly rows: readonly Row[];
  /** Of the filters: with another one, nothing is selected. */
  readonly scope: string;
  keyOf(row: Row): string;
  nameOf(row: Row): string;
}

interface SelectionState<Row> {
  readonly scope: string;
  readonly selected: SelectedRows<Row>;
}

export function useSelection<Row>({ rows, scope, keyOf, nameOf }: SelectionOptions<Row>): RowSelection<Row> {
  const [state, setState] = useState<SelectionState<Row>>({ scope, selected: new Map() });
  const selected = useMemo(() => (state.scope === scope ? state.selected : new Map<string, Row>()), [state, scope]);
  const lastToggled = useRef<string | undefined>(undefined);
  const scroller = useRef<HTMLDivElement>(null);
  const apply = (isSelected: boolean, changed: readonly Row[]) => {
    const next = new Map(selected);
    for (const row of changed) {
      if (isSelected) next.set(keyOf(row), row);
      else next.delete(keyOf(row));
    }
    setState({ scope, selected: next });
    // What had the focus, such as a button for the selected rows, is gone.
    if (next.size === 0 && document.activeElement?.closest('.rows') === null) scroller.current?.focus();
  };
  const isAllSelected = useMemo(() => {
    if (selected.size === 0) return false;
    return rows.every((row) => selected.has(keyOf(row))) ? true : undefined;
  }, [rows, selected, keyOf]);
  return {
    selected,
    scroller,
    labelOf: (row) => `Select ${nameOf(row)}`,
    toggle(row, isRange = false) {
      const key = keyOf(row);
      const range = isRange ? findRange(rows, keyOf, lastToggled.current, key) : [];
      lastToggled.current = key;
      apply(!selected.has(key), range.length === 0 ? [row] : range);
    },
    isAllSelected,
    toggleAll: () => apply(isAllSelected !== true, rows),
    clear: (cleared = [...selected.values()]) => apply(false, cleared),
  };
}

/** The rows from one to the other, whichever is first; empty if the list has only one of them. */
function findRange<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  from: string | undefined,
  to: string,
): readonly Row[] {
  const ends = [from, to].map((key) => rows.findIndex((row) => keyOf(row) === key));
  const [first = -1, last = -1] = ends.toSorted((one, other) => one - other);
  return first < 0 ? [] : rows.slice(first, last + 1);
}
