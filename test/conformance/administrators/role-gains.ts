/** Requests through which someone gains an administrative role, and the same operations where no one does. */
import type { CallInput } from '../../../src/client/types.ts';
import type { OperationId } from '../../../src/server/operations/index.ts';
import type { SeedDocument } from '../../../src/server/seed/schema.ts';

/** `rulers`, `kings`, the user `chief` and the service `ruler-robot` have ADMIN; `heirs` inherits it from `admins`. */
export const roleGainSeed: SeedDocument = {
  businesses: ['rulers', 'kings', 'workers'].map((id) => ({ businessId: id, businessName: id })),
  users: [
    ...['maintainer', 'plain', 'chief'].map((userId) => ({ userId, userEmail: `${userId}@example.com` })),
    ...['worker', 'boss'].map((userId) => ({ userId, userEmail: `${userId}@example.com`, businessId: 'workers' })),
    { userId: 'ruler', userEmail: 'ruler@example.com', businessId: 'rulers' },
  ],
  clients: ['robot', 'ruler-robot'].map((id) => ({ clientId: `client-of-${id}`, serviceAccountId: id })),
  groups: [
    { groupName: 'maintainers', roles: ['IAM_ADMIN_MAINTENANCE'], users: ['maintainer'] },
    {
      groupName: 'admins',
      roles: ['ADMIN'],
      users: ['chief', 'boss'],
      businesses: ['rulers', 'kings'],
      services: ['ruler-robot'],
    },
    { groupName: 'heirs', dependencies: [{ groupName: 'admins' }] },
    { groupName: 'equals', roles: ['ADMIN'] },
    { groupName: 'plain', roles: ['DEPLOY'] },
  ],
};

interface RoleGain {
  /** Each gives an administrative role to someone who does not have it. */
  readonly gains: readonly CallInput[];
  /** These give no one a new one. */
  readonly others: readonly CallInput[];
}

const plain = { groupId: 'plain' };
const inGroup = (groupName: string) => ({ params: { groupName, groupId: groupName } });
const users = (groupName: string, ...userIds: string[]): CallInput => ({
  ...inGroup(groupName),
  body: userIds.map((userId) => ({ userId })),
});
const businessUsers = (groupName: string, businessId: string, userId: string): CallInput => ({
  params: { groupName, businessId },
  body: [{ userId }],
});
const businesses = (groupId: string, ...ids: string[]): CallInput => ({
  params: { groupId },
  body: ids.map((businessId) => ({ businessId })),
});
const services = (groupId: string, serviceId: string): CallInput => ({ params: { groupId }, body: [{ serviceId }] });
const dependencies = (...names: string[]) => names.map((groupName) => ({ groupName }));
const newUser = (userName: string, businessId: string): CallInput => ({
  body: { userName, userEmail: `${userName}@example.com`, businessId },
});

export const roleGains: Partial<Record<OperationId, RoleGain>> = {
  'groups.create': {
    gains: [
      { body: { groupName: 'new-1', roles: ['ROLE_ADMIN'] } },
      { body: { groupName: 'new-2', roles: ['DEPLOY', 'IAM_ADMIN_OTHER'] } },
      { body: { groupName: 'new-3', dependencies: dependencies('plain', 'heirs') } },
    ],
    others: [{ body: { groupName: 'other', roles: ['DEPLOY', 'ADMINS'], dependencies: dependencies('plain') } }],
  },
  'groups.update': {
    gains: [
      { params: plain, body: { groupName: 'plain', roles: ['ADMIN'] } },
      {
        params: plain,
        body: { groupName: 'plain', roles: ['IAM_ADMIN_READ_ONLY'], dependencies: dependencies('heirs') },
      },
      { params: { groupId: 'admins' }, body: { groupName: 'admins', roles: ['ADMIN', 'IAM_ADMIN_READ_ONLY'] } },
    ],
    others: [
      { params: plain, body: { groupName: 'plain', roles: ['DEPLOY', 'ROLLBACK'] } },
      // The same role, of its own instead of inherited.
      { params: { groupId: 'heirs' }, body: { groupName: 'heirs', roles: ['ADMIN'] } },
      { params: { groupId: 'heirs' }, body: { groupName: 'heirs', dependencies: dependencies('equals') } },
      { params: { groupId: 'equals' }, body: { groupName: 'equal', roles: ['ADMIN'] } },
    ],
  },
  'groups.add-role': {
    gains: [
      { params: plain, body: { roleName: 'ROLE_ADMIN' } },
      { params: { groupId: 'admins' }, body: { roleName: 'IAM_ADMIN_MAINTENANCE' } },
    ],
    others: [
      { params: { groupId: 'heirs' }, body: { roleName: 'ADMIN' } },
      { params: { groupId: 'admins' }, body: { roleName: 'DEPLOY' } },
      { params: plain, body: { roleName: 'IAM_ADMINISTRATION' } },
    ],
  },
  'groups.add-dependency': {
    gains: [
      { params: plain, body: { groupName: 'heirs' } },
      { params: { groupId: 'maintainers' }, body: { groupName: 'equals' } },
    ],
    others: [
      { params: { groupId: 'heirs' }, body: { groupName: 'equals' } },
      { params: { groupId: 'maintainers' }, body: { groupName: 'plain' } },
    ],
  },
  'user-accesses.add-user': {
    gains: [users('admins', 'chief', 'plain'), users('heirs', 'worker'), users('maintainers', 'chief')],
    others: [users('heirs', 'chief', 'ruler'), users('plain', 'plain')],
  },
  'user-accesses.add-business-user': {
    gains: [
      businessUsers('admins', 'workers', 'worker'),
      // The user has the role, but services of the business get those that the business holds.
      businessUsers('heirs', 'workers', 'boss'),
    ],
    others: [businessUsers('heirs', 'rulers', 'ruler'), businessUsers('plain', 'workers', 'worker')],
  },
  'business-accesses.add-business': {
    gains: [businesses('heirs', 'rulers', 'workers'), businesses('maintainers', 'kings')],
    others: [businesses('heirs', 'rulers', 'kings'), businesses('plain', 'workers')],
  },
  'service-accesses.add-service': {
    gains: [services('heirs', 'robot'), services('maintainers', 'ruler-robot')],
    others: [services('heirs', 'ruler-robot'), services('plain', 'robot')],
  },
  'user-identities.update': {
    gains: [
      { params: { id: 'worker' }, body: { businessId: 'rulers' } },
      { params: { id: 'plain' }, body: { businessId: 'kings', lead: true } },
    ],
    others: [
      { params: { id: 'ruler' }, body: { businessId: 'kings' } },
      { params: { id: 'chief' }, body: { businessId: 'kings' } },
      { params: { id: 'worker' }, body: { lead: true } },
      { params: { id: 'worker' }, body: { businessId: null } },
    ],
  },
  'user-identities.create': {
    gains: [newUser('new-1', 'rulers'), newUser('new-2', 'kings')],
    others: [newUser('other', 'workers')],
  },
};
