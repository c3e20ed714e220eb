import * as z from 'zod';
import { ClientId } from '../../../contract/reference-schemas.ts';
import { sensitive } from '../../../contract/sensitive.ts';
import { issueOneTimeToken } from '../../identity/one-time-tokens.ts';
import { defineOperation } from '../define.ts';

export default defineOperation({
  id: 'user-identities.certificate-token',
  title: 'Generate token to login with digital certificate',
  description:
    'Gives a value to sign with the key of a certificate. It is good for one try of this client, within 120 seconds.',
  method: 'POST',
  path: '/user-identities/digital-certificate/token',
  auth: 'client-id',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY',
  audit: { kind: 'administration', targets: {} },
  status: [201, 401, 500],
  request: { query: { clientId: ClientId.optional().describe('The calling client') }, bodyIgnored: true },
  response: {
    status: 201,
    body: z
      .strictObject({
        token: sensitive(z.string(), 'secret').describe('What is to be signed, as UTF-8 text'),
        expiresIn: z.string().regex(/^\d+$/).describe('Remaining seconds as a string of digits'),
      })
      .meta({ id: 'CertificateToken', description: 'A value to sign with the key of a certificate.' }),
    secret: true,
  },
  identifies: [],
  errors: [],

  async handle(_input, { store, caller, ...tools }) {
    const ticket = { kind: 'certificate-nonce', clientId: caller.client.clientId } as const;
    const { value, expiresIn } = await store.transaction((tx) => issueOneTimeToken(tx, ticket, tools));
    return { token: value, expiresIn };
  },
});
