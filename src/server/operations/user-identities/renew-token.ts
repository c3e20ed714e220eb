import * as z from 'zod';
import { ClientId } from '../../../contract/schemas/client.ts';
import { textUpTo } from '../../../contract/schemas/primitives.ts';
import { Token } from '../../../contract/schemas/token.ts';
import { sensitive } from '../../../contract/sensitive.ts';
import { hasClientCredential } from '../../directory/principal.ts';
import { rotateRefreshToken } from '../../sessions/refresh-tokens.ts';
import { createAuthenticationError } from '../../tokens/authentication-error.ts';
import { readSessionContent } from '../../tokens/content.ts';
import { defineOperation } from '../define.ts';

const Body = z
  .strictObject({
    refreshToken: sensitive(textUpTo(1000), 'secret').meta({
      examples: ['cmVmcmVzaC10b2tlbg'],
    }),
  })
  .meta({ id: 'RenewTokenInput' });

export default defineOperation({
  id: 'user-identities.renew-token',
  title: 'Renew tokens with a refresh token',
  description:
    "Exchanges an unused refresh token for a new access token and a new refresh token. Reusing a refresh token revokes the session and all its tokens. A refresh token belongs to one client; requests of other clients are rejected and do not consume it. For a session of a user, a first-party client can identify itself by its id only; a client's own refresh token, and one of a login with a browser if the client has a secret, require its secret or API key. A session that is bound to a device can be renewed only with remember-me. The expiry of the session does not change.",
  method: 'POST',
  path: '/user-identities/renew-token',
  auth: 'client-id',
  roles: 'CLI-AUTH-BASIC or CLI-AUTH-IDENTIFIED and CLI-1STPARTY',
  renewsSession: true,
  audit: { kind: 'authentication', targets: {} },
  status: [201, 400, 401, 500],
  request: { query: { clientId: ClientId.optional().describe('Id of the calling client') }, body: Body },
  response: { status: 201, body: Token, secret: true },
  identifies: [],
  errors: ['CREDENTIALS_INVALID', 'TOKEN_TOO_LONG'],

  async handle({ body }, context) {
    const { caller, store } = context;
    const { client } = caller;
    const renewer = { clientId: client.clientId, hasClientCredential: hasClientCredential(caller) };
    const content = await store.transaction(async (tx) => {
      const rotation = await rotateRefreshToken(tx, body.refreshToken, renewer, context);
      return rotation.outcome === 'rotated' ? readSessionContent(context, { ...rotation, client }) : undefined;
    });
    if (!content) throw createAuthenticationError('CREDENTIALS_INVALID');
    return context.issuer.issue(content);
  },
});
