import * as z from 'zod';
import { ContactType, FactorId } from '../../../contract/factor-schemas.ts';
import { sensitive } from '../../../contract/sensitive.ts';
import { startMfaChallenge } from '../../identity/mfa.ts';
import { defineOperation } from '../define.ts';

const Challenge = z
  .strictObject({
    challengeId: sensitive(z.string(), 'one-time').describe('For fulfill-mfa in the calling session'),
    contactType: ContactType,
    contact: z.string().describe('Masked'),
    expiresIn: z.string().describe('Seconds as a string of digits'),
  })
  .meta({ id: 'MfaChallenge', description: 'A code is under way as second proof.' });

export default defineOperation({
  id: 'user-identities.leverage-mfa',
  title: 'Leverage MFA',
  description:
    'Sends a code to a contact of the calling user, as second proof for fulfill-mfa in this session. Without factorId it goes to the main e-mail, where that is not verified to the main mobile; only verified contacts receive one. A new one voids the one before of the session. Within an hour five go to one contact for one source and 20 over all sources, beyond that only for known sources and devices of the user. Alternative contacts that the calling client is not shown are not there for it.',
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

  async handle({ body }, { caller, ...context }) {
    return startMfaChallenge(context, caller, body.factorId);
  },
});
