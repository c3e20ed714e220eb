/** Repeats the bootstrap for a reset store, with the existing administrator and bootstrap clients. */
import { adminUserDefaults, type BootstrapDeps, createBootstrapClient, insertAdminUser } from '../bootstrap.ts';
import { createBootstrapGroups } from '../bootstrap-groups.ts';
import { reserveSubjectId } from '../directory/subject-ids.ts';
import type { Transaction } from '../store/store.ts';
import type { User } from '../store/tables.ts';

/**
 * Creates the bootstrap entities in an empty store, with the clients, the administrator user and the ids of `deps.store`.
 * A deleted administrator user is not created again.
 */
export async function restoreBootstrap(tx: Transaction, deps: BootstrapDeps): Promise<void> {
  const { store, clock } = deps;
  const idOf = async (name: string) => (await store.groups.getBy('groupName', name))?.groupId ?? deps.ids.newId();
  await createBootstrapGroups(tx, { clock, createId: idOf });
  for (const kind of ['admin', 'app'] as const) {
    const client = await store.clients.getBy('bootstrap', kind);
    if (!client) continue;
    const { clientId, secretHash, createdAt, tokenGeneration } = client;
    await reserveSubjectId(tx, { subject: clientId, kind: 'client', ownerId: clientId });
    await tx.clients.insert({
      ...createBootstrapClient(kind),
      clientId,
      secretHash,
      createdAt,
      tokenGeneration,
    });
  }
  const user = await store.users.getBy('bootstrap', 'admin');
  if (user) await insertAdminUser(tx, { ...adminUserDefaults, ...pickIdentity(user) });
}

function pickIdentity({ userId, userName, passwordHash, userEmail, createdAt }: User) {
  return { userId, userName, passwordHash, userEmail, createdAt };
}
