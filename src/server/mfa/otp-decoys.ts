/** Nonexistent contacts, so that sending a code does the same amount of work for an unknown user. */

import { type Contact, emailContact } from '../messaging/contacts.ts';
import type { Transaction } from '../store/store.ts';

/** `count` is the maximum number of real contacts; `name` is a digest of the requested identifier. */
export function createDecoyContacts(name: string, count: number): Contact[] {
  return Array.from({ length: count }, (_, at) => emailContact(`unknown:${name}:${at}`));
}

/** Longer than requests that run at the same time: they would conflict if they deleted the same messages. */
const retentionMs = 60_000;

/** Deletes old messages to decoys, more than a code adds, so that they do not accumulate. */
export async function deleteOldDecoyMessages(tx: Transaction, now: Date): Promise<void> {
  for (const { messageId, createdAt } of await tx.messages.find('delivery', 'decoy', { limit: 4 }))
    if (Date.parse(createdAt) + retentionMs < now.getTime()) await tx.messages.delete(messageId);
}
