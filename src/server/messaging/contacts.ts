/** Contacts that receive codes and notices: an e-mail address or a mobile number, and its masked form. */
import type * as z from 'zod';
import type { Mobile } from '../../contract/schemas/contact.ts';
import { foldIdentifier } from '../../lib/fold-identifier.ts';
import { maskEmail } from '../../lib/masked-email.ts';
import type { StoreSecret } from '../store/store-secret.ts';
import type { Factor, User } from '../store/tables.ts';

export type MobileNumber = z.output<typeof Mobile>;

export interface Contact {
  readonly channel: 'email' | 'sms';
  /** The address, or the number with a plus sign (E.164). */
  readonly to: string;
}

export function emailContact(email: string): Contact {
  return { channel: 'email', to: email };
}

export function mobileContact(mobile: MobileNumber): Contact {
  return { channel: 'sms', to: formatNumber(mobile) };
}

/** The number with a plus sign (E.164). */
export function formatNumber({ regionCode, areaCode, phoneNumber }: MobileNumber): string {
  return `+${regionCode}${areaCode}${phoneNumber}`;
}

/** The contact that receives the messages of a factor. */
export function contactOf({ email, mobile }: Pick<Factor, 'email' | 'mobile'>): Contact {
  if (email !== undefined) return emailContact(email);
  if (mobile !== undefined) return mobileContact(mobile);
  throw new Error('the factor has neither an e-mail nor a mobile number');
}

/** Returns the only contact of a request. Undefined if it contains none or both. */
export function selectContact(fields: {
  readonly userEmail?: string | undefined;
  readonly userMobile?: MobileNumber | undefined;
}): Contact | undefined {
  const { userEmail, userMobile } = fields;
  if ((userEmail === undefined) === (userMobile === undefined)) return undefined;
  return userEmail === undefined ? mobileContact(userMobile as MobileNumber) : emailContact(userEmail);
}

/** The key by which a contact is counted and compared: spellings of the same address have the same key. */
export function contactKey({ channel, to }: Contact): string {
  return `${channel}:${foldIdentifier(to)}`;
}

/** The verified main contacts of a user; unverified ones receive neither recovery codes nor second factors. */
export function verifiedContacts(user: User): Contact[] {
  const contacts: Contact[] = [];
  if (user.userEmail !== undefined && user.emailVerified) contacts.push(emailContact(user.userEmail));
  if (user.userMobile !== undefined && user.mobileVerified) contacts.push(mobileContact(user.userMobile));
  return contacts;
}

/** `***1234`: the last digits, at most four and never more than half of them. */
export function maskDigits(digits: string | number): string {
  const text = String(digits);
  return `***${text.slice(text.length - Math.min(4, Math.floor(text.length / 2)))}`;
}

export function maskContact({ channel, to }: Contact): string {
  return channel === 'email' ? maskEmail(to) : maskDigits(to.slice(1));
}

const decoyDomains = ['example.com', 'example.org', 'example.net'];

/**
 * Masks a contact of a user. Without one, masks a decoy that is derived from the requested identifier, so that it is always
 * the same. Creates the decoy in both cases, so that the response time does not tell them apart.
 */
export function maskContactOrDecoy(
  contact: Contact | undefined,
  { channel, identifier }: { readonly channel: Contact['channel']; readonly identifier: string },
  key: StoreSecret,
): string {
  const decoy = createDecoyContact(channel, key.digest('masked', `${channel}\n${foldIdentifier(identifier)}`));
  return maskContact(contact ?? decoy);
}

function createDecoyContact(channel: Contact['channel'], digest: string): Contact {
  const bytes = Buffer.from(digest, 'hex');
  if (channel === 'sms') return { channel, to: `+${100_000_000 + bytes.readUInt32BE(0)}` };
  const letter = String.fromCharCode('a'.charCodeAt(0) + ((bytes[0] ?? 0) % 26));
  return emailContact(`${letter}${letter}@${decoyDomains[(bytes[1] ?? 0) % decoyDomains.length]}`);
}
