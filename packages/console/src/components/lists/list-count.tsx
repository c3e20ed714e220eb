/** How many entries a list has: `312 of 10,011`, or `312 match` where the server does not count. */
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
  readonly count?: Partial<ListCount> | undefined;
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

function formatCount({ items, loadMore }: ReadList, count: ListCountTextProps['count']): string {
  const shown = items.length.toLocaleString('en');
  const { matching, all, isFiltered = false } = count ?? {};
  // What is shown in place of an empty list says so.
  if (items.length === 0 && !loadMore && !isFiltered) return '';
  if (matching !== undefined && all !== undefined) {
    const total = all.toLocaleString('en');
    return isFiltered ? `${matching.toLocaleString('en')} of ${total}` : `${total} in all`;
  }
  if (loadMore) return `${shown} shown, more follow`;
  return isFiltered ? `${shown} match` : `${shown} in all`;
}
