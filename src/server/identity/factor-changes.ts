/** Adding, changing and removing alternative contacts. Each is part of a transaction; `outbox.kept()` belongs after it. */
import { fault } from '../../contract/errors.ts';
import type { Clock } from '../clock.ts';
import type { Ids } from '../ids.ts';
import type { Transaction } from '../store/store.ts';
import type { Factor, User } from '../store/tables.ts';
import { type NoticeTools, sendNotice } from './account-notices.ts';
import { type FactorDraft, requireFitting } from './factor-rules.ts';
import { alternativesOf, contactOf } from './factors.ts';
import { subjectOfUser } from './otp.ts';

interface AddTools {
  readonly clock: Clock;
  readonly ids: Ids;
}

/** A draft with the id that is wished for it. */
export interface NewFactor extends FactorDraft {
  readonly id?: string | undefined;
}

/**
 * Adds all of them, or none. @returns their ids, in the same order.
 * @throws IamError FACTOR_TAKEN, and what requireFitting throws.
 */
export async function addFactors(
  tx: Transaction,
  user: User,
  wished: readonly NewFactor[],
  { verified }: { readonly verified: boolean },
  { clock, ids }: AddTools,
): Promise<{ readonly id: string }[]> {
  const taken = new Set<string>();
  for (const { id } of wished) {
    if (id === undefined) continue;
    if (taken.has(id) || (await tx.factors.get(id))) throw fault('FACTOR_TAKEN', `There is a factor ${id} already.`);
    taken.add(id);
  }
  requireFitting(user, await alternativesOf(tx, user.userId), wished);
  const createdAt = clock.now().toISOString();
  const rows = wished.map(({ id, ...draft }) =>
    rowOf({ factorId: id ?? ids.newId(), userId: user.userId, verified, createdAt }, draft),
  );
  for (const row of rows) await tx.factors.insert(row);
  return rows.map(({ factorId }) => ({ id: factorId }));
}

/** A draft that takes the place of what is there. */
export interface Replacement {
  readonly draft: FactorDraft;
  /** Such a contact counts as verified. */
  readonly setByAdministrator: boolean;
}

/**
 * Replaces an alternative contact. Where it is another one now, to the letter, it is unverified again, what was begun
 * with the one before is over, and that one hears of it.
 * @throws IamError what requireFitting throws.
 */
export async function changeFactor(
  tx: Transaction,
  user: User,
  before: Factor,
  { draft, setByAdministrator }: Replacement,
  tools: NoticeTools,
): Promise<void> {
  const others = (await alternativesOf(tx, user.userId)).filter(({ factorId }) => factorId !== before.factorId);
  requireFitting(user, others, [draft]);
  const isKept = contactOf(before).to === contactOf(draft).to;
  const verified = setByAdministrator || (isKept && before.verified);
  await tx.factors.replace(rowOf({ ...before, verified }, draft));
  if (isKept) return;
  await voidProofsBy(tx, before);
  await notifyLostFactor(tx, before, 'changed', tools);
}

/** Removes an alternative contact; what was begun with it is over, and it hears of it. */
export async function removeFactor(tx: Transaction, factor: Factor, tools: NoticeTools): Promise<void> {
  await tx.factors.delete(factor.factorId);
  await voidProofsBy(tx, factor);
  await notifyLostFactor(tx, factor, 'removed', tools);
}

/** Notifies an alternative contact that it was changed or removed; one that was never verified may be a stranger's. */
async function notifyLostFactor(
  tx: Transaction,
  factor: Factor,
  change: 'changed' | 'removed',
  tools: NoticeTools,
): Promise<void> {
  if (!factor.verified) return;
  const text = `This contact was ${change} among the alternative contacts of your account: it receives no codes any more.`;
  await sendNotice(tx, { contact: contactOf(factor), purpose: 'contact-changed', text }, tools);
}

type Fixed = Pick<Factor, 'factorId' | 'userId' | 'verified' | 'createdAt'>;

function rowOf({ factorId, userId, verified, createdAt }: Fixed, draft: FactorDraft): Factor {
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
 * Codes that were sent to a factor, and what was given for such a code. A second proof does not say which factor it went
 * to, so all that are under way begin anew.
 */
async function voidProofsBy(tx: Transaction, { userId, factorId }: Factor): Promise<void> {
  for (const { codeId, purpose, target } of await tx.codes.find('subject', subjectOfUser(userId)))
    if (purpose === 'mfa' || (purpose === 'factor' && target === factorId)) await tx.codes.delete(codeId);
  for (const { ticketHash, kind } of await tx.tickets.find('userId', userId))
    if (kind === 'auth-smart') await tx.tickets.delete(ticketHash);
}
