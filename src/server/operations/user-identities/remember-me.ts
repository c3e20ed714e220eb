import * as z from 'zod';
import { ClientId } from '../../../contract/reference-schemas.ts';
import { CallerAddress, Token } from '../../../contract/schemas.ts';
import { sensitive } from '../../../contract/sensitive.ts';
import { createAuthenticationError } from '../../identity/authenticate.ts';
import { hasClientCredential } from '../../identity/principal.ts';
import { renewRememberedSession } from '../../identity/remember-me.ts';
import { issueSessionToken } from '../../identity/session-tokens.ts';
import { defineOperation } from '../define.ts';

const text = z.string().max(1000, 'must not be longer than 1000 characters');

const Body = z
  .strictObject({
    userName: z
      .string()
      .max(254, 'must not be longer than 254 characters')
      .describe('Any login identifier of the user'),
    refreshToken: sensitive(text, 'secret').describe('The last one of the session'),
    deviceTokenId: sensitive(text, 'one-time').describe('What associate-device gave for the device'),
  })
  .meta({ id: 'RememberMeInput' });

export default defineOperation({
  id: 'user-identities.remember-me',
  title: 'User remember-me',
  description:
    'Logs a user in again by the refresh token and the device of an earlier login. Both must be those of the user, and of the calling client; a session that is bound to no device yet is bound to this one from then on. The answer has a new refresh token, to be kept in place of the old one: a second use of a refresh token ends its session with all tokens, and whatever else is wrong is refused in one way and does not use it up. The level is AUTH-BASIC at most, so a second proof has to be given anew; from then on the session counts as remembered, and its access tokens are short.',
  method: 'POST',
  path: '/user-identities/remember-me',
  auth: 'client-id',
  roles: 'CLI-AUTH-BASIC or CLI-AUTH-IDENTIFIED and CLI-1STPARTY',
  audit: { kind: 'authentication', targets: {} },
  status: ['200e', 201, 401, 500],
  request: {
    query: { clientId: ClientId.optional().describe('The calling client') },
    headers: {
      ip: CallerAddress,
    },
    body: Body,
    malformedBody: 'CREDENTIALS_INVALID',
  },
  response: { status: 201, body: Token, secret: true },
  identifies: ['userName'],
  errors: ['CREDENTIALS_INVALID'],

  async handle({ body }, { caller, store, ...tools }) {
    const { client } = caller;
    const renewer = { clientId: client.clientId, hasClientCredential: hasClientCredential(caller) };
    const rotation = await store.transaction((tx) => renewRememberedSession(tx, body, renewer, tools));
    if (rotation.outcome !== 'rotated') throw createAuthenticationError('CREDENTIALS_INVALID');
    const { session, refreshToken } = rotation;
    const token = await issueSessionToken({ store, issuer: tools.issuer }, session, client, { refreshToken });
    if (!token) throw createAuthenticationError('CREDENTIALS_INVALID');
    return token;
  },
});
