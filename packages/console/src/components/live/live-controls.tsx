/** What a live list has in its line of filters: how many rows it has or were added while it is held, and a pause. */
import { Button } from '@mantine/core';
import { type LiveState, maxCounted } from '../../api/lists/use-live-list.ts';
import type { PagedList } from '../../api/lists/use-paged-list.ts';
import { Icon } from '../icon.tsx';
import { ListCountText } from '../lists/list-count.tsx';
import { countFilters } from '../search-input.tsx';

interface LiveControlsProps {
  readonly list: PagedList<unknown> & { readonly live: LiveState };
  /** Of the list, by their parameters of the URL. */
  readonly filters: Readonly<Record<string, string | undefined>>;
}

export function LiveControls({ list, filters }: LiveControlsProps) {
  const { isPaused, setPaused, newCount, showNew } = list.live;
  const count = newCount < maxCounted ? newCount : `${maxCounted - 1}+`;
  return (
    <div className="live">
      <div className="live-count">
        {newCount > 0 ? (
          <Button variant="light" className="numbers" onClick={showNew}>
            {count} new
          </Button>
        ) : list.isReady && !list.error ? (
          <ListCountText list={list} count={{ isFiltered: countFilters(filters) > 0 }} />
        ) : undefined}
      </div>
      <Button
        variant={isPaused ? 'light' : 'default'}
        leftSection={<Icon name={isPaused ? 'play' : 'pause'} />}
        onClick={() => setPaused(!isPaused)}
      >
        {isPaused ? 'Resume' : 'Pause'}
      </Button>
    </div>
  );
}
