/** Messages in the outbox, as operations put them there. */

import type { AppContext } from '../../../src/server/app-context.ts';
import { type Contact, emailContact } from '../../../src/server/identity/contacts.ts';
import { enqueueMessage } from '../../../src/server/identity/messages.ts';
import { type OtpBinding, sendOtp } from '../../../src/server/identity/otp.ts';
import type { OtpSource } from '../../../src/server/identity/otp-source.ts';

/** A notice to an address. @returns the id of the message. */
export async function sendNotice(world: AppContext, to: string, purpose = 'contact-changed'): Promise<string> {
  const draft = { contact: emailContact(to), purpose, text: 'Your contact was changed.' };
  await world.store.transaction((tx) => enqueueMessage(tx, draft, world));
  world.outbox.wake();
  return lastId(world);
}

/** What asks for a code where the source makes no difference. */
export const anySource: OtpSource = { key: '192.0.2.1', isKnown: false };

/** A code for a user to contacts. @returns the id of the last message of it. */
export async function sendTestCode(
  world: AppContext,
  holder: OtpBinding,
  ...contacts: readonly Contact[]
): Promise<string> {
  await world.store.transaction((tx) => sendOtp(tx, { ...holder, contacts, source: anySource }, world));
  world.outbox.wake();
  return lastId(world);
}

async function lastId({ store }: AppContext): Promise<string> {
  return (await store.messages.list()).at(-1)?.messageId ?? '';
}
