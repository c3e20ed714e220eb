/** GET /_iam/clients */
import * as z from 'zod';
import { PageQuery, singleLine } from '../../../../contract/schemas/primitives.ts';
import { readFilteredPage } from '../../../store/pages.ts';
import type { Client } from '../../../store/tables.ts';
import { defineRoute } from '../../define.ts';

const text = z.string();

const ClientItem = z.strictObject({
  clientId: text.meta({ examples: ['billing-service'] }),
  appId: text.meta({ examples: ['billing'] }),
  party: z.enum(['1STPARTY', '3RDPARTY']),
  authorities: z
    .array(text)
    .readonly()
    .meta({ examples: [['AUTH-BASIC']] }),
  scope: z
    .array(text)
    .readonly()
    .meta({ examples: [['reports.read']] }),
  grantTypes: z
    .array(text)
    .readonly()
    .meta({ examples: [['client_credentials']] }),
  redirectURI: text.optional().meta({ examples: ['https://app.example.com/callback'] }),
  serviceAccountId: text.optional().meta({ examples: ['billing-service'] }),
  userId: text.optional().meta({ examples: ['alice'] }),
  businessId: text.optional().meta({ examples: ['example-shop'] }),
  ownerClientId: text.optional().meta({ examples: ['portal'] }),
  organizationId: text.optional().meta({ examples: ['example-org'] }),
  businessUnitId: text.optional().meta({ examples: ['retail'] }),
  factorVisibility: z.enum(['CREDENTIALS_ONLY', 'MARKED_RESOURCES', 'UNRESTRICTED']),
  createdAt: text.meta({ examples: ['2026-03-01T12:00:00.000Z'] }),
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
      name: singleLine(64, 'Only clients with this client id, service account id or application')
        .optional()
        .meta({ examples: ['billing'] }),
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
