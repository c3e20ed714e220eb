/** The focus in a list of which only the visible rows are in the page. */
import { type RefObject, useEffect, useRef } from 'react';
import { useKeys } from './use-keys.ts';

interface RowFocusOptions {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly rowCount: number;
  readonly openKey: string | undefined;
  /** The index of the open row, if the list has it. */
  readonly openIndex: number | undefined;
  /** Whether `j` and `k` move through the rows. */
  readonly hasKeys: boolean;
  /** `x` selects the focused row. */
  readonly onSelect?: ((index: number) => void) | undefined;
  scrollTo(index: number): void;
}

/** Frames until a row that was scrolled to is in the page. */
const maxFrames = 5;

/** An open row stays visible, and gets the focus when it closes. */
export function useRowFocus(options: RowFocusOptions): void {
  const { scroller, rowCount, openKey, openIndex, hasKeys, onSelect, scrollTo } = options;
  const lastOpen = useRef<number | undefined>(undefined);
  const focusRow = (index: number) => {
    scrollTo(index);
    focusWhenShown(scroller, index, maxFrames);
  };
  const isListed = openIndex !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when another row is open, not when rows are added
  useEffect(() => {
    if (isListed) scrollTo(openIndex);
    if (openKey === undefined && lastOpen.current !== undefined) focusRow(lastOpen.current);
  }, [openKey, isListed]);
  useEffect(() => {
    lastOpen.current = openIndex;
  }, [openIndex]);
  const moveBy = (step: number) => () => {
    if (rowCount > 0) focusRow(Math.min(Math.max(findFocusedRow() + step, 0), rowCount - 1));
  };
  const selectFocused = () => {
    const index = findFocusedRow();
    if (index >= 0) onSelect?.(index);
  };
  useKeys(hasKeys && openKey === undefined ? { j: moveBy(1), k: moveBy(-1), x: onSelect && selectFocused } : {});
}

/** The first row is the head. */
const firstRow = 2;

function focusWhenShown(scroller: RefObject<HTMLDivElement | null>, index: number, frames: number): void {
  requestAnimationFrame(() => {
    const row = scroller.current?.querySelector(`tr[aria-rowindex="${index + firstRow}"]`);
    const button = row?.querySelector<HTMLElement>('button, a');
    if (button) button.focus({ preventScroll: true });
    else if (frames > 0) focusWhenShown(scroller, index, frames - 1);
  });
}

/** -1 if the focus is not in a row. */
function findFocusedRow(): number {
  const index = document.activeElement?.closest('tbody tr')?.getAttribute('aria-rowindex');
  return index === null || index === undefined ? -1 : Number(index) - firstRow;
}
