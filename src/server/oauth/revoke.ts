/** POST /oauth2/revoke */
import * as z from 'zod';
import { apiError } from '../../contract/errors.ts';
import { revokeToken } from '../auth/revoke-token.ts';
import { findApiKey, isAccepted } from '../directory/replaced-secrets.ts';
import { defineOperation } from '../operations/define.ts';
import {
  authenticateEndpointClient,
  endpointClientErrors,
  endpointTraits,
  TokenParameters,
} from './endpoint-client.ts';

export default defineOperation({
  ...endpointTraits,
  id: 'oauth2.revoke',
  title: 'Revoke a token (OAuth 2.0)',
  description:
    'OAuth 2.0 token revocation (RFC 7009). A client authenticates as at the token endpoint and revokes tokens that were issued to it: an access or refresh token with its session, an access token without a session or a product token alone. When the owner of the client has reached its growth limits, an access token without a session is revoked together with all other access tokens of the client. The response is the same for a token that is unknown, expired or of another client, which stays valid. Errors have the format of RFC 6749.',
  path: '/oauth2/revoke',
  growthLimit: false,
  request: {
    body: z.object(TokenParameters).meta({ id: 'RevocationForm' }),
    form: true,
    clientInBody: true,
  },
  response: { status: 200, body: z.strictObject({}) },
  identifies: ['client_id', 'token'],
  errors: [...endpointClientErrors, 'TOKEN_TYPE_UNSUPPORTED'],
  openapiExamples: {
    body: { token: 'cmVmcmVzaC10b2tlbg', client_id: 'billing-service', client_secret: 'only-for-this-machine' },
  },

  async handle({ body }, context) {
    const { client } = await authenticateEndpointClient(context, body);
    // A key of the client would stay valid, so success would be misleading. Keys of others are not reported.
    const { row: apiKey, match } = await findApiKey(context.store, body.token, context.clock.now());
    if (apiKey?.clientId === client.clientId && isAccepted(match)) throw apiError('TOKEN_TYPE_UNSUPPORTED');
    await revokeToken(body.token, context, client.clientId);
    return {};
  },
});
