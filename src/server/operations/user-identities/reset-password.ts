import * as z from 'zod';
import { ClientId } from '../../../contract/schemas/client.ts';
import { DeviceTokenId } from '../../../contract/schemas/otp.ts';
import { exampleText, textUpTo } from '../../../contract/schemas/primitives.ts';
import { NewPassword } from '../../../contract/schemas/user.ts';
import { sensitive } from '../../../contract/sensitive.ts';
import { resetPassword } from '../../auth/recovery.ts';
import { passwordErrorCodes } from '../../users/password-policy.ts';
import { defineOperation } from '../define.ts';

const Body = z
  .strictObject({
    newPassword: NewPassword,
    validationCode: sensitive(textUpTo(100), 'one-time').meta({
      description: 'Code that retrieve-identity sent',
      examples: ['493817'],
    }),
    username: textUpTo(254).meta({ description: 'Any login identifier of the user', examples: ['alice'] }),
    deviceTokenId: DeviceTokenId.optional(),
  })
  .meta({ id: 'PasswordReset' });

export default defineOperation({
  id: 'user-identities.reset-password',
  title: 'Reset the password',
  description:
    'Sets a new password with the code of retrieve-identity, also for a user without a password. Unknown names, locked users and codes that are wrong, used, expired or issued to another user return the same response. A weak password does not consume the code. All sessions of the user are revoked and the throttles of its login names are cleared; a lock stays. The contacts of the user are notified. Five wrong codes from one source, for one name or one user, block recovery for that source for an hour. After 20 wrong codes from all sources, only known sources and devices of the user are admitted, and each source with the code that it requested.',
  method: 'POST',
  path: '/user-identities/reset-password',
  auth: 'client-id',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY',
  audit: { kind: 'authentication', targets: { response: ['userId'] } },
  status: ['200e', 201, 400, 401, 412, 422, 500],
  request: {
    query: { clientId: ClientId.optional().describe('Id of the calling client, if no header contains it') },
    body: Body,
  },
  response: {
    status: 201,
    body: z
      .strictObject({ userId: exampleText('alice') })
      .meta({ id: 'PasswordResetDone', description: 'The user whose password was reset.' }),
  },
  identifies: ['username'],
  errors: ['CODE_INVALID', 'CODE_FAILURES', ...passwordErrorCodes, 'TOO_BUSY'],

  async handle({ body }, context) {
    const { username: loginName, validationCode: code, newPassword, deviceTokenId } = body;
    const user = await resetPassword(context, { loginName, code, newPassword, deviceTokenId });
    return { userId: user.userId };
  },
});
