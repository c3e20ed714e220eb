/**
 * Messages that arrive later than they were sent, by the clock of the server. One gets its id when it arrives: ids are in
 * the order in which messages are seen, so that whoever looks for later ones than he knows misses none.
 */
import type { AdjustableClock } from '../adjustable-clock.ts';
import type { Ids } from '../ids.ts';
import type { Store } from '../store/store.ts';
import type { Message } from '../store/tables.ts';
import type { Timer } from './timer.ts';

export interface DelayedMessages {
  /** Lets those arrive whose time has come. */
  deliverDue(): Promise<void>;
  stop(): void;
}

interface Deps {
  readonly store: Store;
  readonly clock: AdjustableClock;
  readonly ids: Ids;
  readonly timer: Timer;
  isRelayed(channel: Message['channel']): boolean;
  onArrival(): void;
}

/**
 * `relays` tells which channels leave for a relay: what arrives there waits for it. `look` is called when a message may
 * have arrived since the last `settle`: time went by, or the clock was set.
 */
export function createDelayedMessages({
  store,
  clock,
  ids,
  timer,
  isRelayed: relays,
  onArrival: look,
}: Deps): DelayedMessages {
  let cancelTimer = () => {};
  const stopListening = clock.onAdjust(look);

  /** Nobody looks again by himself, so that is done once the next one is due. */
  function scheduleNext(times: readonly number[]): void {
    cancelTimer();
    if (times.length === 0 || clock.state().frozen) return;
    cancelTimer = timer.after(Math.min(...times) - clock.now().getTime(), look);
  }

  return {
    async deliverDue() {
      const delayed = await store.messages.find('delivery', 'late');
      if (delayed.length === 0) return;
      const now = clock.now().getTime();
      const due = delayed.filter((message) => parseArrival(message) <= now);
      scheduleNext(delayed.map(parseArrival).filter((time) => time > now));
      if (due.length === 0) return;
      await deliverMessages(due, { store, ids, isRelayed: relays });
      // Others wait as well.
      look();
    },
    stop() {
      cancelTimer();
      stopListening();
    },
  };
}

function parseArrival({ arrivesAt = '' }: Message): number {
  return Date.parse(arrivesAt);
}

/** The one that was to come first is first. */
async function deliverMessages(
  due: readonly Message[],
  { store, ids, isRelayed: relays }: Pick<Deps, 'store' | 'ids' | 'isRelayed'>,
): Promise<void> {
  const inOrder = [...due].sort((a, b) => parseArrival(a) - parseArrival(b));
  await store.transaction(async (tx) => {
    for (const { messageId } of inOrder) {
      const row = await tx.messages.get(messageId);
      // Another look may have been quicker.
      if (!row) continue;
      const { delivery: _, arrivesAt: __, ...arrived } = row;
      await tx.messages.delete(messageId);
      const waits = relays(row.channel) ? { delivery: 'waiting' as const } : {};
      await tx.messages.insert({ ...arrived, ...waits, messageId: ids.newId() });
    }
  });
}
