/** Nonexistent contacts, so that sending a code does the same amount of work for an unknown user. */

import { type Contact, emailContact } from '../messaging/contacts.ts';
import type { Transaction } from '../store/store.ts';

/** `count` is the maximum number of real contacts; `name` is a digest of the requested identifier. */
export function createDecoyContacts(name: string, count: number): Contact[] {
  return Array.from({ length: count }, (_, at) => emailContact(`unknown:${name}:${at}`));
}

/** Deletes the messages to decoys; performs the same store calls if there are none. */
export async function deleteDecoyMessages(tx: Transaction, decoys: readonly Contact[]): Promise<void> {
  for (const { to } of decoys) {
    const [message] = await tx.messages.find('to', to);
    await tx.messages.delete(message?.messageId ?? 'none');
  }
}
