/** POST /oauth2/token */
import * as z from 'zod';
import { oauthGrantTypes } from '../../contract/grant-types.ts';
import { sensitive } from '../../contract/sensitive.ts';
import { issueGrant } from '../auth/grants.ts';
import {
  codeParameters,
  deviceErrors,
  parseGrantRequest,
  tokenErrors,
  tokenFields,
  tokenParameters,
  toOAuthToken,
} from '../auth/token-form.ts';
import { defineOperation } from '../operations/define.ts';
import { endpointTraits } from './endpoint-client.ts';

const Form = z
  .object({
    ...tokenParameters,
    ...codeParameters,
    grant_type: tokenParameters.grant_type.describe(oauthGrantTypes.join(', ')),
  })
  .meta({ id: 'AuthorizationTokenForm' });

const Tokens = z
  .strictObject({
    ...tokenFields,
    id_token: sensitive(z.string(), 'secret')
      .optional()
      .meta({
        description: 'With the scope openid (OpenID Connect Core 1.0, 3.1.3.3)',
        examples: ['eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJhbGljZSJ9.c2lnbmF0dXJl'],
      }),
  })
  .meta({ id: 'OpenIdTokens', description: 'Token response of RFC 6749, 5.1, and of OpenID Connect.' });

export default defineOperation({
  ...endpointTraits,
  id: 'oauth2.token',
  title: 'Obtain tokens (OAuth 2.0, OpenID Connect)',
  description:
    'The token endpoint (RFC 6749) that the metadata names: the grants of the service, authorization_code for logins with a browser, and device_code for devices without one. Errors have the format of the RFC.',
  path: '/oauth2/token',
  renewsSession: true,
  request: { body: Form, form: true, repeatable: ['resource'], clientInBody: true },
  response: { status: 200, body: Tokens, secret: true },
  identifies: ['client_id', 'username'],
  errors: [...tokenErrors, ...deviceErrors],
  openapiExamples: {
    body: {
      ...{ grant_type: 'authorization_code', client_id: 'web', client_secret: 'only-for-this-machine' },
      ...{ code: 'Y29kZQ', redirect_uri: 'https://app.example.com/callback', code_verifier: 'dmVyaWZpZXI' },
    },
  },

  async handle({ body }, context) {
    const request = parseGrantRequest(body, oauthGrantTypes);
    return toOAuthToken(context.issuer, await issueGrant(context, request, { clientsRenew: false }));
  },
});
