/** A first start once more, for a store that is to forget its history: who administers it stays who he is. */
import { type BootstrapParts, insertAdminUser, newAdminUser, newClient } from '../bootstrap.ts';
import { makeGroups } from '../bootstrap-groups.ts';
import { claimSubject } from '../identity/subjects.ts';
import type { Transaction } from '../store/store.ts';
import type { User } from '../store/tables.ts';

/**
 * Makes in an empty store what a fresh start would, with the clients, the administrator user and the ids that
 * `parts.store` has. Who removed the user does not get it back.
 */
export async function bootstrapAgain(tx: Transaction, parts: BootstrapParts): Promise<void> {
  const { store, clock } = parts;
  const idOf = async (name: string) => (await store.groups.getBy('groupName', name))?.groupId ?? parts.ids.newId();
  await makeGroups(tx, { clock, idOf });
  for (const kind of ['admin', 'app'] as const) {
    const { clientId, secretHash, createdAt, tokensValidFrom } = (await store.clients.getBy('bootstrap', kind)) ?? {};
    if (clientId === undefined || createdAt === undefined) continue;
    await claimSubject(tx, { subject: clientId, kind: 'client', ownerId: clientId });
    await tx.clients.insert({ ...newClient(kind), clientId, secretHash, createdAt, tokensValidFrom });
  }
  const user = await store.users.getBy('bootstrap', 'admin');
  if (user) await insertAdminUser(tx, { ...newAdminUser, ...namesOf(user) });
}

function namesOf({ userId, userName, passwordHash, userEmail, createdAt }: User) {
  return { userId, userName, passwordHash, userEmail, createdAt };
}
