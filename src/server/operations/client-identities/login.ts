import { Token } from '../../../contract/schemas.ts';
import { authenticateClient, basicChallenge, createAuthenticationError } from '../../identity/authenticate.ts';
import { defineOperation } from '../define.ts';

export default defineOperation({
  id: 'client-identities.login',
  title: 'Login client',
  description:
    'Gives a client that proves itself by Authorization: Basic an access token. The body, its type and unknown headers do not matter. A right secret is accepted however many wrong ones came before.',
  method: 'POST',
  path: '/client-identities/login',
  auth: 'none',
  roles: 'none',
  audit: { kind: 'authentication', targets: {} },
  status: [200, 401, 429, 500],
  request: { bodyIgnored: true },
  response: { status: 200, body: Token, secret: true },
  identifies: ['authorization'],
  errors: ['CREDENTIALS_MISSING', 'CREDENTIALS_INVALID', 'CREDENTIALS_AMBIGUOUS', 'TOO_MANY_ATTEMPTS'],

  async handle(_input, { credentials: presented, authentication, source, issuer, recordLogin: loggedIn }) {
    const { basic, bearer, apiKey } = presented();
    if (!basic) {
      const nothing = bearer === undefined && apiKey === undefined;
      throw createAuthenticationError(nothing ? 'CREDENTIALS_MISSING' : 'CREDENTIALS_INVALID', basicChallenge);
    }
    const client = await authenticateClient(authentication, basic, source);
    loggedIn(client.clientId);
    return issuer.issueForClient(client);
  },
});
