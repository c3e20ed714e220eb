/** The metadata document of the authorization server (RFC 8414, 2; OpenID Connect Discovery 1.0, 3). */
import { grantTypes } from '../../contract/grant-types.ts';
import { servicePrefix } from '../../contract/prefix.ts';
import type { AppContext } from '../app-context.ts';
import { clientAuthenticationMethods } from '../auth/client-authentication.ts';
import connectToken from '../operations/client-identities/connect-token.ts';
import introspect from './introspect.ts';
import revoke from './revoke.ts';

/** Methods of clients with a secret, and access tokens of clients (RFC 8414, 2: names of either registry). */
const introspectionMethods = [...clientAuthenticationMethods.filter((name) => name !== 'none'), 'Bearer'];

/** Built for each request, because a rotation or expiry of keys can change the algorithms. */
export function buildServerMetadata({ baseUrl, issuerUrl }: AppContext): object {
  return {
    issuer: issuerUrl,
    jwks_uri: `${baseUrl}/.well-known/jwks.json`,
    token_endpoint: `${baseUrl}${servicePrefix}${connectToken.path}`,
    token_endpoint_auth_methods_supported: clientAuthenticationMethods,
    grant_types_supported: grantTypes,
    // Required, and empty as there is no authorization endpoint.
    response_types_supported: [],
    revocation_endpoint: `${baseUrl}${revoke.path}`,
    revocation_endpoint_auth_methods_supported: clientAuthenticationMethods,
    introspection_endpoint: `${baseUrl}${introspect.path}`,
    introspection_endpoint_auth_methods_supported: introspectionMethods,
  };
}

/** The metadata with the fields that OpenID Connect requires, which verifiers read for the algorithms of the keys. */
export function buildOpenIdConfiguration(appContext: AppContext): object {
  const algorithms = appContext.keys.publicKeys().map(({ alg }) => alg);
  return {
    ...buildServerMetadata(appContext),
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [...new Set(['RS256', ...algorithms])],
  };
}
