/** A first start once more, for a store that is to forget its history: who administers it stays who he is. */
import { adminUserDefaults, type BootstrapDeps, createBootstrapClient, insertAdminUser } from '../bootstrap.ts';
import { createBootstrapGroups } from '../bootstrap-groups.ts';
import { reserveSubjectId } from '../identity/subject-ids.ts';
import type { Transaction } from '../store/store.ts';
import type { User } from '../store/tables.ts';

/**
 * Makes in an empty store what a fresh start would, with the clients, the administrator user and the ids that
 * `parts.store` has. Who removed the user does not get it back.
 */
export async function rebootstrap(tx: Transaction, parts: BootstrapDeps): Promise<void> {
  const { store, clock } = parts;
  const idOf = async (name: string) => (await store.groups.getBy('groupName', name))?.groupId ?? parts.ids.newId();
  await createBootstrapGroups(tx, { clock, createId: idOf });
  for (const kind of ['admin', 'app'] as const) {
    const { clientId, secretHash, createdAt, tokensValidFrom } = (await store.clients.getBy('bootstrap', kind)) ?? {};
    if (clientId === undefined || createdAt === undefined) continue;
    await reserveSubjectId(tx, { subject: clientId, kind: 'client', ownerId: clientId });
    await tx.clients.insert({ ...createBootstrapClient(kind), clientId, secretHash, createdAt, tokensValidFrom });
  }
  const user = await store.users.getBy('bootstrap', 'admin');
  if (user) await insertAdminUser(tx, { ...adminUserDefaults, ...pickIdentity(user) });
}

function pickIdentity({ userId, userName, passwordHash, userEmail, createdAt }: User) {
  return { userId, userName, passwordHash, userEmail, createdAt };
}
