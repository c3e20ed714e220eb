import { reference } from '../../../../contract/entities.ts';
import { apiError } from '../../../../contract/errors.ts';
import { Id } from '../../../../contract/schemas/primitives.ts';
import { findService } from '../../../directory/memberships.ts';
import { defineRoute } from '../../define.ts';
import { ClientWithGrants, readClientWithGrants } from './client-with-grants.ts';

export default defineRoute({
  capability: 'read',
  id: 'control.client',
  title: 'Show a client',
  description:
    'Returns the client with this client id or service account, without its secret, and the groups and effective roles of its service account.',
  method: 'GET',
  path: '/clients/{id}',
  audit: { kind: 'read', targets: { path: ['id'] } },
  request: { params: { id: Id.meta({ examples: ['billing-service'], ...reference('client', ['id']) }) } },
  response: { status: 200, body: ClientWithGrants, entity: true },
  errors: ['CLIENT_NOT_FOUND'],

  async handle({ params }, { store, clock }) {
    const client = (await store.clients.get(params.id)) ?? (await findService(store, params.id));
    if (!client) throw apiError('CLIENT_NOT_FOUND');
    return readClientWithGrants(store, client, clock.now());
  },
});
