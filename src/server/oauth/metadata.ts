/** The metadata document of the authorization server (RFC 8414, 2; OpenID Connect Discovery 1.0, 3). */
import { oauthGrantTypes } from '../../contract/grant-types.ts';
import { idTokenAlgorithms } from '../../contract/signing-algorithms.ts';
import { signInLevels } from '../../contract/testing/sign-in-levels.ts';
import type { AppContext } from '../app-context.ts';
import { clientAuthenticationMethods } from '../auth/client-authentication.ts';
import { openidScopes, prompts, responseModes } from './authorization-request.ts';
import { authorize } from './authorize.ts';
import { deviceAuthorization } from './device-authorization.ts';
import introspect from './introspect.ts';
import { logout } from './logout.ts';
import { par } from './par.ts';
import revoke from './revoke.ts';
import token from './token.ts';
import { UserInfo, userinfo } from './userinfo.ts';

/** Methods of clients with a secret, and access tokens of clients (RFC 8414, 2: names of either registry). */
const introspectionMethods = [...clientAuthenticationMethods.filter((name) => name !== 'none'), 'Bearer'];

/** The metadata of an OAuth client. */
export function buildServerMetadata({ baseUrl, issuerUrl }: AppContext): object {
  return {
    issuer: issuerUrl,
    jwks_uri: `${baseUrl}/.well-known/jwks.json`,
    authorization_endpoint: `${baseUrl}${authorize.path}`,
    token_endpoint: `${baseUrl}${token.path}`,
    token_endpoint_auth_methods_supported: clientAuthenticationMethods,
    grant_types_supported: oauthGrantTypes,
    response_types_supported: ['code'],
    response_modes_supported: responseModes,
    scopes_supported: openidScopes,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    pushed_authorization_request_endpoint: `${baseUrl}${par.path}`,
    // Of the server; clients can have it (RFC 9126, 5 and 6).
    require_pushed_authorization_requests: false,
    device_authorization_endpoint: `${baseUrl}${deviceAuthorization.path}`,
    userinfo_endpoint: `${baseUrl}${userinfo.path}`,
    end_session_endpoint: `${baseUrl}${logout.path}`,
    revocation_endpoint: `${baseUrl}${revoke.path}`,
    revocation_endpoint_auth_methods_supported: clientAuthenticationMethods,
    introspection_endpoint: `${baseUrl}${introspect.path}`,
    introspection_endpoint_auth_methods_supported: introspectionMethods,
  };
}

/** The metadata with the fields that OpenID Connect requires. */
export function buildOpenIdConfiguration(appContext: AppContext): object {
  return {
    ...buildServerMetadata(appContext),
    subject_types_supported: ['public'],
    acr_values_supported: signInLevels,
    prompt_values_supported: prompts,
    claims_supported: Object.keys(UserInfo.shape),
    claims_parameter_supported: false,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    id_token_signing_alg_values_supported: idTokenAlgorithms,
  };
}
