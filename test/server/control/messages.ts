/** Messages in the outbox, as operations put them there. */

import { type Contact, emailContact } from '../../../src/server/identity/contacts.ts';
import { queueMessage } from '../../../src/server/identity/messages.ts';
import { type CodeHolder, sendCode } from '../../../src/server/identity/otp.ts';
import type { OtpSource } from '../../../src/server/identity/otp-source.ts';
import type { World } from '../../../src/server/world.ts';

/** A notice to an address. @returns the id of the message. */
export async function sendNotice(world: World, to: string, purpose = 'contact-changed'): Promise<string> {
  const draft = { contact: emailContact(to), purpose, text: 'Your contact was changed.' };
  await world.store.transaction((tx) => queueMessage(tx, draft, world));
  world.outbox.kept();
  return lastId(world);
}

/** What asks for a code where the source makes no difference. */
export const anySource: OtpSource = { key: '192.0.2.1', isKnown: false };

/** A code for a user to contacts. @returns the id of the last message of it. */
export async function sendTestCode(world: World, holder: CodeHolder, ...contacts: readonly Contact[]): Promise<string> {
  await world.store.transaction((tx) => sendCode(tx, { ...holder, contacts, source: anySource }, world));
  world.outbox.kept();
  return lastId(world);
}

async function lastId({ store }: World): Promise<string> {
  return (await store.messages.list()).at(-1)?.messageId ?? '';
}
