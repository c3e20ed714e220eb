/** One namespace for userId, clientId and serviceAccountId, because each is a token's `sub`. An id is used only once. */
import { apiError } from '../../contract/errors.ts';
import type { Transaction } from '../store/store.ts';
import type { Row } from '../store/tables.ts';

/** Prefix of the `sub` of a mainframe logon without a user. No other id may start with it. */
export const logonSubjectPrefix = 'logon:';

/** @throws IamError ID_TAKEN if the id is in use, was used before, or starts with the prefix of a mainframe logon. */
export async function reserveSubjectId(tx: Transaction, reservation: Omit<Row<'subjects'>, 'retired'>): Promise<void> {
  const isTaken =
    reservation.subject.startsWith(logonSubjectPrefix) || (await tx.subjects.isTaken('key', reservation.subject));
  if (isTaken) throw apiError('ID_TAKEN', `The id ${reservation.subject} is or was in use.`);
  await tx.subjects.insert({ ...reservation, retired: false });
}

/** Retires an id: it stays reserved, so that it is never reused. */
export async function retireSubjectId(tx: Transaction, subject: string): Promise<void> {
  const row = await tx.subjects.get(subject);
  if (row) await tx.subjects.replace({ ...row, retired: true });
}
