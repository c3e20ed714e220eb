import * as z from 'zod';
import { ClientId } from '../../../contract/reference-schemas.ts';
import { Token } from '../../../contract/schemas.ts';
import { sensitive } from '../../../contract/sensitive.ts';
import { loginWithCertificate } from '../../identity/certificate-login.ts';
import { defineOperation } from '../define.ts';

const Certificate = z.string().max(16_000, 'must not be longer than 16000 characters');

const Body = z
  .strictObject({
    token: sensitive(z.string().max(200, 'must not be longer than 200 characters'), 'secret').describe(
      'What was signed',
    ),
    certificate: Certificate.describe('PEM, or base64 of DER'),
    chain: z
      .array(Certificate)
      .max(5, 'must not have more than 5 entries')
      .optional()
      .describe('Certificates between it and a trusted authority, in any order'),
    signature: sensitive(z.string().max(2000, 'must not be longer than 2000 characters'), 'one-time').describe(
      'Base64 of the signature over the text of the token; for ES256 as in JWTs, or in DER',
    ),
    algorithm: z.enum(['RS256', 'PS256', 'ES256']).optional().describe('RS256 or ES256 where missing, as the key is'),
  })
  .meta({ id: 'CertificateLoginInput' });

export default defineOperation({
  id: 'user-identities.certificate-login',
  title: 'Authenticate with digital certificate',
  description:
    'Logs in the user whom a certificate is registered with (x5t#S256:<SHA-256 in hexadecimal> as a login identifier), else the user whose verified e-mail it names. The token that was signed is used up by the try. Whatever is wrong, the answer is the same.',
  method: 'POST',
  path: '/user-identities/digital-certificate/login',
  auth: 'client-id',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY',
  audit: { kind: 'authentication', targets: {} },
  status: [201, 400, 401, 500],
  request: {
    query: {
      clientId: ClientId.optional().describe('The calling client'),
      'remember-me': z.boolean().optional().describe('Gives a refresh token and shorter access tokens'),
    },
    body: Body,
  },
  response: { status: 201, body: Token, secret: true },
  identifies: ['certificate'],
  errors: ['PROOF_INVALID'],

  async handle({ query, body }, { caller, ...context }) {
    const { token: text, chain = [], ...rest } = body;
    const remember = query['remember-me'] ?? false;
    return loginWithCertificate(context, { ...rest, text, chain }, caller.client, { remember, renewable: remember });
  },
});
