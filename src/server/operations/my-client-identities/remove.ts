import { apiError } from '../../../contract/errors.ts';
import { ClientId } from '../../../contract/schemas/client.ts';
import { removeClient } from '../../auth/remove-client.ts';
import { ownsClient } from '../../directory/object-access.ts';
import { defineOperation } from '../define.ts';

export default defineOperation({
  id: 'my-client-identities.remove',
  title: 'Delete a client of the caller',
  description:
    'Deletes a client that belongs to the caller, its business or its user, with its API keys, memberships and tokens. Its ids are never reused. Clients of other owners are reported as not found.',
  method: 'DELETE',
  path: '/my-client-identities/{clientId}',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and ((PERSON and not BUSINESS) or BUSINESSOWNER or BUSINESSADMIN)',
  needsWholeToken: true,
  audit: { kind: 'administration', targets: { path: ['clientId'] } },
  status: [204, 401, 403, 404, 500],
  request: { params: { clientId: ClientId } },
  response: { status: 204 },
  errors: ['CLIENT_NOT_FOUND'],
  command: 'my-clients delete',
  cliExamples: [{ title: 'Without confirmation', command: 'CLIENT_ID --yes' }],

  async handle({ params }, { store, caller }) {
    await store.transaction(async (tx) => {
      const client = await tx.clients.get(params.clientId);
      const removable = client && client.bootstrap === undefined && ownsClient(caller, client);
      if (!removable) throw apiError('CLIENT_NOT_FOUND');
      await removeClient(tx, client);
    });
  },
});
