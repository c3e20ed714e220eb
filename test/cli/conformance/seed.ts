/** The seed of the conformance server: every entity that the examples of commands use. */
import type { SeedDocument } from '../../../src/server/seed/schema.ts';

export const password = 'correct horse battery staple 7';
export const deployerSecret = 'secret-of-the-deployer';

/** Users for the example that deletes twelve at once. */
const usersToDelete = Array.from({ length: 12 }, (_, at) => ({ userId: `gone-${at}`, userName: `gone-${at}` }));

const businesses = ['acme', 'globex'].map((businessId) => ({ businessId, businessName: businessId }));

export const seed: SeedDocument = {
  businesses,
  users: [
    {
      userId: 'USER_ID',
      userName: 'alice',
      password,
      userEmail: 'alice@example.com',
      businessId: 'acme',
      factors: [{ id: 'FACTOR_ID', contactType: 'EMAIL', email: 'alice@home.example', verified: true }],
    },
    { userId: 'ANOTHER_USER_ID', userName: 'bob', password, userEmail: 'bob@example.com' },
    ...usersToDelete,
  ],
  clients: [
    { clientId: 'CLIENT_ID', appId: 'billing', serviceAccountId: 'billing-service' },
    { clientId: 'deployer', clientSecret: deployerSecret, appId: 'deployer' },
    { clientId: 'c1', appId: 'one' },
    { clientId: 'c2', appId: 'two' },
  ],
  groups: [
    { groupName: 'ops', roles: ['DEPLOY', 'ROLLBACK'], users: ['USER_ID'] },
    { groupName: 'leads', roles: ['APPROVE'], dependencies: [{ groupName: 'ops' }] },
  ],
  corporateGroups: [{ corporateGroupId: 'CORPORATE_GROUP_ID', corporateGroupName: 'concern' }],
  products: [{ productId: 'reports-basic', productAlias: 'reports', sku: 'basic', billingTypes: ['SUBSCRIPTION'] }],
  apiKeys: [{ apiKeyId: 'KEY_ID', appId: 'billing', clientId: 'CLIENT_ID', apiKey: `${'k'.repeat(42)}E=` }],
};
