import { apiError } from '../../../../contract/errors.ts';
import { Id } from '../../../../contract/schemas/primitives.ts';
import { resolveClientAuthorities } from '../../../directory/service-roles.ts';
import { defineRoute } from '../../define.ts';
import { memberGrantFields, readMemberGrants } from '../../member-grants.ts';
import { ClientItem, toClientItems } from './client-item.ts';

const ClientDetail = ClientItem.extend({
  ...memberGrantFields,
  effectiveRoles: memberGrantFields.effectiveRoles.describe(
    'Authorities of the client itself: its own, and the roles of its service account; sorted; the first 1000',
  ),
});

export default defineRoute({
  capability: 'read',
  id: 'control.client',
  title: 'Show a client',
  description:
    'Returns the client with this client id, without its secret, and the groups and effective roles of its service account.',
  method: 'GET',
  path: '/clients/{id}',
  audit: { kind: 'read', targets: { path: ['id'] } },
  request: { params: { id: Id.meta({ examples: ['billing-service'] }) } },
  response: { status: 200, body: ClientDetail },
  errors: ['CLIENT_NOT_FOUND'],

  async handle({ params }, { store }) {
    const client = await store.clients.get(params.id);
    if (!client) throw apiError('CLIENT_NOT_FOUND');
    const { serviceAccountId } = client;
    const members = serviceAccountId === undefined ? [] : [{ kind: 'service', memberId: serviceAccountId } as const];
    const grants = await readMemberGrants(store, members, () => resolveClientAuthorities(store, client));
    const [item] = await toClientItems(store, [client]);
    if (!item) throw apiError('CLIENT_NOT_FOUND');
    return { ...item, ...grants };
  },
});
