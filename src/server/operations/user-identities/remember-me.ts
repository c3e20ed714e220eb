import * as z from 'zod';
import { ClientId } from '../../../contract/schemas/client.ts';
import { CallerAddress } from '../../../contract/schemas/otp.ts';
import { textUpTo } from '../../../contract/schemas/primitives.ts';
import { Token } from '../../../contract/schemas/token.ts';
import { sensitive } from '../../../contract/sensitive.ts';
import { renewRememberedSession } from '../../auth/remember-me.ts';
import { hasClientCredential } from '../../directory/principal.ts';
import { createAuthenticationError } from '../../tokens/authentication-error.ts';
import { readSessionContent } from '../../tokens/content.ts';
import { defineOperation } from '../define.ts';

const text = textUpTo(1000);

const Body = z
  .strictObject({
    userName: textUpTo(254).meta({ description: 'Any login identifier of the user', examples: ['alice'] }),
    refreshToken: sensitive(text, 'secret').meta({
      description: 'Latest refresh token of the session',
      examples: ['cmVmcmVzaC10b2tlbg'],
    }),
    deviceTokenId: sensitive(text, 'one-time').meta({
      description: 'deviceTokenId from associate-user-device',
      examples: ['ZGV2aWNlLXRva2Vu'],
    }),
  })
  .meta({ id: 'RememberMeInput' });

export default defineOperation({
  id: 'user-identities.remember-me',
  title: 'Log in with a remembered device',
  description:
    'Logs in a user with the refresh token and the device of an earlier login. Both must belong to the user and to the calling client. A session without a device is bound to this device. The response contains a new refresh token that replaces the old one. Reusing a refresh token revokes the session and all its tokens; all other failures return the same response and do not consume the token. The level is at most AUTH-BASIC, so MFA must be completed again. The session counts as remembered from then on, and its access tokens are short-lived.',
  method: 'POST',
  path: '/user-identities/remember-me',
  auth: 'client-id',
  roles: 'CLI-AUTH-BASIC or CLI-AUTH-IDENTIFIED and CLI-1STPARTY',
  renewsSession: true,
  audit: { kind: 'authentication', targets: {} },
  status: ['200e', 201, 401, 500],
  request: {
    query: { clientId: ClientId.optional().describe('Id of the calling client') },
    headers: {
      ip: CallerAddress,
    },
    body: Body,
    malformedBody: 'CREDENTIALS_INVALID',
  },
  response: { status: 201, body: Token, secret: true },
  identifies: ['userName'],
  errors: ['CREDENTIALS_INVALID', 'TOKEN_TOO_LONG'],

  async handle({ body }, context) {
    const { caller, store } = context;
    const { client } = caller;
    const renewer = { clientId: client.clientId, hasClientCredential: hasClientCredential(caller) };
    const content = await store.transaction(async (tx) => {
      const rotation = await renewRememberedSession(tx, body, renewer, context);
      return rotation.outcome === 'rotated' ? readSessionContent(context, { ...rotation, client }) : undefined;
    });
    if (!content) throw createAuthenticationError('CREDENTIALS_INVALID');
    return context.issuer.issue(content);
  },
});
