/** What a live list has in its line of filters: a pause, and how many rows were added while its rows stay in place. */
import { Button } from '@mantine/core';
import { type LiveState, maxCounted } from '../../api/lists/use-live-list.ts';
import { Icon } from '../icon.tsx';

export function LiveControls({ live: { isPaused, setPaused, newCount, showNew } }: { readonly live: LiveState }) {
  const count = newCount < maxCounted ? newCount : `${maxCounted - 1}+`;
  return (
    <div className="live">
      {newCount === 0 ? undefined : (
        <Button variant="light" className="numbers" onClick={showNew}>
          {count} new
        </Button>
      )}
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
