import * as z from 'zod';
import { ClientId } from '../../../contract/schemas/client.ts';
import { lifetimeText } from '../../../contract/schemas/primitives.ts';
import { sensitive } from '../../../contract/sensitive.ts';
import { issueOneTimeToken, oneTimeTokenLifetimes } from '../../tokens/one-time-tokens.ts';
import { defineOperation } from '../define.ts';

export default defineOperation({
  id: 'user-identities.certificate-token',
  title: 'Generate a token for a certificate login',
  description:
    'Returns a value to sign with the key of a certificate. It is valid for one attempt by this client, within 120 seconds.',
  method: 'POST',
  path: '/user-identities/digital-certificate/token',
  auth: 'client-id',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY',
  audit: { kind: 'administration', targets: {} },
  status: [201, 401, 500],
  request: { query: { clientId: ClientId.optional().describe('Id of the calling client') }, bodyIgnored: true },
  response: {
    status: 201,
    body: z
      .strictObject({
        token: sensitive(z.string(), 'secret').meta({
          description: 'Value to sign, as UTF-8 text',
          examples: ['dG8tYmUtc2lnbmVk'],
        }),
        expiresIn: lifetimeText(
          'Lifetime in seconds, as a string of digits',
          oneTimeTokenLifetimes['certificate-nonce'],
        ),
      })
      .meta({ id: 'CertificateToken', description: 'A value to sign with the key of a certificate.' }),
    secret: true,
  },
  identifies: [],
  errors: [],

  async handle(_input, context) {
    const { store, caller } = context;
    const token = { kind: 'certificate-nonce', clientId: caller.client.clientId } as const;
    const { value, expiresIn } = await store.transaction((tx) => issueOneTimeToken(tx, token, context));
    return { token: value, expiresIn };
  },
});
