/** Adds, changes and removes alternative contacts. The account guard notifies the user. */
import { apiError } from '../../contract/errors.ts';
import type { Clock } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import { contactOf } from '../messaging/contacts.ts';
import type { Transaction } from '../store/store.ts';
import type { Factor, User } from '../store/tables.ts';
import { assertFactorsValid, type FactorDraft } from './factor-validation.ts';
import { isTargetOfFactor, listAlternativeFactors } from './factors.ts';
import { subjectOfUser } from './otp.ts';

interface AddFactorDeps {
  readonly clock: Clock;
  readonly ids: Ids;
}

/** A draft with the requested id. */
export interface NewFactor extends FactorDraft {
  readonly id?: string | undefined;
}

/**
 * Adds all drafts or none. @returns their ids, in the same order.
 * @throws IamError FACTOR_TAKEN, and the errors of assertFactorsValid.
 */
export async function addFactors(
  tx: Transaction,
  user: User,
  drafts: readonly NewFactor[],
  { verified }: { readonly verified: boolean },
  { clock, ids }: AddFactorDeps,
): Promise<{ readonly id: string }[]> {
  const seenIds = new Set<string>();
  for (const { id } of drafts) {
    if (id === undefined) continue;
    if (seenIds.has(id) || (await tx.factors.get(id)))
      throw apiError('FACTOR_TAKEN', `The factor id ${id} is already in use.`);
    seenIds.add(id);
  }
  assertFactorsValid(user, await listAlternativeFactors(tx, user.userId), drafts);
  const createdAt = clock.now().toISOString();
  const rows = drafts.map(({ id, ...draft }) =>
    toFactorRow({ factorId: id ?? ids.newId(), userId: user.userId, verified, createdAt }, draft),
  );
  for (const row of rows) await tx.factors.insert(row);
  return rows.map(({ factorId }) => ({ id: factorId }));
}

/** A draft that replaces an existing factor. */
export interface FactorReplacement {
  readonly draft: FactorDraft;
  /** A contact set by an administrator counts as verified. */
  readonly setByAdministrator: boolean;
}

/** The contact of a change: one that is not sent stays, unless its type changes. */
export function withContactOf(
  factor: Factor,
  { contactType, email, mobile }: Pick<FactorDraft, 'contactType' | 'email' | 'mobile'>,
): Pick<FactorDraft, 'contactType' | 'email' | 'mobile'> {
  const isSent = email !== undefined || mobile !== undefined;
  const { email: address, mobile: number } = contactType === factor.contactType && !isSent ? factor : {};
  return { contactType, email: email ?? address, mobile: mobile ?? number };
}

/**
 * Replaces an alternative contact. If the contact differs in any character, it becomes unverified, and codes and tokens of
 * the previous contact are deleted.
 * @throws IamError the errors of assertFactorsValid.
 */
export async function replaceFactor(
  tx: Transaction,
  user: User,
  before: Factor,
  { draft, setByAdministrator }: FactorReplacement,
): Promise<void> {
  const others = (await listAlternativeFactors(tx, user.userId)).filter(({ factorId }) => factorId !== before.factorId);
  assertFactorsValid(user, others, [draft]);
  const isSameContact = contactOf(before).to === contactOf(draft).to;
  const verified = setByAdministrator || (isSameContact && before.verified);
  await tx.factors.replace(toFactorRow({ ...before, verified }, draft));
  if (!isSameContact) await revokeFactorCodes(tx, before);
}

/** Removes an alternative contact, and deletes its codes and tokens. */
export async function removeFactor(tx: Transaction, factor: Factor): Promise<void> {
  await tx.factors.delete(factor.factorId);
  await revokeFactorCodes(tx, factor);
}

type FactorRowBase = Pick<Factor, 'factorId' | 'userId' | 'verified' | 'createdAt'>;

function toFactorRow({ factorId, userId, verified, createdAt }: FactorRowBase, draft: FactorDraft): Factor {
  const { contactType, email, mobile, tags } = draft;
  return {
    factorId,
    userId,
    contactType,
    ...(email === undefined ? {} : { email }),
    ...(mobile === undefined ? {} : { mobile }),
    tags: [...new Set(tags)],
    verified,
    createdAt,
  };
}

/**
 * Deletes the codes that were sent to a factor and the tokens issued for such a code. An MFA code does not record its
 * factor, so all open MFA codes of the user are deleted.
 */
async function revokeFactorCodes(tx: Transaction, { userId, factorId }: Factor): Promise<void> {
  for (const { codeId, purpose, target } of await tx.codes.find('subject', subjectOfUser(userId)))
    if (purpose === 'mfa' || (purpose === 'factor' && isTargetOfFactor(target, factorId)))
      await tx.codes.delete(codeId);
  for (const { ticketHash, kind } of await tx.tickets.find('userId', userId))
    if (kind === 'auth-smart') await tx.tickets.delete(ticketHash);
}
