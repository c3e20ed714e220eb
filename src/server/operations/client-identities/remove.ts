import { fault } from '../../../contract/errors.ts';
import { Id } from '../../../contract/schemas.ts';
import { retireSubject } from '../../identity/subjects.ts';
import type { Transaction } from '../../store/store.ts';
import { type Client, membershipKey, memberValue } from '../../store/tables.ts';
import { defineOperation } from '../define.ts';

export default defineOperation({
  id: 'client-identities.remove',
  title: 'Remove identity',
  description:
    'Removes the client with this service account id or client id, with its API keys, memberships and tokens. The ids are not given out again.',
  method: 'DELETE',
  path: '/client-identities/{serviceAccountId}',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-MFA and ADMIN',
  status: ['200e', 204, 401, 404, 500],
  request: { params: { serviceAccountId: Id.describe('Service account id, or client id') } },
  response: { status: 204 },
  errors: ['CLIENT_NOT_FOUND', 'BOOTSTRAP_CLIENT'],
  command: 'clients delete',
  examples: [{ title: 'Without being asked', command: 'billing-service --yes' }],

  async handle({ params }, { store }) {
    await store.transaction(async (tx) => {
      const client =
        (await tx.clients.getBy('serviceAccountId', params.serviceAccountId)) ??
        (await tx.clients.get(params.serviceAccountId));
      if (!client) throw fault('CLIENT_NOT_FOUND');
      if (client.bootstrap !== undefined) throw fault('BOOTSTRAP_CLIENT');
      await removeClient(tx, client);
    });
    return undefined;
  },
});

/** Its tokens end with it: each call with one looks the client up. */
async function removeClient(tx: Transaction, client: Client): Promise<void> {
  for (const key of await tx.apiKeys.find('clientId', client.clientId)) await tx.apiKeys.delete(key.apiKeyId);
  await tx.clients.delete(client.clientId);
  await retireSubject(tx, client.clientId);
  if (client.serviceAccountId === undefined) return;
  await retireSubject(tx, client.serviceAccountId);
  const memberships = await tx.memberships.find(
    'member',
    memberValue({ kind: 'service', memberId: client.serviceAccountId }),
  );
  for (const membership of memberships) await tx.memberships.delete(membershipKey(membership));
}
