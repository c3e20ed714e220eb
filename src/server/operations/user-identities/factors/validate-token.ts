import * as z from 'zod';
import { FactorId } from '../../../../contract/schemas/factor.ts';
import { OtpCode } from '../../../../contract/schemas/otp.ts';
import { sensitive } from '../../../../contract/sensitive.ts';
import { verifyFactor } from '../../../mfa/factor-verification.ts';
import { defineOperation } from '../../define.ts';

export default defineOperation({
  id: 'user-identities.factors.validate-token',
  title: 'Verify a contact of the caller with a code',
  description:
    'Accepts the code that was sent to a contact of the calling user. The contact becomes verified, and a main e-mail address becomes a login name. The code is bound to the user, the contact and the session that requested it. Wrong codes count as in fulfill-mfa, once for each live code of this contact that the session requested. Use challengeId once within five minutes in the calling session, with grant-auth-smart.',
  method: 'POST',
  path: '/user-identities/me/authentication-factors/{id}/tokens/validate',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and USER',
  audit: { kind: 'authentication', targets: { path: ['id'] } },
  status: [201, 400, 401, 403, 404, 412, 429, 500],
  request: { params: { id: FactorId }, body: z.strictObject({ token: OtpCode }).meta({ id: 'FactorProof' }) },
  response: {
    status: 201,
    body: z
      .strictObject({ challengeId: sensitive(z.string(), 'one-time').meta({ examples: ['64b0c0ffee00000000000007'] }) })
      .meta({ id: 'SmartChallenge' }),
    secret: true,
  },
  errors: ['USER_MISSING', 'MFA_MISSING', 'FACTOR_NOT_FOUND', 'CODE_INVALID', 'CODE_FAILURES', 'LOGIN_NAME_TAKEN'],
  command: 'factors validate-token',
  cliExamples: [{ title: 'Read the code from standard input', command: 'main-email --token-file -' }],

  async handle({ params, body }, context) {
    return verifyFactor(context, context.caller, params.id, body.token);
  },
});
