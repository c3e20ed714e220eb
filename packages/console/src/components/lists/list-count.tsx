/** How many entries a list has: `312 of 10,011`. */
import { Loader, Text } from '@mantine/core';
import type { ListCount } from '../../api/lists/use-list-count.ts';
import type { PagedList } from '../../api/lists/use-paged-list.ts';

interface ReadList extends Pick<PagedList<unknown>, 'isLoading'> {
  readonly items: readonly unknown[];
  readonly loadMore: (() => void) | undefined;
}

interface ListCountTextProps {
  readonly list: ReadList;
  /** Without it, only what is read is counted. */
  readonly count?: ListCount | undefined;
}

export function ListCountText({ list, count }: ListCountTextProps) {
  return (
    <div role="status" className="list-count">
      {list.isLoading ? <Loader size="xs" aria-label="Loading" /> : undefined}
      <Text size="sm" c="dimmed">
        {formatCount(list, count)}
      </Text>
    </div>
  );
}

function formatCount({ items, loadMore }: ReadList, count: ListCount | undefined): string {
  const shown = items.length.toLocaleString('en');
  const { matching, all, isFiltered = false } = count ?? {};
  // What is shown in place of an empty list says so.
  if (items.length === 0 && !loadMore && !isFiltered) return '';
  if (matching !== undefined && all !== undefined) {
    const total = all.toLocaleString('en');
    return isFiltered ? `${matching.toLocaleString('en')} of ${total}` : `${total} in all`;
  }
  return loadMore ? `${shown} shown, more follow` : `${shown} in all`;
}
