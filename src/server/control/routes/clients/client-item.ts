/** A client in responses of the control plane. */
import * as z from 'zod';
import { optionalText } from '../../../../contract/schemas/primitives.ts';
import { idTokenAlgorithms } from '../../../../contract/signing-algorithms.ts';
import { readRedirectUris } from '../../../directory/clients.ts';
import { isInOverlap } from '../../../directory/replaced-secrets.ts';
import type { Reader } from '../../../store/store.ts';
import type { Client } from '../../../store/tables.ts';
import { addNames, nameFieldsOf } from '../../name-fields.ts';
import { previousEndsAt } from '../../secret-rotation.ts';

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
  redirectURIs: z
    .array(text)
    .readonly()
    .meta({ examples: [['https://app.example.com/callback']] }),
  audiences: z
    .array(text)
    .readonly()
    .meta({ description: 'Audiences of its tokens, besides the issuer', examples: [['https://api.example.com']] }),
  browserLogin: z
    .boolean()
    .optional()
    .meta({
      description: 'Whether it takes part in browser logins; absent: yes if it is first-party',
      examples: [true],
    }),
  postLogoutRedirectURIs: z
    .array(text)
    .readonly()
    .meta({ description: 'Redirect URIs after a logout', examples: [['https://app.example.com/goodbye']] }),
  requirePkce: z
    .boolean()
    .optional()
    .meta({ description: 'Whether browser logins must use PKCE; absent: yes', examples: [false] }),
  requirePushedAuthorizationRequests: z
    .boolean()
    .optional()
    .meta({
      description: 'Whether browser logins must push their request; absent: no',
      examples: [true],
    }),
  idTokenAlg: z
    .enum(idTokenAlgorithms)
    .optional()
    .meta({ description: 'Algorithm that signs its ID tokens; absent: RS256', examples: ['ES256'] }),
  serviceAccountId: text.optional().meta({ examples: ['billing-service'] }),
  userId: text.optional().meta({ examples: ['alice'] }),
  businessId: text.optional().meta({ examples: ['example-shop'] }),
  ownerClientId: text.optional().meta({ examples: ['portal'] }),
  ...nameFieldsOf(...ownerFields),
  organizationId: text.optional().meta({ examples: ['example-org'] }),
  businessUnitId: text.optional().meta({ examples: ['retail'] }),
  factorVisibility: z.enum(['CREDENTIALS_ONLY', 'MARKED_RESOURCES', 'UNRESTRICTED']),
  createdAt: text.meta({ examples: ['2026-03-01T12:00:00.000Z'] }),
  secretRotatedAt: optionalText('2026-03-01T12:00:00.000Z', 'When the secret was last rotated'),
  previousSecretEndsAt: previousEndsAt('secret'),
});

/** Clients with the names of their owners. */
export function toClientItems(reader: Reader, clients: readonly Client[], now: Date) {
  const items = clients.map((client) => toClientItem(client, now));
  return addNames(reader, items, ...ownerFields);
}

/** Omits secrets and internal fields. */
function toClientItem(client: Client, now: Date) {
  const { secretHash: _, previousSecret, tokenGeneration: _generation, bootstrap: _bootstrap, ...fields } = client;
  const { redirectURI: _first, otherRedirectURIs: _others, ...others } = fields;
  const { audiences = [], postLogoutRedirectURIs = [] } = client;
  const item = { ...others, redirectURIs: readRedirectUris(client), audiences, postLogoutRedirectURIs };
  return isInOverlap(previousSecret, now) ? { ...item, previousSecretEndsAt: previousSecret.endsAt } : item;
}
