import * as z from 'zod';
import { DeviceTokenId } from '../../../contract/factor-schemas.ts';
import { LegacyOtpCode, LogonName, TransactionId } from '../../../contract/legacy-schemas.ts';
import { ClientId } from '../../../contract/reference-schemas.ts';
import { CallerAddress, LoginPassword, Token } from '../../../contract/schemas.ts';
import { resetLogonPassword } from '../../identity/logon-reset.ts';
import { issueLogonToken, normalizeLogon } from '../../identity/logons.ts';
import { defineOperation } from '../define.ts';

export default defineOperation({
  id: 'user-identities.reset-legacy-password',
  title: 'Reset a legacy identity',
  description:
    'Sets a new mainframe password by the code of retrieve-legacy-identity, ends every session of the logon and of the user whom it belongs to, and logs in. The new password keeps the rule of the setting mainframe-password-rule; one that does not, and a mainframe that does not answer, use no code up.',
  method: 'POST',
  path: '/user-identities/reset-legacy-password',
  auth: 'client-id',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY',
  audit: { kind: 'authentication', targets: {} },
  status: [200, 400, 401, 422, 500, 503],
  request: {
    query: { clientId: ClientId.optional().describe('The calling client') },
    headers: { ip: CallerAddress },
    body: z
      .strictObject({
        logon: LogonName,
        token: LegacyOtpCode,
        newPassword: LoginPassword.describe('Keeps the rule of the setting mainframe-password-rule'),
        hash: TransactionId.describe('As retrieve-legacy-identity answered'),
        deviceTokenId: DeviceTokenId.optional(),
      })
      .meta({ id: 'LogonReset' }),
  },
  response: { status: 200, body: Token, secret: true },
  identifies: ['logon'],
  errors: ['PROOF_INVALID', 'CODE_FAILURES', 'PASSWORD_NOT_FOR_MAINFRAME', 'TOO_BUSY', 'MAINFRAME_UNAVAILABLE'],

  async handle({ body }, context) {
    const { client } = context.caller;
    const { token: code, hash: codeId, newPassword, deviceTokenId } = body;
    const reset = {
      logon: normalizeLogon(body.logon),
      code,
      codeId,
      newPassword,
      clientId: client.clientId,
      deviceTokenId,
    };
    return issueLogonToken(context.issuer, await resetLogonPassword(reset, context), client);
  },
});
