import { z } from 'zod';
import { fault } from '../../../contract/errors.ts';
import { ClientCredentials, clientFields, Id } from '../../../contract/schemas.ts';
import { hashSecret } from '../../identity/secrets.ts';
import { claimSubject } from '../../identity/subjects.ts';
import { newSecret } from '../../randomness.ts';
import type { Transaction } from '../../store/store.ts';
import { defineOperation } from '../define.ts';

const Body = z
  .strictObject({
    ...clientFields,
    userId: Id.optional().describe('User that owns the client'),
    businessId: Id.optional().describe('Business that owns the client'),
  })
  .meta({ id: 'ClientInput' });

export default defineOperation({
  id: 'client-identities.create',
  title: 'Create Identity',
  description: 'Makes a first-party client. Its secret is shown this once; the server keeps its hash.',
  method: 'POST',
  path: '/client-identities',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-MFA and ADMIN',
  status: ['200e', 201, 400, 401, 403, 412, 500],
  request: { body: Body },
  response: { status: 201, body: ClientCredentials, secret: true },
  errors: ['OWNER_AMBIGUOUS', 'USER_UNKNOWN', 'BUSINESS_UNKNOWN', 'ID_TAKEN'],
  command: 'clients create',
  examples: [
    {
      title: 'A client that acts as a service account',
      command: '--app-id billing --service-account-id billing-service',
    },
  ],

  async handle({ body }, { store, ids, clock, randomness }) {
    const clientId = ids.newId();
    const clientSecret = newSecret(randomness);
    const { scope = [], grantTypes = ['client_credentials'], ...given } = body;
    await store.transaction(async (tx) => {
      await requireOwner(tx, body);
      await claimSubject(tx, { subject: clientId, kind: 'client', ownerId: clientId });
      if (body.serviceAccountId !== undefined)
        await claimSubject(tx, { subject: body.serviceAccountId, kind: 'service', ownerId: clientId });
      await tx.clients.insert({
        ...given,
        clientId,
        secretHash: hashSecret(clientSecret),
        party: '1STPARTY',
        authorities: [],
        scope,
        grantTypes,
        factorVisibility: 'CREDENTIALS_ONLY',
        createdAt: clock.now().toISOString(),
      });
    });
    return { clientId, clientSecret };
  },
});

async function requireOwner(tx: Transaction, body: z.output<typeof Body>): Promise<void> {
  const { userId, businessId, serviceAccountId } = body;
  if ([userId, businessId, serviceAccountId].filter((id) => id !== undefined).length > 1)
    throw fault('OWNER_AMBIGUOUS');
  if (userId !== undefined && !(await tx.users.get(userId))) throw fault('USER_UNKNOWN');
  if (businessId !== undefined && !(await tx.businesses.get(businessId))) throw fault('BUSINESS_UNKNOWN');
}
