import { apiError } from '../../../contract/errors.ts';
import { ClientId } from '../../../contract/reference-schemas.ts';
import { removeClient } from '../../identity/clients.ts';
import { ownsClient } from '../../identity/object-access.ts';
import { defineOperation } from '../define.ts';

export default defineOperation({
  id: 'my-client-identities.remove',
  title: 'Remove Client Identity',
  description:
    'Removes a client of the caller, of its business or of its user, with its API keys, memberships and tokens. The ids are not given out again. A client of somebody else is answered as if it were not there.',
  method: 'DELETE',
  path: '/my-client-identities/{clientId}',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and ((PERSON and not BUSINESS) or BUSINESSOWNER or BUSINESSADMIN)',
  audit: { kind: 'administration', targets: { path: ['clientId'] } },
  status: [204, 401, 403, 404, 500],
  request: { params: { clientId: ClientId } },
  response: { status: 204 },
  errors: ['CLIENT_NOT_FOUND'],
  command: 'my-clients delete',
  cliExamples: [{ title: 'Without being asked', command: 'CLIENT_ID --yes' }],

  async handle({ params }, { store, caller }) {
    await store.transaction(async (tx) => {
      const client = await tx.clients.get(params.clientId);
      const removable = client && client.bootstrap === undefined && ownsClient(caller, client);
      if (!removable) throw apiError('CLIENT_NOT_FOUND');
      await removeClient(tx, client);
    });
    return undefined;
  },
});
