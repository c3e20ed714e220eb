/** Validates the alternative contacts of a user. */
import { apiError } from '../../contract/errors.ts';
import { markedTag } from '../../contract/schemas/contact.ts';
import {
  type Contact,
  contactKey,
  contactOf,
  emailContact,
  type MobileNumber,
  mobileContact,
} from '../messaging/contacts.ts';
import type { Factor, User } from '../store/tables.ts';
import { listMainFactors } from './factors.ts';

const maxFactors = 20;

/** A requested alternative contact. */
export interface FactorDraft {
  readonly contactType: Factor['contactType'];
  readonly email?: string | undefined;
  readonly mobile?: MobileNumber | undefined;
  readonly tags: readonly string[];
}

/**
 * Checks new or changed contacts against the other contacts of the user, which are not validated again.
 * @throws IamError FACTOR_TAKEN; CONTACT_AMBIGUOUS, TOO_MANY_FACTORS, TAG_TAKEN.
 */
export function assertFactorsValid(user: User, others: readonly Factor[], drafts: readonly FactorDraft[]): void {
  assertContactsNew([...listMainFactors(user), ...others].map(contactOf), drafts);
  if (!drafts.every(hasMatchingContact)) throw apiError('CONTACT_AMBIGUOUS');
  if (others.length + drafts.length > maxFactors) throw apiError('TOO_MANY_FACTORS');
  assertMarkedOncePerType(others, drafts);
}

/** Rejects duplicate contacts: one mailbox would count as two factors. */
function assertContactsNew(known: readonly Contact[], drafts: readonly FactorDraft[]): void {
  const keys = new Set(known.map(contactKey));
  for (const key of drafts.flatMap(collectContacts).map(contactKey)) {
    if (keys.has(key)) throw apiError('FACTOR_TAKEN');
    keys.add(key);
  }
}

function collectContacts({ email, mobile }: FactorDraft): Contact[] {
  return [
    ...(email === undefined ? [] : [emailContact(email)]),
    ...(mobile === undefined ? [] : [mobileContact(mobile)]),
  ];
}

function hasMatchingContact({ contactType, email, mobile }: FactorDraft): boolean {
  const [required, other] = contactType === 'EMAIL' ? [email, mobile] : [mobile, email];
  return required !== undefined && other === undefined;
}

function assertMarkedOncePerType(others: readonly Factor[], drafts: readonly FactorDraft[]): void {
  const isMarked = ({ tags }: FactorDraft) => tags.includes(markedTag);
  const marked = new Set(others.filter(isMarked).map(({ contactType }) => contactType));
  for (const { contactType } of drafts.filter(isMarked)) {
    if (marked.has(contactType)) throw apiError('TAG_TAKEN');
    marked.add(contactType);
  }
}
