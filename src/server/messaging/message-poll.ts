/** Looks for messages of the other servers that share a store: they wake readers and relays only where they were written. */
import type { Timer } from '../lib/timer.ts';
import type { Store } from '../store/store.ts';
import { readMessageCounter } from './message-ids.ts';

/** Milliseconds. */
const readerPause = 250;
const relayPause = 10_000;

interface MessagePollDeps {
  readonly store: Store;
  readonly timer: Timer;
}

interface MessagePollWork {
  /** Whether a reader waits for messages. */
  isWaited(): boolean;
  /** Called for readers, when there are new messages. */
  onNews(): void;
  /** Called now and then: another server may have stopped before it sent its messages. */
  onRelayTime(): void;
}

/** @returns a function that ends it */
export function startMessagePoll({ store, timer }: MessagePollDeps, work: MessagePollWork): () => void {
  let last = 0;
  async function look(): Promise<void> {
    if (!work.isWaited()) return;
    const counter = await readMessageCounter(store);
    if (counter === last) return;
    last = counter;
    work.onNews();
  }
  const stops = [repeat(readerPause, timer, look), repeat(relayPause, timer, async () => work.onRelayTime())];
  return () => {
    for (const stop of stops) stop();
  };
}

/** Without the database nothing is found; the next run looks again. */
function repeat(pause: number, timer: Timer, run: () => Promise<void>): () => void {
  let isEnded = false;
  let cancel = () => {};
  const schedule = () => {
    if (!isEnded) cancel = timer.after(pause, () => void run().then(schedule, schedule));
  };
  schedule();
  return () => {
    isEnded = true;
    cancel();
  };
}
