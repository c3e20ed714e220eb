import { Token } from '../../../contract/schemas/token.ts';
import { authenticateClient } from '../../auth/authenticate.ts';
import { basicChallenge, createAuthenticationError } from '../../tokens/authentication-error.ts';
import { readClientContent } from '../../tokens/content.ts';
import { defineOperation } from '../define.ts';

export default defineOperation({
  id: 'client-identities.login',
  title: 'Log in a client',
  description:
    'Issues an access token to a client that authenticates with Authorization: Basic. The body, its content type and unknown headers are ignored. The correct secret is always accepted, regardless of earlier failures.',
  method: 'POST',
  path: '/client-identities/login',
  auth: 'none',
  roles: 'none',
  audit: { kind: 'authentication', targets: {} },
  status: [200, 401, 429, 500],
  request: { bodyIgnored: true },
  response: { status: 200, body: Token, secret: true },
  clientLogin: true,
  customCommand: 'login',
  identifies: ['authorization'],
  errors: [
    'CREDENTIALS_MISSING',
    'CREDENTIALS_INVALID',
    'CREDENTIALS_AMBIGUOUS',
    'TOO_MANY_ATTEMPTS',
    'TOKEN_TOO_LONG',
  ],

  async handle(_input, { credentials: readCredentials, authentication, source, store, issuer, recordLogin }) {
    const { basic, bearer, apiKey } = readCredentials();
    if (!basic) {
      const isMissing = bearer === undefined && apiKey === undefined;
      throw createAuthenticationError(isMissing ? 'CREDENTIALS_MISSING' : 'CREDENTIALS_INVALID', basicChallenge);
    }
    const client = await authenticateClient(authentication, basic, source);
    recordLogin({ clientId: client.clientId });
    return issuer.issue(await readClientContent({ store, issuer }, client));
  },
});
