/** Whoever loses a contact hears of it there, since it may be somebody else who took it away. */
import type { Randomness } from '../randomness.ts';
import type { Transaction } from '../store/store.ts';
import type { Factor, User } from '../store/tables.ts';
import { type Contact, contactKey, emailContact, mobileContact } from './contacts.ts';
import { contactOf } from './factors.ts';
import { type MessageTools, queueMessage } from './messages.ts';
import { countSending } from './otp-rate-limit.ts';

const purpose = 'contact-changed';

/** The main contacts that a user no longer has after a change. */
export function lostContacts(before: User, after: User): Contact[] {
  const kept = new Set(mainContacts(after).map(({ to }) => to));
  return mainContacts(before).filter(({ to }) => !kept.has(to));
}

function mainContacts({ userEmail, userMobile }: User): Contact[] {
  return [
    ...(userEmail === undefined ? [] : [emailContact(userEmail)]),
    ...(userMobile === undefined ? [] : [mobileContact(userMobile)]),
  ];
}

/** Part of a transaction; `outbox.kept()` belongs after it. */
export async function announceLostContacts(
  tx: Transaction,
  contacts: readonly Contact[],
  tools: MessageTools,
): Promise<void> {
  for (const contact of contacts) {
    const what = contact.channel === 'email' ? 'e-mail address' : 'mobile number';
    const text = `The ${what} of your account was changed by an administrator.`;
    await queueMessage(tx, { contact, purpose, text }, tools);
  }
}

export interface NoticeTools extends MessageTools {
  readonly randomness: Randomness;
  readonly disableRateLimits: boolean;
}

/**
 * Tells an alternative contact that it was changed or removed. Part of a transaction; `outbox.kept()` belongs after it.
 * Anybody can be named as a contact, so a user has at most five such notices an hour sent to one.
 */
export async function announceLostFactor(
  tx: Transaction,
  factor: Factor,
  happened: 'changed' | 'removed',
  tools: NoticeTools,
): Promise<void> {
  const contact = contactOf(factor);
  if (!(await countSending(tx, `notice:${factor.userId}:${contactKey(contact)}`, tools, { quiet: true }))) return;
  const text = `This contact was ${happened} among the alternative contacts of your account: it receives no codes any more.`;
  await queueMessage(tx, { contact, purpose, text }, tools);
}
