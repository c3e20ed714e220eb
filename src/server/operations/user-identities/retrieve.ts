import * as z from 'zod';
import { apiError } from '../../../contract/errors.ts';
import { DeviceTokenId } from '../../../contract/factor-schemas.ts';
import { ClientId } from '../../../contract/reference-schemas.ts';
import { startRecovery } from '../../identity/recovery.ts';
import { defineOperation } from '../define.ts';

const LoginName = z.string().min(1, 'must not be empty').max(254, 'must not be longer than 254 characters');

export default defineOperation({
  id: 'user-identities.retrieve',
  title: 'Retrieve an Identity',
  description:
    "Starts recovery: sends a code for reset-password to the user's verified main contacts; any login identifier names the user. A client that is merely named gets the same answer whether or not there is such a user; a proven one gets the ids, or 404. A new code voids the one before that the same source asked for. Within an hour a source may ask five times under one name, and all sources 20 times; beyond that only known sources and devices of the user are served. The same limits hold for each contact: beyond them nothing is sent, the answer is the same, and the last code stays good.",
  method: 'POST',
  path: '/user-identities/retrieve-identity',
  auth: 'client-id',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY',
  audit: { kind: 'authentication', targets: { response: ['userId', 'businessId'] } },
  status: ['200e', 201, 400, 401, 404, 429, 500],
  request: {
    query: { clientId: ClientId.optional().describe('The calling client, where no header names it') },
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
        userId: z.string().optional().describe('To proven clients only'),
        businessId: z.string().optional().describe('To proven clients only, where the user is of a business'),
        username: z.string().describe('As it was asked'),
      })
      .meta({ id: 'Recovery', description: 'What is told of a user who is to recover its account.' }),
  },
  identifies: ['userName'],
  errors: ['USER_NOT_FOUND', 'TOO_MANY_CODES'],

  async handle({ body: { userName, deviceTokenId } }, { caller, ...context }) {
    const isProven = caller.roles.has('CLI-AUTH-BASIC');
    const user = await context.store.transaction(async (tx) => {
      const found = await startRecovery(tx, { loginName: userName, deviceTokenId }, context);
      if (isProven && !found) throw apiError('USER_NOT_FOUND');
      return found;
    });
    context.outbox.wake();
    if (!isProven || !user) return { username: userName };
    const { userId, businessId } = user;
    return { userId, ...(businessId === undefined ? {} : { businessId }), username: userName };
  },
});
