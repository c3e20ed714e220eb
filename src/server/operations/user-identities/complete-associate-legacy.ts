import * as z from 'zod';
import { apiError } from '../../../contract/errors.ts';
import { LegacyOtpCode, TransactionId } from '../../../contract/schemas/legacy.ts';
import { requireUserCaller } from '../../directory/principal.ts';
import { associationPurpose } from '../../legacy/logon-association.ts';
import { bindLogon } from '../../legacy/mainframe-logons.ts';
import { consumeOtp, subjectOfUser } from '../../mfa/otp.ts';
import { resolveSessionOtpSource } from '../../mfa/otp-source.ts';
import { revalidateCaller } from '../../sessions/revalidate-caller.ts';
import { requireUser } from '../../users/users.ts';
import { defineOperation } from '../define.ts';

export default defineOperation({
  id: 'user-identities.complete-associate-legacy',
  title: 'Complete the association of a mainframe logon',
  description:
    'Binds the logon to the calling user with the code that was sent. Sessions of the logon without a user are revoked. Wrong codes are limited as in fulfill-mfa.',
  method: 'POST',
  path: '/user-identities/me/legacy-logons/complete',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and USER',
  needsWholeToken: true,
  audit: { kind: 'authentication', targets: {} },
  status: [201, 400, 401, 403, 412, 429, 500],
  request: {
    body: z
      .strictObject({
        challengeId: TransactionId.describe('challengeId from the response of the association'),
        token: LegacyOtpCode,
      })
      .meta({ id: 'LogonAssociationCode' }),
  },
  response: {
    status: 201,
    body: z
      .strictObject({ legacyLogons: z.array(z.string()).meta({ examples: [['ALICE01']] }) })
      .meta({ id: 'LegacyLogons', description: 'All mainframe logons of a user.' }),
  },
  errors: ['USER_MISSING', 'MFA_MISSING', 'CODE_INVALID', 'LOGON_TAKEN', 'CODE_FAILURES'],

  async handle({ body }, context) {
    const { user, session } = requireUserCaller(context.caller);
    const source = resolveSessionOtpSource(user, session, context);
    const check = {
      source,
      purpose: associationPurpose,
      subject: subjectOfUser(user.userId),
      codeId: body.challengeId,
      code: body.token,
    } as const;
    const legacyLogons = await consumeOtp(check, context, async (tx, { about: logon }) => {
      await revalidateCaller(tx, context.caller, context.clock);
      if (logon === undefined) throw apiError('CODE_INVALID');
      return bindLogon(tx, await requireUser(tx, user.userId), logon);
    });
    return { legacyLogons };
  },
});
