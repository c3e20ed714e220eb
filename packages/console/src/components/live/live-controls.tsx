/** What a live list has in its line of filters: how many rows it has or were added while it is held, and a pause. */
import { Button } from '@mantine/core';
import { type LiveState, maxCounted } from '../../api/lists/use-live-list.ts';
import type { PagedList } from '../../api/lists/use-paged-list.ts';
import { Icon } from '../icon.tsx';
import { ListCountText } from '../lists/list-count.tsx';

export function LiveControls({ list }: { readonly list: PagedList<unknown> & { readonly live: LiveState } }) {
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
          <ListCountText list={list} />
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
