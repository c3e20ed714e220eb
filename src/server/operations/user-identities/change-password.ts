import * as z from 'zod';
import { apiError } from '../../../contract/errors.ts';
import { Empty } from '../../../contract/schemas/primitives.ts';
import { LoginPassword, NewPassword } from '../../../contract/schemas/user.ts';
import { isCurrentPassword, withVerifiedPassword } from '../../auth/login.ts';
import { replacePassword } from '../../auth/set-password.ts';
import { requireUserCaller } from '../../directory/principal.ts';
import { revalidateUserCaller } from '../../sessions/revalidate-caller.ts';
import { assertPasswordPolicy, passwordErrorCodes } from '../../users/password-policy.ts';
import { defineOperation } from '../define.ts';

export default defineOperation({
  id: 'user-identities.change-password',
  title: 'Change the password',
  description:
    'Changes the password of the calling user, who must send the current password. Ten wrong passwords from one source within 15 minutes throttle further attempts from that source. All other sessions of the user, pending codes and product tokens are revoked, and the contacts of the user are notified.',
  method: 'POST',
  path: '/user-identities/me/change-password',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and USER',
  needsWholeToken: true,
  audit: { kind: 'authentication', targets: {} },
  status: [201, 400, 401, 403, 412, 422, 429, 500],
  request: {
    body: z
      .strictObject({ password: LoginPassword.describe('Current password'), newPassword: NewPassword })
      .meta({ id: 'PasswordChange' }),
  },
  response: { status: 201, body: Empty },
  errors: ['USER_MISSING', 'PASSWORD_WRONG', 'TOO_MANY_ATTEMPTS', ...passwordErrorCodes, 'TOO_BUSY'],

  async handle({ body: { password, newPassword } }, context) {
    const { user, session } = requireUserCaller(context.caller);
    const createError = () => apiError('PASSWORD_WRONG');
    if (!(await isCurrentPassword(context, user, password))) throw createError();
    await assertPasswordPolicy(newPassword, user);
    const passwordHash = await context.passwords.hash(newPassword, context.hashFlow);
    await withVerifiedPassword({ deps: context, user, secret: password, createError }, async (tx, current) => {
      await revalidateUserCaller(tx, context.caller, context.clock);
      const keepsMfaSources = !context.caller.roles.has('AUTH-MFA');
      await replacePassword(tx, current, passwordHash, context, session, { keepsMfaSources });
    });
    context.outbox.wake();
    return {};
  },
});
