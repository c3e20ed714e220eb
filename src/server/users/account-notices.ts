/** Notifies users of changes to their account, because someone else may have made them. */

import { foldIdentifier } from '../../lib/fold-identifier.ts';
import {
  type Contact,
  contactKey,
  contactOf,
  emailContact,
  maskContact,
  mobileContact,
  verifiedContacts,
} from '../messaging/contacts.ts';
import { enqueueMessage, type MessageDeps } from '../messaging/messages.ts';
import type { Reader, Transaction } from '../store/store.ts';
import { type Factor, isUserNameVerified, type Message, type User } from '../store/tables.ts';

export type NoticePurpose =
  | 'contact-changed'
  | 'factor-changed'
  | 'login-changed'
  | 'password-changed'
  | 'secret-rotated';

/** A user with its alternative contacts. */
export interface Account {
  readonly user: User;
  readonly factors: readonly Factor[];
}

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
  if (deps.disableRateLimits) return void (await enqueueMessage(tx, notice, deps));
  const { contact, purpose, text } = notice;
  const now = deps.clock.now().getTime();
  const sent = (await tx.messages.find('to', foldIdentifier(contact.to))).filter(
    (message) => message.purpose === purpose,
  );
  const pending = sent.find(({ collapsed, delivery }) => collapsed !== undefined && delivery === 'late');
  if (pending) return tx.messages.replace(collapseNotice(pending, text));
  const times = sent.map(({ createdAt }) => Date.parse(createdAt)).filter((at) => at > now - windowMs && at <= now);
  const first = times.sort((a, b) => a - b).at(-maxImmediateNotices);
  if (first === undefined) return void (await enqueueMessage(tx, notice, deps));
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

export async function readAccount(
  reader: Pick<Reader, 'users' | 'factors'>,
  userId: string,
): Promise<Account | undefined> {
  const user = await reader.users.get(userId);
  return user && { user, factors: await reader.factors.find('userId', userId) };
}

/**
 * Notifies a user at the contacts that were verified before a change: of login identifiers and factors that were added or
 * removed, and, at the old contact, that a contact was changed. The notice does not reveal the new contact.
 * @returns whether a notice was sent. Part of a transaction; call `outbox.wake()` after it.
 */
export async function notifyAccountChanges(
  tx: Transaction,
  before: Account,
  after: Account,
  deps: NoticeDeps,
): Promise<boolean> {
  const removed = new Set(findRemovedContacts(before.user, after.user).map(({ to }) => to));
  const logins = describeIdentifierChanges(before.user, after.user);
  const factors = describeFactorChanges(before, after);
  const notices: Notice[] = [];
  const add = (contact: Contact, purpose: NoticePurpose, lines: readonly string[]) => {
    if (lines.length > 0) notices.push({ contact, purpose, text: `${lines.join('\n')}\n${warning}` });
  };
  for (const contact of verifiedContacts(before.user)) {
    if (removed.has(contact.to)) {
      notices.push({ contact, purpose: 'contact-changed', text: formatContactChange(contact) });
      continue;
    }
    add(contact, 'login-changed', logins);
    add(contact, 'factor-changed', factors);
  }
  // An unverified contact may belong to another person: no notice.
  for (const factor of before.factors.filter(({ verified }) => verified)) {
    const contact = contactOf(factor);
    const current = after.factors.find(({ factorId }) => factorId === factor.factorId);
    if (current && contactOf(current).to === contact.to) add(contact, 'factor-changed', factors);
    else
      notices.push({ contact, purpose: 'contact-changed', text: formatFactorChange(current ? 'changed' : 'removed') });
  }
  for (const notice of notices) await sendNotice(tx, notice, deps);
  return notices.length > 0;
}

/**
 * Notifies the user of a session that replaced a secret, because a lock does not end the new one. Part of a transaction;
 * call `outbox.wake()` after it.
 */
export async function notifyRotation(
  tx: Transaction,
  user: User | undefined,
  what: string,
  deps: NoticeDeps,
): Promise<void> {
  const text = `${what} was replaced with your account. ${warning} Then have it replaced again.`;
  for (const contact of user ? verifiedContacts(user) : [])
    await sendNotice(tx, { contact, purpose: 'secret-rotated', text }, deps);
}

const warning = 'If that was not you, have an administrator lock the account.';

function formatFactorChange(change: 'changed' | 'removed'): string {
  return `This contact was ${change} among the alternative contacts of your account: it no longer receives codes.`;
}

/** Describes changes of the contacts that receive codes. The main e-mail address is a login identifier as well, and described as such. */
function describeFactorChanges(before: Account, after: Account): string[] {
  const [old, current] = [collectFactors(before), collectFactors(after)];
  const lines: string[] = [];
  for (const [key, { verified, masked }] of current) {
    const previous = old.get(key);
    if (!previous && verified) lines.push(`A contact was added to your account, to which codes are sent: ${masked}.`);
    else if (!previous)
      lines.push(`A contact was added to your account, to which codes are sent once it is verified: ${masked}.`);
    else if (!previous.verified && verified)
      lines.push(`Codes are now sent to this contact of your account: ${masked}.`);
    else if (previous.verified && !verified)
      lines.push(`No codes are sent to this contact of your account until it is verified again: ${masked}.`);
  }
  for (const [key, { masked }] of old)
    if (!current.has(key)) lines.push(`A contact was removed from your account: ${masked}.`);
  return lines;
}

interface FactorContact {
  readonly masked: string;
  readonly verified: boolean;
}

/** The contacts that can receive codes except the main e-mail address: comparison key to masked contact. */
function collectFactors({ user: { userMobile, mobileVerified }, factors }: Account): Map<string, FactorContact> {
  const contacts = [
    ...(userMobile === undefined ? [] : [{ contact: mobileContact(userMobile), verified: mobileVerified }]),
    ...factors.map((factor) => ({ contact: contactOf(factor), verified: factor.verified })),
  ];
  return new Map(
    contacts.map(({ contact, verified }) => [contactKey(contact), { verified, masked: maskContact(contact) }]),
  );
}

/** One line with the contacts that receive codes, masked, for a notice after which the user should check them. */
export function describeFactors({ user, factors }: Account): string {
  const contacts = [...verifiedContacts(user), ...factors.filter(({ verified }) => verified).map(contactOf)];
  if (contacts.length === 0) return 'No contact of your account receives codes.';
  return `These contacts of your account receive codes: ${contacts.map(maskContact).join(', ')}.`;
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
