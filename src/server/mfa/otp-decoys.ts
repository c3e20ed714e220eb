/** Nonexistent contacts, so that sending a code does the same amount of work for an unknown user. */

import { type Contact, emailContact } from '../messaging/contacts.ts';
import type { Store } from '../store/store.ts';

/** `count` is the maximum number of real contacts; `name` is a digest of the requested identifier. */
export function createDecoyContacts(name: string, count: number): Contact[] {
  return Array.from({ length: count }, (_, at) => emailContact(`unknown:${name}:${at}`));
}

const deletedAtOnce = 500;

/**
 * Deletes the messages to decoys. Not part of a request: the time of the request would show how many decoys earlier ones
 * had, and so whether those users exist.
 */
export async function deleteDecoyMessages(store: Store): Promise<void> {
  for (;;) {
    const decoys = await store.messages.find('delivery', 'decoy', { limit: deletedAtOnce });
    if (decoys.length === 0) return;
    await store.transaction(async (tx) => {
      for (const { messageId } of decoys) await tx.messages.delete(messageId);
    });
  }
}
