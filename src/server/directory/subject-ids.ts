/**
 * One namespace for userId, clientId and serviceAccountId, because each is a token's `sub`. An id is used only once, and
 * stays an id: it does not become the login name of another user.
 */
import { hash } from 'node:crypto';
import { apiError } from '../../contract/errors.ts';
import { generatedIdForm } from '../../contract/schemas/primitives.ts';
import { foldIdentifier } from '../../lib/fold-identifier.ts';
import type { Transaction } from '../store/store.ts';
import type { Row, User } from '../store/tables.ts';

/** Prefix of the `sub` of a mainframe logon without a user. No other id may start with it. */
export const logonSubjectPrefix = 'logon:';

export interface SubjectReservation extends Pick<Row<'subjects'>, 'subject' | 'kind'> {
  readonly ownerId: string;
}

/**
 * @param options `reuses`: the kind of objects whose removed ids may be used again.
 * @throws IamError ID_TAKEN if the id is in use, was used before, or starts with the prefix of a mainframe logon.
 */
export async function reserveSubjectId(
  tx: Transaction,
  reservation: SubjectReservation,
  { reuses }: { readonly reuses?: SubjectReservation['kind'] } = {},
): Promise<void> {
  const { subject } = reservation;
  const retired = await findRetired(tx, subject);
  const isRetired = retired !== undefined && retired.kind !== reuses;
  if (isRetired || subject.startsWith(logonSubjectPrefix) || (await tx.subjects.isTaken('key', subject)))
    throw apiError('ID_TAKEN', `The id ${subject} is or was in use.`);
  if (retired) await tx.subjects.delete(retired.subject);
  await tx.subjects.insert(reservation);
}

/** Whether the id is in use, or was used before. */
export async function isSubjectUsed(tx: Transaction, subject: string): Promise<boolean> {
  return (await tx.subjects.get(subject)) !== undefined || (await findRetired(tx, subject)) !== undefined;
}

/**
 * Retires an id, so that it is never reused. A chosen one stays as a digest of fixed size, as it may be long. One that the
 * server made is deleted: it never makes it again, and only administrators and seeds may choose ids of this form.
 */
export async function retireSubjectId(tx: Transaction, subject: string): Promise<void> {
  const row = await tx.subjects.get(subject);
  if (!row) return;
  await tx.subjects.delete(subject);
  if (!generatedIdForm.test(subject)) await tx.subjects.insert({ subject: digestSubject(subject), kind: row.kind });
}

/**
 * Whether a new login name can be taken for an id of another: one of the generated form, or that of a removed user, which
 * was a login name. The name of a user who signed up, which no administrator chose, is no id of a client or service either.
 * @param name as `foldIdentifier` returns it
 */
export async function isLikeSubjectId(tx: Transaction, name: string, user: User): Promise<boolean> {
  if (generatedIdForm.test(name)) return true;
  const retired = await findRetired(tx, name);
  if (retired && (retired.kind === 'user' || user.selfRegistered)) return true;
  if (!user.selfRegistered) return false;
  const id = foldIdentifier(user.userName) === name ? user.userName : name;
  return Boolean((await tx.clients.get(id)) ?? (await tx.clients.getBy('serviceAccountId', id)));
}

/** The keys of the rows that `reserveSubjectId` reads. */
export function listSubjectKeys(subject: string): string[] {
  return generatedIdForm.test(subject) ? [subject] : [subject, digestSubject(subject)];
}

async function findRetired(tx: Transaction, subject: string): Promise<Row<'subjects'> | undefined> {
  return generatedIdForm.test(subject) ? undefined : tx.subjects.get(digestSubject(subject));
}

/** 32 characters, the same for both letter cases, as in login names. No id contains `#`. */
function digestSubject(subject: string): string {
  return `#${hash('sha256', foldIdentifier(subject), 'buffer').subarray(0, 23).toString('base64url')}`;
}
