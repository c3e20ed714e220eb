import { apiError } from '../../../contract/errors.ts';
import { ServiceOrClientId } from '../../../contract/schemas/client.ts';
import { removeClient } from '../../auth/remove-client.ts';
import { assertServiceRemovable } from '../../directory/object-access.ts';
import { defineOperation } from '../define.ts';

export default defineOperation({
  id: 'client-identities.remove',
  title: 'Delete a client',
  description:
    'Deletes the client with this service account id or client id, with its API keys, memberships and tokens. Its ids are never reused. Deleting a service that has an IAM_ADMIN role from a group requires IAM_ADMIN_MAINTENANCE.',
  method: 'DELETE',
  path: '/client-identities/{serviceAccountId}',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-MFA and ADMIN',
  audit: { kind: 'administration', targets: { path: ['serviceAccountId'] } },
  status: ['200e', 204, 401, 404, 500],
  request: { params: { serviceAccountId: ServiceOrClientId } },
  response: { status: 204 },
  errors: ['CLIENT_NOT_FOUND', 'BOOTSTRAP_CLIENT'],
  command: 'clients delete',
  cliExamples: [{ title: 'Without confirmation', command: 'billing-service --yes' }],

  async handle({ params }, { store, caller }) {
    await store.transaction(async (tx) => {
      const client =
        (await tx.clients.getBy('serviceAccountId', params.serviceAccountId)) ??
        (await tx.clients.get(params.serviceAccountId));
      if (!client) throw apiError('CLIENT_NOT_FOUND');
      if (client.bootstrap !== undefined) throw apiError('BOOTSTRAP_CLIENT');
      await assertServiceRemovable(tx, client, caller);
      await removeClient(tx, client);
    });
  },
});
