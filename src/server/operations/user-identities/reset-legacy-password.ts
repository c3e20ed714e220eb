import * as z from 'zod';
import { ClientId } from '../../../contract/schemas/client.ts';
import { LegacyOtpCode, LogonName, TransactionId } from '../../../contract/schemas/legacy.ts';
import { CallerAddress, DeviceTokenId } from '../../../contract/schemas/otp.ts';
import { Token } from '../../../contract/schemas/token.ts';
import { LoginPassword } from '../../../contract/schemas/user.ts';
import { resetLogonPassword } from '../../legacy/logon-reset.ts';
import { normalizeLogon } from '../../legacy/mainframe-logons.ts';
import { defineOperation } from '../define.ts';

export default defineOperation({
  id: 'user-identities.reset-legacy-password',
  title: 'Reset the password of a mainframe logon',
  description:
    'Sets a new mainframe password with the code of retrieve-legacy-identity, revokes every session of the logon and of its user, and logs in. The new password must match the setting mainframe-password-rule. If it does not, if the token would be too long, or if the mainframe does not respond, the code is not consumed.',
  method: 'POST',
  path: '/user-identities/reset-legacy-password',
  auth: 'client-id',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY',
  audit: { kind: 'authentication', targets: {} },
  status: [200, 400, 401, 422, 500, 503],
  request: {
    query: { clientId: ClientId.optional().describe('Id of the calling client') },
    headers: { ip: CallerAddress },
    body: z
      .strictObject({
        logon: LogonName,
        token: LegacyOtpCode,
        newPassword: LoginPassword.describe('Must match the setting mainframe-password-rule'),
        hash: TransactionId.meta({
          description: 'hash from the response of retrieve-legacy-identity',
          examples: ['cmVzZXQtaGFzaA'],
        }),
        deviceTokenId: DeviceTokenId.optional(),
      })
      .meta({ id: 'LogonReset' }),
  },
  response: { status: 200, body: Token, secret: true },
  identifies: ['logon'],
  errors: [
    'PROOF_INVALID',
    'CODE_FAILURES',
    'PASSWORD_NOT_FOR_MAINFRAME',
    'TOO_BUSY',
    'MAINFRAME_UNAVAILABLE',
    'TOKEN_TOO_LONG',
  ],

  async handle({ body }, context) {
    const { client } = context.caller;
    const { token: code, hash: codeId, newPassword, deviceTokenId } = body;
    const reset = {
      logon: normalizeLogon(body.logon),
      code,
      codeId,
      newPassword,
      client,
      deviceTokenId,
    };
    return context.issuer.issue(await resetLogonPassword(reset, context));
  },
});
