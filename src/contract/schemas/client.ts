/** Schemas of clients: OAuth clients, their applications, service accounts and scopes. */
import * as z from 'zod';
import { definition, reference } from '../entities.ts';
import { sensitive } from '../sensitive.ts';
import { idTokenAlgorithms } from '../signing-algorithms.ts';
import { exampleText, Id, listUpTo, memberList, NewId, singleLine, textUpTo } from './primitives.ts';

export const ClientId = Id.meta({
  description: 'Client id',
  ...reference('client', ['id']),
  examples: ['billing-service'],
});

/** The service account id of a client, used in group memberships. */
export const ServiceId = Id.meta({
  description: 'Service account id of a client',
  'x-label': 'Service account id of a client',
  ...reference('client', ['serviceAccount']),
  examples: ['billing-service'],
});

/** Path parameter: either id of a client. */
export const ServiceOrClientId = Id.meta({
  description: 'Service account id, or client id',
  'x-label': 'Service account id, or client id',
  ...reference('client', ['serviceAccount', 'id']),
  examples: ['billing-service'],
});

/** An application id. Applications exist only as a field of clients. */
export function applicationId(description: string) {
  return singleLine(64, description).meta({
    'x-label': 'Application',
    ...reference('client', ['application']),
    examples: ['billing'],
  });
}

/** RFC 6749, 3.3: printable ASCII without space, quote and backslash. */
export const ScopeName = textUpTo(100)
  .regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'must be printable ASCII without spaces, quotes and backslashes')
  .meta({ examples: ['reports.read'] });

const RedirectURI = z.url('must be a URI').max(2000, 'must not be longer than 2000 characters');

/** All redirect URIs of a client. The operations that create clients set the first one only. */
export const RedirectURIs = listUpTo(50, RedirectURI);

/** RFC 7519, 4.1.3. A fragment is refused as RFC 8707, 2 does for resources. */
const Audience = textUpTo(200)
  .regex(/^[!$-~]+$/, 'must be printable ASCII without spaces, quotes and #')
  .meta({ examples: ['https://api.example.com'] });

/** Audiences of the tokens of a client, besides the server itself. The operations that create clients set none. */
export const Audiences = listUpTo(20, Audience);

/** Settings of browser logins (OpenID Connect). No operation of the interface sets them. */
export const browserLoginFields = {
  browserLogin: z
    .boolean()
    .optional()
    .describe('Whether users can log in with a browser (default: if first-party)')
    .meta({ examples: [true] }),
  postLogoutRedirectURIs: listUpTo(50, RedirectURI)
    .optional()
    .describe('Redirect URIs after a logout')
    .meta({ examples: [['https://app.example.com/goodbye']] }),
  requirePkce: z
    .boolean()
    .optional()
    .describe('Whether browser logins must use PKCE (default: yes)')
    .meta({ examples: [false] }),
  requirePushedAuthorizationRequests: z
    .boolean()
    .optional()
    .describe('Whether browser logins must push their request (default: no)')
    .meta({ examples: [true] }),
  idTokenAlg: z
    .enum(idTokenAlgorithms)
    .optional()
    .describe('Algorithm that signs its ID tokens (default: RS256)')
    .meta({ examples: ['ES256'] }),
};

/** Fields of the body of both operations that create clients. */
export const clientFields = {
  appId: applicationId('Application that the client belongs to'),
  serviceAccountId: NewId.optional()
    .describe('Service account of the client, to which groups grant roles')
    .meta({ ...definition('client', 'serviceAccount'), examples: ['billing-service'] }),
  scope: listUpTo(100, ScopeName).optional().describe('Scopes of its tokens'),
  redirectURI: RedirectURI.optional().meta({
    description: 'Redirect URI for logins',
    examples: ['https://app.example.com/callback'],
  }),
  grantTypes: listUpTo(20, singleLine(100, 'A grant type').meta({ examples: ['client_credentials'] }))
    .optional()
    .describe('OAuth grant types that the client may use (default: client_credentials)'),
  businessUnitId: singleLine(64, 'Business unit the client belongs to')
    .optional()
    .meta({ examples: ['retail'] }),
  organizationId: singleLine(64, 'Organization the client belongs to')
    .optional()
    .meta({ examples: ['example-org'] }),
};

export const ClientCredentials = z
  .strictObject({
    clientId: exampleText('billing-service'),
    clientSecret: sensitive(z.string(), 'secret').meta({
      description: 'Returned only once',
      examples: ['only-for-this-machine'],
    }),
  })
  .meta({ id: 'ClientCredentials', description: 'Id and secret of a new client.' });

export const ServiceReference = z
  .strictObject({ serviceId: ServiceId })
  .meta({ id: 'ServiceReference', description: 'A service.' });

export const ServiceReferences = memberList(ServiceReference);

/** The query of a login that can be remembered. */
export const LoginQuery = {
  clientId: ClientId.optional().describe('Id of the calling client'),
  'remember-me': z.boolean().optional().describe('Issue a refresh token and access tokens with a shorter lifetime'),
};
