import * as z from 'zod';
import { fault } from '../../../contract/errors.ts';
import { Empty, GivenPassword, NewPassword } from '../../../contract/schemas.ts';
import { isPasswordOf, whileProven } from '../../identity/login.ts';
import { passwordErrors, requireGoodPassword } from '../../identity/password-rules.ts';
import { requireUserCaller } from '../../identity/principal.ts';
import { replacePassword } from '../../identity/set-password.ts';
import { requireStanding } from '../../identity/standing.ts';
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
      .strictObject({ password: GivenPassword.describe('The current one'), newPassword: NewPassword })
      .meta({ id: 'PasswordChange' }),
  },
  response: { status: 201, body: Empty },
  errors: ['USER_MISSING', 'PASSWORD_WRONG', 'TOO_MANY_ATTEMPTS', ...passwordErrors, 'TOO_BUSY'],

  async handle({ body: { password, newPassword } }, context) {
    const { user, session } = requireUserCaller(context.caller);
    const refused = () => fault('PASSWORD_WRONG');
    if (!(await isPasswordOf(context, user, password))) throw refused();
    await requireGoodPassword(newPassword, user);
    const passwordHash = await context.passwords.hash(newPassword, context.hashLane);
    await whileProven({ tools: context, proven: user, secret: password, refused }, async (tx, current) => {
      await requireStanding(tx, context.caller, context.clock);
      await replacePassword(tx, current, passwordHash, context, session);
    });
    context.outbox.kept();
    return {};
  },
});
