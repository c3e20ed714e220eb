/**
 * Delayed delivery to test recipients, by the server clock. A message gets its id when it arrives: ids are in the order of
 * arrival, so that a reader that asks for later ids misses no message.
 */
import type { AdjustableClock } from '../lib/adjustable-clock.ts';
import type { Timer } from '../lib/timer.ts';
import type { Store, Transaction } from '../store/store.ts';
import type { Message } from '../store/tables.ts';

export interface DelayedMessages {
  deliverDue(): Promise<void>;
  stop(): void;
}

export interface DelayedMessagesDeps {
  readonly store: Store;
  readonly clock: AdjustableClock;
  createMessageId(tx: Transaction): Promise<string>;
  readonly timer: Timer;
  isRelayed(channel: Message['channel']): boolean;
  onArrival(): void;
}

/**
 * `isRelayed` returns whether a channel has a relay: messages of it then wait for the relay. `onArrival` is called when a
 * message may have become due since the last `deliverDue`: time has passed, or the clock was set.
 */
export function createDelayedMessages({
  store,
  clock,
  createMessageId,
  timer,
  isRelayed,
  onArrival,
}: DelayedMessagesDeps): DelayedMessages {
  let cancelTimer = () => {};
  const stopListening = clock.onAdjust(onArrival);

  /** Schedules a notification for the next due message, since subscribers do not poll. */
  function scheduleNext(times: readonly number[]): void {
    cancelTimer();
    if (times.length === 0 || clock.state().frozen) return;
    cancelTimer = timer.after(Math.min(...times) - clock.now().getTime(), onArrival);
  }

  return {
    async deliverDue() {
      const delayed = await store.messages.find('delivery', 'late');
      if (delayed.length === 0) return;
      const now = clock.now().getTime();
      const due = delayed.filter((message) => parseArrival(message) <= now);
      scheduleNext(delayed.map(parseArrival).filter((time) => time > now));
      if (due.length === 0) return;
      await deliverMessages(due, { store, createMessageId, isRelayed });
      // Other subscribers wait as well.
      onArrival();
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

/** Delivers in the order of the arrival times. */
async function deliverMessages(
  due: readonly Message[],
  { store, createMessageId, isRelayed }: Pick<DelayedMessagesDeps, 'store' | 'createMessageId' | 'isRelayed'>,
): Promise<void> {
  const inOrder = [...due].sort((a, b) => parseArrival(a) - parseArrival(b));
  await store.transaction(async (tx) => {
    for (const { messageId } of inOrder) {
      const row = await tx.messages.get(messageId);
      // A concurrent reader may have delivered it.
      if (!row) continue;
      const { delivery: _, arrivesAt: __, ...arrived } = row;
      await tx.messages.delete(messageId);
      const waits = isRelayed(row.channel) ? { delivery: 'waiting' as const } : {};
      await tx.messages.insert({ ...arrived, ...waits, messageId: await createMessageId(tx) });
    }
  });
}
