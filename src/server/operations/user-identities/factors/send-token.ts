import { FactorId } from '../../../../contract/factor-schemas.ts';
import { sendFactorOtp } from '../../../identity/factor-verification.ts';
import { defineOperation } from '../../define.ts';

export default defineOperation({
  id: 'user-identities.factors.send-token',
  title: 'Send a token to an authentication factor',
  description:
    'Sends a code to a contact of the calling user, verified or not, for validate-token. The id is main-email, main-mobile, or that of an alternative contact. It is good for ten minutes; the one before that the same source asked for is void. Within an hour five go to one contact for one source and 20 over all sources, beyond that, to a verified contact, only for known sources and devices of the user. Alternative contacts that the calling client is not shown are not there for it.',
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
  cliExamples: [{ title: 'To the main e-mail', command: 'main-email' }],

  async handle({ params }, { caller, ...context }) {
    await sendFactorOtp(context, caller, params.id);
    return undefined;
  },
});
