import { FactorId } from '../../../../contract/schemas/factor.ts';
import { sendFactorOtp } from '../../../mfa/factor-verification.ts';
import { defineOperation } from '../../define.ts';

export default defineOperation({
  id: 'user-identities.factors.send-token',
  title: 'Send a code to a contact of the caller',
  description:
    'Sends a code for validate-token to a contact of the calling user, verified or not. The id is main-email, main-mobile, or the id of an alternative contact. Only the requesting session can use the code. It expires after ten minutes and replaces the previous code that the session requested from the same source. Per hour, one contact receives at most five codes for one source and 20 in total. Beyond that, only verified contacts receive codes, and only for sources and devices from which the user has completed MFA. Contacts that are not verified receive at most 20 codes a day for the user, except on loopback. Contacts that are not visible to the calling client are reported as not found.',
  method: 'POST',
  path: '/user-identities/me/authentication-factors/{id}/tokens',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and USER',
  audit: { kind: 'authentication', targets: { path: ['id'] } },
  status: ['200e', 204, 401, 404, 500],
  request: { params: { id: FactorId } },
  response: { status: 204 },
  errors: ['USER_MISSING', 'FACTOR_NOT_FOUND', 'TOO_MANY_CODES'],
  command: 'factors send-token',
  cliExamples: [{ title: 'To the main e-mail address', command: 'main-email' }],

  async handle({ params }, context) {
    await sendFactorOtp(context, context.caller, params.id);
  },
});
