/** Notifies users of changes to their account, because someone else may have made them. */

import { type Contact, emailContact, mobileContact, verifiedContacts } from '../messaging/contacts.ts';
import { enqueueMessage, type MessageDeps } from '../messaging/messages.ts';
import type { Transaction } from '../store/store.ts';
import { foldIdentifier, isUserNameVerified, type Message, type User } from '../store/tables.ts';

export type NoticePurpose = 'contact-changed' | 'login-changed' | 'password-changed';

export interface Notice {
  readonly contact: Contact;
  readonly purpose: NoticePurpose;
  readonly text: string;
}

export interface NoticeDeps extends MessageDeps {
  readonly disableRateLimits: boolean;
}

/** Notices of one purpose sent to a contact immediately within an hour. */
const maxImmediateNotices = 5;
const windowMs = 3_600_000;
/** Changes listed in a collapsed notice; beyond that it only contains their number. */
const maxListedChanges = 20;

/**
 * Sends a notice. No notice is dropped: beyond the limit of the contact, notices are collapsed into one that is sent at
 * the end of the hour. One-time codes have a separate limit. Part of a transaction; call `outbox.wake()` after it.
 */
export async function sendNotice(tx: Transaction, notice: Notice, deps: NoticeDeps): Promise<void> {
  if (deps.disableRateLimits) return enqueueMessage(tx, notice, deps);
  const { contact, purpose, text } = notice;
  const now = deps.clock.now().getTime();
  const sent = (await tx.messages.find('to', foldIdentifier(contact.to))).filter(
    (message) => message.purpose === purpose,
  );
  const pending = sent.find(({ collapsed, delivery }) => collapsed !== undefined && delivery === 'late');
  if (pending) return tx.messages.replace(collapseNotice(pending, text));
  const times = sent.map(({ createdAt }) => Date.parse(createdAt)).filter((at) => at > now - windowMs && at <= now);
  const first = times.sort((a, b) => a - b).at(-maxImmediateNotices);
  if (first === undefined) return enqueueMessage(tx, notice, deps);
  await enqueueMessage(tx, { ...notice, collapsedUntil: new Date(first + windowMs) }, deps);
}

function collapseNotice(pending: Message, text: string): Message {
  const collapsed = (pending.collapsed ?? 1) + 1;
  const summary = `${collapsed} changes were made to your account. If those were not you, have an administrator lock the account.`;
  return { ...pending, collapsed, text: collapsed > maxListedChanges ? summary : `${pending.text}\n${text}` };
}

/** The main contacts that a user no longer has after a change. */
export function findRemovedContacts(before: User, after: User): Contact[] {
  const remaining = new Set(listMainContacts(after).map(({ to }) => to));
  return listMainContacts(before).filter(({ to }) => !remaining.has(to));
}

function listMainContacts({ userEmail, userMobile }: User): Contact[] {
  return [
    ...(userEmail === undefined ? [] : [emailContact(userEmail)]),
    ...(userMobile === undefined ? [] : [mobileContact(userMobile)]),
  ];
}

/**
 * Notifies a user at the contacts that were verified before a change: of login identifiers that were added or removed,
 * and, at the old contact, that a contact was changed. The notice does not reveal the new contact.
 * @returns whether a notice was sent. Part of a transaction; call `outbox.wake()` after it.
 */
export async function notifyAccountChanges(
  tx: Transaction,
  before: User,
  after: User,
  deps: NoticeDeps,
): Promise<boolean> {
  const removed = new Set(findRemovedContacts(before, after).map(({ to }) => to));
  const changes = describeIdentifierChanges(before, after);
  const notices = verifiedContacts(before).flatMap((contact): Notice[] => {
    if (removed.has(contact.to)) return [{ contact, purpose: 'contact-changed', text: formatContactChange(contact) }];
    if (changes.length === 0) return [];
    const text = `${changes.join('\n')}\nIf that was not you, have an administrator lock the account.`;
    return [{ contact, purpose: 'login-changed', text }];
  });
  for (const notice of notices) await sendNotice(tx, notice, deps);
  return notices.length > 0;
}

function formatContactChange({ channel }: Contact): string {
  const what = channel === 'email' ? 'e-mail address' : 'mobile number';
  return `The ${what} of your account was changed by an administrator.`;
}

function describeIdentifierChanges(before: User, after: User): string[] {
  const [old, current] = [collectIdentifiers(before), collectIdentifiers(after)];
  const added = [...current].filter(([name]) => !old.has(name));
  const removed = [...old].filter(([name]) => !current.has(name));
  return [
    ...added.map(([, displayName]) => `A login identifier was added to your account: ${displayName}.`),
    ...removed.map(([, displayName]) => `A login identifier was removed from your account: ${displayName}.`),
  ];
}

/** The login identifiers of a user except its id, which never changes: comparison key to display name. */
function collectIdentifiers(user: User): Map<string, string> {
  const { userName, identities, userEmail, emailVerified, legacyLogons = [] } = user;
  const names = [
    ...(isUserNameVerified(user) ? [userName] : []),
    ...identities,
    ...(userEmail !== undefined && emailVerified ? [userEmail] : []),
  ];
  return new Map([
    ...names.map((name) => [foldIdentifier(name), name] as const),
    ...legacyLogons.map((logon) => [`logon ${logon}`, `logon ${logon}`] as const),
  ]);
}
