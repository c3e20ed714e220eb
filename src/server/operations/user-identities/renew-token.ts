import * as z from 'zod';
import { ClientId } from '../../../contract/reference-schemas.ts';
import { Token } from '../../../contract/schemas.ts';
import { sensitive } from '../../../contract/sensitive.ts';
import { createAuthenticationError } from '../../identity/authenticate.ts';
import { hasClientCredential } from '../../identity/principal.ts';
import { issueSessionToken } from '../../identity/session-tokens.ts';
import { rotateRefreshToken } from '../../identity/sessions.ts';
import { defineOperation } from '../define.ts';

const Body = z
  .strictObject({ refreshToken: sensitive(z.string().max(1000, 'must not be longer than 1000 characters'), 'secret') })
  .meta({ id: 'RenewTokenInput' });

export default defineOperation({
  id: 'user-identities.renew-token',
  title: 'Renew Token',
  description:
    "A fresh access token and a new refresh token for one that was not used yet. A second use of a refresh token ends its session with all tokens. A refresh token belongs to one client: from another it is refused, and nothing happens to it. A first-party client may just name itself, but what a client has of itself it renews with its secret or key only. A session that is bound to a device is renewed by remember-me alone. The session's end stays where it is.",
  method: 'POST',
  path: '/user-identities/renew-token',
  auth: 'client-id',
  roles: 'CLI-AUTH-BASIC or CLI-AUTH-IDENTIFIED and CLI-1STPARTY',
  audit: { kind: 'authentication', targets: {} },
  status: [201, 400, 401, 500],
  request: { query: { clientId: ClientId.optional().describe('The calling client') }, body: Body },
  response: { status: 201, body: Token, secret: true },
  identifies: [],
  errors: ['CREDENTIALS_INVALID'],

  async handle({ body }, { caller, store, ...tools }) {
    const { client } = caller;
    const renewer = { clientId: client.clientId, hasClientCredential: hasClientCredential(caller) };
    const rotation = await store.transaction((tx) => rotateRefreshToken(tx, body.refreshToken, renewer, tools));
    if (rotation.outcome !== 'rotated') throw createAuthenticationError('CREDENTIALS_INVALID');
    const { session, refreshToken } = rotation;
    const token = await issueSessionToken({ store, issuer: tools.issuer }, session, client, { refreshToken });
    if (!token) throw createAuthenticationError('CREDENTIALS_INVALID');
    return token;
  },
});
