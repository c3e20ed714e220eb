/**
 * Messages that arrive later than they were sent, by the clock of the server. One gets its id when it arrives: ids are in
 * the order in which messages are seen, so that whoever looks for later ones than he knows misses none.
 */
import type { AdjustableClock } from '../adjustable-clock.ts';
import type { Ids } from '../ids.ts';
import type { Store } from '../store/store.ts';
import type { Message } from '../store/tables.ts';
import type { Timer } from './timer.ts';

export interface LateMessages {
  /** Lets those arrive whose time has come. */
  settle(): Promise<void>;
  stop(): void;
}

interface Parts {
  readonly store: Store;
  readonly clock: AdjustableClock;
  readonly ids: Ids;
  readonly timer: Timer;
  relays(channel: Message['channel']): boolean;
  look(): void;
}

/**
 * `relays` tells which channels leave for a relay: what arrives there waits for it. `look` is called when a message may
 * have arrived since the last `settle`: time went by, or the clock was set.
 */
export function createLateMessages({ store, clock, ids, timer, relays, look }: Parts): LateMessages {
  let callOff = () => {};
  const forgetClock = clock.onAdjusted(look);

  /** Nobody looks again by himself, so that is done once the next one is due. */
  function lookAt(times: readonly number[]): void {
    callOff();
    if (times.length === 0 || clock.state().frozen) return;
    callOff = timer.after(Math.min(...times) - clock.now().getTime(), look);
  }

  return {
    async settle() {
      const late = await store.messages.find('delivery', 'late');
      if (late.length === 0) return;
      const now = clock.now().getTime();
      const due = late.filter((message) => arrivalOf(message) <= now);
      lookAt(late.map(arrivalOf).filter((time) => time > now));
      if (due.length === 0) return;
      await arrive(due, { store, ids, relays });
      // Others wait as well.
      look();
    },
    stop() {
      callOff();
      forgetClock();
    },
  };
}

function arrivalOf({ arrivesAt = '' }: Message): number {
  return Date.parse(arrivesAt);
}

/** The one that was to come first is first. */
async function arrive(
  due: readonly Message[],
  { store, ids, relays }: Pick<Parts, 'store' | 'ids' | 'relays'>,
): Promise<void> {
  const inOrder = [...due].sort((a, b) => arrivalOf(a) - arrivalOf(b));
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
