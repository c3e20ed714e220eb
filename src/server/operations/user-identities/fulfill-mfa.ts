import * as z from 'zod';
import { ChallengeId, OtpCode } from '../../../contract/factor-schemas.ts';
import { Token } from '../../../contract/schemas.ts';
import { completeMfaChallenge } from '../../identity/mfa.ts';
import { defineOperation } from '../define.ts';

export default defineOperation({
  id: 'user-identities.fulfill-mfa',
  title: 'Fulfill MFA',
  description:
    'Takes the code of leverage-mfa: for twelve hours the session has AUTH-MFA, whatever is renewed. It is to be the session that asked for the code. Where the session has a refresh token, the answer brings a new one in its place. After five wrong codes from one source, in any sessions of the user, none is taken from there for an hour; after 20 over all sources only those from known sources and devices of the user, or for a code that the source asked for itself.',
  method: 'POST',
  path: '/user-identities/me/fulfill-mfa',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and USER',
  audit: { kind: 'authentication', targets: {} },
  status: [201, 400, 401, 403, 412, 429, 500],
  request: { body: z.strictObject({ challengeId: ChallengeId, token: OtpCode }).meta({ id: 'MfaProof' }) },
  response: { status: 201, body: Token, secret: true },
  errors: ['USER_MISSING', 'CODE_INVALID', 'CODE_FAILURES'],

  async handle({ body }, { caller, ...context }) {
    return completeMfaChallenge(context, caller, { codeId: body.challengeId, code: body.token });
  },
});
