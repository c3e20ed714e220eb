/** A client in responses of the control plane. */
import * as z from 'zod';
import type { Reader } from '../../../store/store.ts';
import type { Client } from '../../../store/tables.ts';
import { addNames, nameFieldsOf } from '../../name-fields.ts';

const text = z.string();
const ownerFields = ['userId', 'businessId', 'ownerClientId'] as const;

export const ClientItem = z.strictObject({
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
  ...nameFieldsOf(...ownerFields),
  organizationId: text.optional().meta({ examples: ['example-org'] }),
  businessUnitId: text.optional().meta({ examples: ['retail'] }),
  factorVisibility: z.enum(['CREDENTIALS_ONLY', 'MARKED_RESOURCES', 'UNRESTRICTED']),
  createdAt: text.meta({ examples: ['2026-03-01T12:00:00.000Z'] }),
});

/** Clients with the names of their owners. */
export function toClientItems(store: Reader, clients: readonly Client[]) {
  return addNames(store, clients.map(toClientItem), ...ownerFields);
}

/** Omits secrets and internal fields. */
function toClientItem({ secretHash: _, tokenGeneration: _generation, bootstrap: _bootstrap, ...client }: Client) {
  return client;
}
