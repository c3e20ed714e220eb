import * as z from 'zod';
import { apiError } from '../../../contract/errors.ts';
import { BusinessId } from '../../../contract/schemas/business.ts';
import { ClientCredentials, clientFields } from '../../../contract/schemas/client.ts';
import { UserId } from '../../../contract/schemas/user.ts';
import { addClient, assertMayGrantScope, createClientRow } from '../../directory/clients.ts';
import { assertBusinessesExist, assertUsersExist } from '../../directory/memberships.ts';
import type { Transaction } from '../../store/store.ts';
import { defineOperation } from '../define.ts';

const Body = z
  .strictObject({
    ...clientFields,
    userId: UserId.optional().describe('User that owns the client'),
    businessId: BusinessId.optional().describe('Business that owns the client'),
  })
  .meta({ id: 'ClientInput' });

export default defineOperation({
  id: 'client-identities.create',
  title: 'Create a client',
  description:
    'Creates a first-party client. Without IAM_ADMIN_MAINTENANCE, a caller can give it only the scope that it has itself, and a user of a client with a secret only what the application client of the server has, too. With remote access or behind a proxy, a client of such a caller with a grant type of browser logins has browserLogin: false: users can log in to it once an administrator with IAM_ADMIN_MAINTENANCE and AUTH-MFA approves it. The secret is returned only once; the server stores its hash.',
  method: 'POST',
  path: '/client-identities',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-MFA and ADMIN',
  audit: {
    kind: 'administration',
    targets: {
      body: ['appId', 'serviceAccountId', 'businessUnitId', 'organizationId', 'userId', 'businessId'],
      response: ['clientId'],
    },
  },
  status: ['200e', 201, 400, 401, 403, 412, 500],
  request: { body: Body },
  response: { status: 201, body: ClientCredentials, secret: true },
  errors: [
    'NAME_NOT_VISIBLE',
    'SCOPE_EXCEEDED',
    'OWNER_AMBIGUOUS',
    'USER_UNKNOWN',
    'BUSINESS_UNKNOWN',
    'ID_TAKEN',
    'TOKEN_LIMIT_EXCEEDED',
  ],
  creates: 'client',
  command: 'clients create',
  cliExamples: [
    {
      title: 'A client that acts as a service account',
      command: '--app-id billing --service-account-id billing-service',
    },
  ],

  async handle({ body }, context) {
    const { caller } = context;
    if (!caller.roles.has('IAM_ADMIN_MAINTENANCE')) await assertMayGrantScope(context.store, body.scope ?? [], caller);
    const { client, clientSecret } = createClientRow(body, '1STPARTY', context);
    await context.store.transaction(async (tx) => {
      await assertOwnerExists(tx, body);
      await addClient(tx, client);
    });
    return { clientId: client.clientId, clientSecret };
  },
});

async function assertOwnerExists(tx: Transaction, body: z.output<typeof Body>): Promise<void> {
  const { userId, businessId, serviceAccountId } = body;
  if ([userId, businessId, serviceAccountId].filter((id) => id !== undefined).length > 1)
    throw apiError('OWNER_AMBIGUOUS');
  if (userId !== undefined) await assertUsersExist(tx, [userId]);
  if (businessId !== undefined) await assertBusinessesExist(tx, [businessId]);
}
