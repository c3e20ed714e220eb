/** One name space for userId, clientId and serviceAccountId: all of them are a token's `sub`. A name is given out once. */
import { apiError } from '../../contract/errors.ts';
import type { Transaction } from '../store/store.ts';
import type { Row } from '../store/tables.ts';

/** What the `sub` of a mainframe logon begins with that belongs to no user: no other id may look like one. */
export const logonSubjectPrefix = 'logon:';

/** @throws IamError ID_TAKEN where the name is in use or was once, or is that of a mainframe logon. */
export async function reserveSubjectId(tx: Transaction, reservation: Omit<Row<'subjects'>, 'retired'>): Promise<void> {
  const isTaken = reservation.subject.startsWith(logonSubjectPrefix) || (await tx.subjects.get(reservation.subject));
  if (isTaken) throw apiError('ID_TAKEN', `The id ${reservation.subject} is in use, or was once.`);
  await tx.subjects.insert({ ...reservation, retired: false });
}

/** The name stays known, so that nobody gets it again. */
export async function retireSubjectId(tx: Transaction, subject: string): Promise<void> {
  const row = await tx.subjects.get(subject);
  if (row) await tx.subjects.replace({ ...row, retired: true });
}
