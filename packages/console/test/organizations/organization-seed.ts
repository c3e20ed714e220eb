/** Businesses, customers and corporate groups for the tests of their pages, with markup in each text that allows it. */
import type { SeedDocument } from '../../../../src/server/seed/schema.ts';

export const markup = '<img src=x onerror="window.isAttacked=true">';
export const holdingId = 'holding-1';

export const shopName = (at: number) => `Shop ${at}`;

export const createOrganizationSeed = (shops: number): SeedDocument => ({
  businesses: [
    { businessId: 'acme', businessName: 'Acme', document: '111' },
    {
      businessId: 'globex',
      businessName: `Globex ${markup}`,
      document: `222 ${markup}`,
      corporateGroupName: 'holding',
    },
    ...Array.from({ length: shops }, (_, at) => ({
      businessId: `shop-${String(at).padStart(4, '0')}`,
      businessName: shopName(at),
      document: `9${String(at).padStart(6, '0')}`,
    })),
  ],
  users: [{ userId: 'alice' }, { userId: 'bob', businessId: 'acme' }],
  groups: [
    { groupName: 'viewers', roles: ['VIEW'], businesses: ['globex'] },
    { groupName: 'ops', roles: ['DEPLOY'], dependencies: [{ groupName: 'viewers' }] },
  ],
  corporateGroups: [
    {
      corporateGroupId: holdingId,
      corporateGroupName: 'holding',
      organizationId: 'example-org',
      businesses: ['globex'],
    },
    { corporateGroupId: 'union-1', corporateGroupName: 'union' },
    { corporateGroupId: 'marked-1', corporateGroupName: `Group ${markup}` },
  ],
});

export const organizationSeed = createOrganizationSeed(50);
