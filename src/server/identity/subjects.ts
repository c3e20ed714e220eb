/** One name space for userId, clientId and serviceAccountId: all of them are a token's `sub`. A name is given out once. */
import { fault } from '../../contract/errors.ts';
import type { Transaction } from '../store/store.ts';
import type { Row } from '../store/tables.ts';

/** What the `sub` of a mainframe logon begins with that belongs to no user: no other id may look like one. */
export const logonSubjectPrefix = 'logon:';

/** @throws IamError ID_TAKEN where the name is in use or was once, or is that of a mainframe logon. */
export async function claimSubject(tx: Transaction, claim: Omit<Row<'subjects'>, 'retired'>): Promise<void> {
  const isTaken = claim.subject.startsWith(logonSubjectPrefix) || (await tx.subjects.get(claim.subject));
  if (isTaken) throw fault('ID_TAKEN', `The id ${claim.subject} is in use, or was once.`);
  await tx.subjects.insert({ ...claim, retired: false });
}

/** The name stays known, so that nobody gets it again. */
export async function retireSubject(tx: Transaction, subject: string): Promise<void> {
  const row = await tx.subjects.get(subject);
  if (row) await tx.subjects.replace({ ...row, retired: true });
}
