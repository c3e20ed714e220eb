import * as z from 'zod';
import { FactorId, OtpCode } from '../../../../contract/factor-schemas.ts';
import { sensitive } from '../../../../contract/sensitive.ts';
import { verifyFactor } from '../../../identity/factor-verification.ts';
import { defineOperation } from '../../define.ts';

export default defineOperation({
  id: 'user-identities.factors.validate-token',
  title: 'Validate a Token previously sent to an authentication factor',
  description:
    'Takes the code that went to a contact of the calling user: the contact is verified from then on, a main e-mail is a login name. The code is bound to user and contact, not to the session that asked for it. Wrong ones count as with fulfill-mfa. challengeId is for grant-auth-smart in the calling session: one use, within five minutes.',
  method: 'POST',
  path: '/user-identities/me/authentication-factors/{id}/tokens/validate',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and USER',
  audit: { kind: 'authentication', targets: { path: ['id'] } },
  status: [201, 400, 401, 403, 404, 412, 429, 500],
  request: { params: { id: FactorId }, body: z.strictObject({ token: OtpCode }).meta({ id: 'FactorProof' }) },
  response: {
    status: 201,
    body: z.strictObject({ challengeId: sensitive(z.string(), 'one-time') }).meta({ id: 'SmartChallenge' }),
    secret: true,
  },
  errors: ['USER_MISSING', 'MFA_MISSING', 'FACTOR_NOT_FOUND', 'CODE_INVALID', 'CODE_FAILURES', 'LOGIN_NAME_TAKEN'],
  command: 'factors validate-token',
  cliExamples: [{ title: 'The code from standard input', command: 'main-email --token-file -' }],

  async handle({ params, body }, { caller, ...context }) {
    return verifyFactor(context, caller, params.id, body.token);
  },
});
