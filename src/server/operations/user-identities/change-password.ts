import * as z from 'zod';
import { apiError } from '../../../contract/errors.ts';
import { Empty, LoginPassword, NewPassword } from '../../../contract/schemas.ts';
import { isCurrentPassword, withVerifiedPassword } from '../../identity/login.ts';
import { assertPasswordPolicy, passwordErrorCodes } from '../../identity/password-policy.ts';
import { requireUserCaller } from '../../identity/principal.ts';
import { revalidateUserCaller } from '../../identity/revalidate-caller.ts';
import { replacePassword } from '../../identity/set-password.ts';
import { defineOperation } from '../define.ts';

export default defineOperation({
  id: 'user-identities.change-password',
  title: 'Change Password',
  description:
    'Changes the password of the calling user, who gives the current one; after ten wrong ones from one source within 15 minutes further ones from there wait. Every other session of the user ends, with codes under way and product tokens, and its contacts are told.',
  method: 'POST',
  path: '/user-identities/me/change-password',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and USER',
  audit: { kind: 'authentication', targets: {} },
  status: [201, 400, 401, 403, 412, 422, 429, 500],
  request: {
    body: z
      .strictObject({ password: LoginPassword.describe('The current one'), newPassword: NewPassword })
      .meta({ id: 'PasswordChange' }),
  },
  response: { status: 201, body: Empty },
  errors: ['USER_MISSING', 'PASSWORD_WRONG', 'TOO_MANY_ATTEMPTS', ...passwordErrorCodes, 'TOO_BUSY'],

  async handle({ body: { password, newPassword } }, context) {
    const { user, session } = requireUserCaller(context.caller);
    const refused = () => apiError('PASSWORD_WRONG');
    if (!(await isCurrentPassword(context, user, password))) throw refused();
    await assertPasswordPolicy(newPassword, user);
    const passwordHash = await context.passwords.hash(newPassword, context.hashLane);
    await withVerifiedPassword({ deps: context, user, secret: password, createError: refused }, async (tx, current) => {
      await revalidateUserCaller(tx, context.caller, context.clock);
      await replacePassword(tx, current, passwordHash, context, session);
    });
    context.outbox.wake();
    return {};
  },
});
