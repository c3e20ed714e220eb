/** Many new rows at once, such as after a far jump, would block the page: they are added in several steps. */
import type { VirtualItem } from '@tanstack/react-virtual';
import { useEffect, useReducer, useRef } from 'react';

/** Of new rows at once: less than a third of those on a large screen. */
const stepSize = 12;

/** Returns those of these rows that are to be in the page now: first what is visible, then what is near it. */
export function useGradualRows(items: readonly VirtualItem[], firstVisible: number): readonly VirtualItem[] {
  const shown = useRef<ReadonlySet<VirtualItem['key']>>(new Set());
  const [, addRows] = useReducer((step: number) => step + 1, 0);
  let left = stepSize;
  const keys = new Set<VirtualItem['key']>();
  for (const { key } of [...items].sort((one, other) => rankOf(one, firstVisible) - rankOf(other, firstVisible))) {
    if (shown.current.has(key)) keys.add(key);
    else if (left > 0) {
      keys.add(key);
      left -= 1;
    }
  }
  const isComplete = keys.size === items.length;
  useEffect(() => {
    shown.current = keys;
    if (isComplete) return undefined;
    const frame = requestAnimationFrame(addRows);
    return () => cancelAnimationFrame(frame);
  });
  return isComplete ? items : items.filter(({ key }) => keys.has(key));
}

/** Rows above the visible ones come last. */
function rankOf({ index }: VirtualItem, firstVisible: number): number {
  return index < firstVisible ? Number.MAX_SAFE_INTEGER - index : index;
}
