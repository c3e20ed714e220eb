/**
 * Ids of messages. Readers ask for messages after an id, so ids must be in the order in which messages become visible.
 * The transactions of one server become visible in the order in which they ask for ids; those of several servers do not,
 * so these take ids from a row that each of them changes.
 */
import type { Ids } from '../lib/ids.ts';
import type { Reader, Store, Transaction } from '../store/store.ts';

/** Its value is the time of the last id, in milliseconds. */
const counterName = 'messages';

interface MessageIdDeps {
  readonly store: Pick<Store, 'shared'>;
  readonly ids: Ids;
}

export async function createMessageId(tx: Transaction, { store, ids }: MessageIdDeps): Promise<string> {
  if (!store.shared) return ids.newId();
  const counter = await tx.counters.get(counterName);
  const { id, time } = ids.newIdAfter(counter?.last ?? 0);
  const row = { name: counterName, last: time };
  await (counter ? tx.counters.replace(row) : tx.counters.insert(row));
  return id;
}

/** Changes with each message that servers which share a store write. */
export async function readMessageCounter(reader: Pick<Reader, 'counters'>): Promise<number> {
  return (await reader.counters.get(counterName))?.last ?? 0;
}
