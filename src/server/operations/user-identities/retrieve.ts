import * as z from 'zod';
import { apiError } from '../../../contract/errors.ts';
import { ClientId } from '../../../contract/schemas/client.ts';
import { DeviceTokenId } from '../../../contract/schemas/otp.ts';
import { exampleText, nonEmptyText, optionalText } from '../../../contract/schemas/primitives.ts';
import { startRecovery } from '../../auth/recovery.ts';
import { defineOperation } from '../define.ts';

const LoginName = nonEmptyText(254).meta({ examples: ['alice'] });

export default defineOperation({
  id: 'user-identities.retrieve',
  title: 'Start recovery of a user account',
  description:
    'Sends a code for reset-password to the verified main contacts of the user. userName accepts any login identifier. An identified client receives the same response whether or not the user exists; an authenticated client receives the ids, or 404. A new code replaces the previous code that the same source requested. Per hour, one name accepts at most five requests from one source and 20 in total; beyond that, only known sources and devices of the user are admitted. The same limits apply to each contact: beyond them no code is sent, the response is the same, and the last code stays valid.',
  method: 'POST',
  path: '/user-identities/retrieve-identity',
  auth: 'client-id',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY',
  audit: { kind: 'authentication', targets: { response: ['userId', 'businessId'] } },
  status: ['200e', 201, 400, 401, 404, 429, 500],
  request: {
    query: { clientId: ClientId.optional().describe('Id of the calling client, if no header contains it') },
    body: z
      .strictObject({
        userName: LoginName.describe('Any login identifier of the user'),
        deviceTokenId: DeviceTokenId.optional(),
      })
      .meta({ id: 'RecoveryInput' }),
  },
  response: {
    status: 201,
    body: z
      .strictObject({
        userId: optionalText('alice', 'Only for authenticated clients'),
        businessId: optionalText('example-shop', 'Only for authenticated clients, if the user belongs to a business'),
        username: exampleText('alice', 'The userName of the request'),
      })
      .meta({ id: 'Recovery', description: 'The user whose account is being recovered.' }),
  },
  identifies: ['userName'],
  errors: ['USER_NOT_FOUND', 'TOO_MANY_CODES'],

  async handle({ body: { userName, deviceTokenId } }, context) {
    const isAuthenticated = context.caller.roles.has('CLI-AUTH-BASIC');
    const user = await context.store.transaction(async (tx) => {
      const { user: found } = await startRecovery(tx, { loginName: userName, deviceTokenId }, context);
      if (isAuthenticated && !found) throw apiError('USER_NOT_FOUND');
      return found;
    });
    context.outbox.wake();
    if (!isAuthenticated || !user) return { username: userName };
    const { userId, businessId } = user;
    return { userId, ...(businessId === undefined ? {} : { businessId }), username: userName };
  },
});
