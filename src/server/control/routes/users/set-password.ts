import * as z from 'zod';
import { reference } from '../../../../contract/entities.ts';
import { Id } from '../../../../contract/schemas/primitives.ts';
import { NewPassword } from '../../../../contract/schemas/user.ts';
import { replacePassword } from '../../../auth/set-password.ts';
import { derive } from '../../../lib/derive.ts';
import { assertPasswordPolicy, passwordErrorCodes } from '../../../users/password-policy.ts';
import { requireUser } from '../../../users/users.ts';
import { defineRoute } from '../../define.ts';

export default defineRoute({
  capability: 'maintain',
  id: 'control.set-password',
  title: 'Set the password of a user',
  description:
    'Sets a password as an administrator, without the previous one and without a code. All sessions of the user end, the throttles of its login names are cleared, and its verified contacts are notified. A lock stays.',
  method: 'PUT',
  path: '/users/{id}/password',
  audit: { kind: 'administration', targets: { path: ['id'] } },
  request: {
    params: { id: Id.meta({ examples: ['alice'], ...reference('user', ['id']) }) },
    body: z.strictObject({ newPassword: NewPassword }),
  },
  response: { status: 204 },
  errors: ['USER_NOT_FOUND', ...passwordErrorCodes, 'TOO_BUSY'],

  async handle({ params: { id }, body }, context) {
    const user = await requireUser(context.store, id);
    await assertPasswordPolicy(body.newPassword, user);
    const passwordHash = await context.passwords.hash(body.newPassword, context.hashFlow);
    await context.store.transaction(async (tx) => {
      const current = await requireUser(tx, id);
      await replacePassword(tx, current, passwordHash, derive(context, { source: undefined }));
    });
    await context.authentication.throttles.clear(user);
    context.outbox.wake();
  },
});
