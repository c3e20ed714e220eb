/** Contacts that do not exist, so that sending a code takes the same work where there is nobody to send it to. */
import type { Transaction } from '../store/store.ts';
import { type Contact, emailContact } from './contacts.ts';

/** As many as there can be real ones; `name` is a digest of what was asked for. */
export function createDecoyContacts(name: string, count: number): Contact[] {
  return Array.from({ length: count }, (_, at) => emailContact(`nobody:${name}:${at}`));
}

/** Deletes what was sent to them; as many calls where nothing was. */
export async function deleteDecoyMessages(tx: Transaction, decoys: readonly Contact[]): Promise<void> {
  for (const { to } of decoys) {
    const [message] = await tx.messages.find('to', to);
    await tx.messages.delete(message?.messageId ?? 'none');
  }
}
