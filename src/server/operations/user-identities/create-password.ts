import * as z from 'zod';
import { apiError } from '../../../contract/errors.ts';
import { Empty } from '../../../contract/schemas/primitives.ts';
import { NewPassword } from '../../../contract/schemas/user.ts';
import { addPassword } from '../../auth/set-password.ts';
import { requireUserCaller } from '../../directory/principal.ts';
import { revalidateUserCaller } from '../../sessions/revalidate-caller.ts';
import { assertPasswordPolicy, passwordErrorCodes } from '../../users/password-policy.ts';
import { defineOperation } from '../define.ts';

export default defineOperation({
  id: 'user-identities.create-password',
  title: 'Create the first password',
  description:
    'Sets the first password of the calling user. If the password is rejected, the response lists each rule that it violates. The contacts of the user are notified.',
  method: 'POST',
  path: '/user-identities/me/create-password',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and (AUTH-IDENTIFIED or AUTH-BASIC)',
  needsWholeToken: true,
  audit: { kind: 'administration', targets: {} },
  status: [201, 400, 401, 403, 412, 422, 500],
  request: { body: z.strictObject({ newPassword: NewPassword }).meta({ id: 'FirstPassword' }) },
  response: { status: 201, body: Empty },
  errors: ['USER_MISSING', 'PASSWORD_EXISTS', ...passwordErrorCodes, 'TOO_BUSY'],

  async handle({ body }, context) {
    const { user } = requireUserCaller(context.caller);
    if (user.passwordHash !== undefined) throw apiError('PASSWORD_EXISTS');
    await assertPasswordPolicy(body.newPassword, user);
    const passwordHash = await context.passwords.hash(body.newPassword, context.hashFlow);
    await context.store.transaction(async (tx) => {
      const { user: current } = await revalidateUserCaller(tx, context.caller, context.clock);
      if (current.passwordHash !== undefined) throw apiError('PASSWORD_EXISTS');
      await addPassword(tx, current, passwordHash, context);
    });
    context.outbox.wake();
    return {};
  },
});
