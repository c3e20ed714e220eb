/** GET /_iam/clients */
import * as z from 'zod';
import { PageQuery, singleLine } from '../../../../contract/schemas/primitives.ts';
import { readFilteredPage } from '../../../directory/pagination.ts';
import type { Client } from '../../../store/tables.ts';
import { defineRoute } from '../../define.ts';

const text = z.string();

const ClientItem = z.strictObject({
  clientId: text,
  appId: text,
  party: z.enum(['1STPARTY', '3RDPARTY']),
  authorities: z.array(text).readonly(),
  scope: z.array(text).readonly(),
  grantTypes: z.array(text).readonly(),
  redirectURI: text.optional(),
  serviceAccountId: text.optional(),
  userId: text.optional(),
  businessId: text.optional(),
  ownerClientId: text.optional(),
  organizationId: text.optional(),
  businessUnitId: text.optional(),
  factorVisibility: z.enum(['CREDENTIALS_ONLY', 'MARKED_RESOURCES', 'UNRESTRICTED']),
  createdAt: text,
});

export default defineRoute({
  capability: 'read',
  id: 'control.clients',
  title: 'List clients',
  description: 'Sorted by id, without secrets.',
  method: 'GET',
  path: '/clients',
  audit: { kind: 'read', targets: {} },
  status: [200, 206, 400, 401, 403, 500],
  request: {
    query: {
      ...PageQuery,
      name: singleLine(64, 'Only clients with this client id, service account id or application').optional(),
    },
  },
  response: { page: ClientItem },
  errors: [],

  async handle({ query: { name } }, { store, range }) {
    const page = await readFilteredPage(
      range,
      (part) => store.clients.list(part),
      ({ clientId }) => clientId,
      ({ clientId, serviceAccountId, appId }) =>
        name === undefined || [clientId, serviceAccountId, appId].includes(name),
    );
    return { ...page, items: page.items.map(toClientItem) };
  },
});

/** Omits secrets and internal fields. */
function toClientItem({ secretHash: _, tokensValidFrom: _from, bootstrap: _bootstrap, ...client }: Client) {
  return client;
}
