import * as z from 'zod';
import { LoginQuery } from '../../../contract/schemas/client.ts';
import { listUpTo, textUpTo } from '../../../contract/schemas/primitives.ts';
import { Token } from '../../../contract/schemas/token.ts';
import { sensitive } from '../../../contract/sensitive.ts';
import { startCertificateSession } from '../../federation/certificate-login.ts';
import { defineOperation } from '../define.ts';

const Certificate = textUpTo(16_000);

const Body = z
  .strictObject({
    token: sensitive(textUpTo(200), 'secret').meta({
      description: 'The signed token',
      examples: ['dG8tYmUtc2lnbmVk'],
    }),
    certificate: Certificate.meta({
      description: 'PEM, or base64 of DER',
      examples: ['MIIBszCCAVmgAwIBAgIUQ2VydGlmaWNhdGU='],
    }),
    chain: listUpTo(5, Certificate)
      .optional()
      .meta({
        description: 'Intermediate certificates up to a trusted authority, in any order',
        examples: [['MIIBszCCAVmgAwIBAgIUSXNzdWVy']],
      }),
    signature: sensitive(textUpTo(2000), 'one-time').meta({
      description: 'Base64 of the signature of the token text; for ES256 in JWS or DER format',
      examples: ['MEUCIQDc2lnbmF0dXJl'],
    }),
    algorithm: z.enum(['RS256', 'PS256', 'ES256']).optional().describe('Default: RS256 or ES256, depending on the key'),
  })
  .meta({ id: 'CertificateLoginInput' });

export default defineOperation({
  id: 'user-identities.certificate-login',
  title: 'Log in with a digital certificate',
  description:
    'Logs in the user with the login identifier x5t#S256:<SHA-256 in hexadecimal> of the certificate, otherwise the user whose verified e-mail address is in the certificate. Each attempt consumes the signed token. All failures return the same response.',
  method: 'POST',
  path: '/user-identities/digital-certificate/login',
  auth: 'client-id',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY',
  audit: { kind: 'authentication', targets: {} },
  status: [201, 400, 401, 500],
  request: {
    query: LoginQuery,
    body: Body,
  },
  response: { status: 201, body: Token, secret: true },
  identifies: ['certificate'],
  errors: ['PROOF_INVALID', 'TOKEN_TOO_LONG'],

  async handle({ query, body }, context) {
    const { token: text, chain = [], ...rest } = body;
    const remember = query['remember-me'] ?? false;
    const content = await startCertificateSession(context, { ...rest, text, chain }, context.caller.client, {
      remember,
      renewable: remember,
    });
    return context.issuer.issue(content);
  },
});
