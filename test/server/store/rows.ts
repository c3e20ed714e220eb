/** Valid default rows for tests. */
import type { Store } from '../../../src/server/store/store.ts';
import type { Business, Group, Membership, User } from '../../../src/server/store/tables.ts';

const createdAt = '2024-05-01T12:00:00.000Z';

export function group(groupId: string, changes: Partial<Group> = {}): Group {
  return { groupId, groupName: `name of ${groupId}`, roles: [], dependencies: [], createdAt, ...changes };
}

export function user(userId: string, changes: Partial<User> = {}): User {
  return {
    userId,
    userName: userId,
    emailVerified: false,
    mobileVerified: false,
    lead: false,
    locked: false,
    identities: [],
    createdAt,
    ...changes,
  };
}

export function business(businessId: string, document?: string): Business {
  return { businessId, businessName: `business ${businessId}`, ...(document === undefined ? {} : { document }) };
}

export function member(groupId: string, memberId: string): Membership {
  return { groupId, kind: 'user', memberId };
}

export function insertGroups(store: Store, ...rows: readonly Group[]): Promise<void> {
  return store.transaction(async ({ groups }) => {
    for (const row of rows) await groups.insert(row);
  });
}

export async function idsOf(groups: Promise<readonly Group[]>): Promise<string[]> {
  return (await groups).map(({ groupId }) => groupId);
}
