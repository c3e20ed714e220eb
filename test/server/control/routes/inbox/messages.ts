/** Messages in the outbox, stored as operations store them. */

import type { AppContext } from '../../../../../src/server/app-context.ts';
import { type Contact, emailContact } from '../../../../../src/server/messaging/contacts.ts';
import { enqueueMessage } from '../../../../../src/server/messaging/messages.ts';
import { type OtpBinding, sendOtp } from '../../../../../src/server/mfa/otp.ts';
import type { OtpSource } from '../../../../../src/server/mfa/otp-source.ts';

/** Sends a notice to an address. @returns the id of the message. */
export async function sendNotice(appContext: AppContext, to: string, purpose = 'contact-changed'): Promise<string> {
  const draft = { contact: emailContact(to), purpose, text: 'Your contact was changed.' };
  await appContext.store.transaction((tx) => enqueueMessage(tx, draft, appContext));
  appContext.outbox.wake();
  return lastId(appContext);
}

/** A caller for codes, for tests in which the source makes no difference. */
export const anySource: OtpSource = { key: '192.0.2.1', isKnown: false, groups: [] };

/** Sends a code for a user to contacts. @returns the id of its last message. */
export async function sendTestCode(
  appContext: AppContext,
  holder: OtpBinding,
  ...contacts: readonly Contact[]
): Promise<string> {
  await appContext.store.transaction((tx) => sendOtp(tx, { ...holder, contacts, source: anySource }, appContext));
  appContext.outbox.wake();
  return lastId(appContext);
}

async function lastId({ store }: AppContext): Promise<string> {
  return (await store.messages.list()).at(-1)?.messageId ?? '';
}
