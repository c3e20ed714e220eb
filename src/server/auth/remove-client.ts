/** Deletes clients. */

import { retireSubjectId } from '../directory/subject-ids.ts';
import { endSessionsOfClient } from '../sessions/end-sessions.ts';
import type { Transaction } from '../store/store.ts';
import { type Client, membershipKey, memberValue } from '../store/tables.ts';

/** Deletes a client with its keys, sessions, codes and memberships. Its ids are not reused. */
export async function removeClient(tx: Transaction, client: Client): Promise<void> {
  const { clientId, serviceAccountId } = client;
  for (const key of await tx.apiKeys.find('clientId', clientId)) await tx.apiKeys.delete(key.apiKeyId);
  await endSessionsOfClient(tx, clientId);
  for (const ticket of await tx.tickets.find('clientId', clientId)) await tx.tickets.delete(ticket.ticketHash);
  await tx.clients.delete(clientId);
  await retireSubjectId(tx, clientId);
  if (serviceAccountId === undefined) return;
  await retireSubjectId(tx, serviceAccountId);
  const memberships = await tx.memberships.find('member', memberValue({ kind: 'service', memberId: serviceAccountId }));
  for (const membership of memberships) await tx.memberships.delete(membershipKey(membership));
}
