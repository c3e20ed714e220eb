import * as z from 'zod';
import { ContactType } from '../../../contract/schemas/contact.ts';
import { FactorId } from '../../../contract/schemas/factor.ts';
import { OtpLifetime } from '../../../contract/schemas/otp.ts';
import { exampleText } from '../../../contract/schemas/primitives.ts';
import { sensitive } from '../../../contract/sensitive.ts';
import { startMfaChallenge } from '../../mfa/mfa.ts';
import { defineOperation } from '../define.ts';

const Challenge = z
  .strictObject({
    challengeId: sensitive(z.string(), 'one-time').meta({
      description: 'Id for fulfill-mfa in the calling session',
      examples: ['64b0c0ffee00000000000007'],
    }),
    contactType: ContactType,
    contact: exampleText('a***@example.com', 'Masked'),
    expiresIn: OtpLifetime,
  })
  .meta({ id: 'MfaChallenge', description: 'A code that was sent as second factor.' });

export default defineOperation({
  id: 'user-identities.leverage-mfa',
  title: 'Start MFA',
  description:
    'Sends a code for fulfill-mfa to a contact of the calling user, as second factor of this session. Without factorId, the code is sent to the main e-mail address, or to the main mobile number if the address is not verified. Only verified contacts receive codes. A new code replaces the previous code of the session. Per hour, one contact receives at most five codes for one source and 20 in total; beyond that, only for sources and devices from which the user has completed MFA. Contacts that are not visible to the calling client are reported as not found.',
  method: 'POST',
  path: '/user-identities/me/leverage-mfa',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and USER',
  audit: { kind: 'authentication', targets: {} },
  status: [201, 400, 401, 403, 404, 412, 429, 500],
  request: {
    body: z
      .strictObject({
        factorId: FactorId.optional().describe('main-email, main-mobile, or the id of an alternative contact'),
      })
      .meta({ id: 'MfaInput' }),
  },
  response: { status: 201, body: Challenge },
  errors: ['USER_MISSING', 'FACTOR_NOT_FOUND', 'FACTOR_NOT_VERIFIED', 'TOO_MANY_CODES'],

  async handle({ body }, context) {
    return startMfaChallenge(context, context.caller, body.factorId);
  },
});
