import * as z from 'zod';
import { ChallengeId, OtpCode } from '../../../contract/schemas/otp.ts';
import { Token } from '../../../contract/schemas/token.ts';
import { completeMfaChallenge } from '../../mfa/mfa.ts';
import { defineOperation } from '../define.ts';

export default defineOperation({
  id: 'user-identities.fulfill-mfa',
  title: 'Complete MFA',
  description:
    'Accepts the code of leverage-mfa in the session that requested it. The session has AUTH-MFA for twelve hours, including renewed tokens. If the session has a refresh token, the response contains a new one. Five wrong codes from one source, in any sessions of the user, block that source for an hour. After 20 wrong codes from all sources, codes are accepted only from sources and devices from which the user has completed MFA in the last 90 days; a recovery of the account clears the wrong codes, at most once an hour. The source and the device of the session are known for MFA from then on.',
  method: 'POST',
  path: '/user-identities/me/fulfill-mfa',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and USER',
  audit: { kind: 'authentication', targets: {} },
  status: [201, 400, 401, 403, 412, 429, 500],
  request: { body: z.strictObject({ challengeId: ChallengeId, token: OtpCode }).meta({ id: 'MfaProof' }) },
  response: { status: 201, body: Token, secret: true },
  errors: ['USER_MISSING', 'CODE_INVALID', 'CODE_FAILURES', 'TOKEN_TOO_LONG'],

  async handle({ body }, context) {
    return completeMfaChallenge(context, context.caller, { codeId: body.challengeId, code: body.token });
  },
});
