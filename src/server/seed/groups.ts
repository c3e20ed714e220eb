/** Applies the groups of a seed: first all groups, then dependencies and members, so that their order does not matter. */
import { assertNoDependencyCycle, normalizeGroupRoles, resolveDependencyIds } from '../directory/groups.ts';
import { addMember } from '../directory/memberships.ts';
import type { Transaction } from '../store/store.ts';
import { type Group, type Membership, membershipKey } from '../store/tables.ts';
import { SeedError } from './error.ts';
import type { SeedGroup } from './schema.ts';
import { omitUndefined, replaceIfChanged, type SeedDeps } from './seed-rows.ts';

export async function applyGroups(tx: Transaction, seeds: readonly SeedGroup[], deps: SeedDeps): Promise<void> {
  for (const seed of seeds) await applyGroup(tx, seed, deps);
  for (const seed of seeds) {
    const group = await readGroup(tx, seed);
    if (seed.dependencies) await applyDependencies(tx, group, seed.dependencies);
  }
  for (const seed of seeds) {
    const group = await readGroup(tx, seed);
    // Check for cycles once all dependencies are set, as the seed may remove others.
    if (seed.dependencies) await assertNoDependencyCycle(tx, group);
    for (const membership of listMemberships(group.groupId, seed))
      await applyMembership(tx, membership, seed.groupName);
  }
}

async function applyGroup(tx: Transaction, seed: SeedGroup, { ids, clock }: SeedDeps): Promise<void> {
  const { groupName, organizationId, businessUnitId } = seed;
  const fields = omitUndefined({
    groupName,
    organizationId,
    businessUnitId,
    roles: seed.roles && normalizeGroupRoles(seed.roles),
  });
  const known = await tx.groups.getBy('groupName', groupName);
  if (known) return replaceIfChanged(known, { ...known, ...fields }, (row) => tx.groups.replace(row));
  const groupId = seed.groupId ?? ids.newId();
  await tx.groups.insert({
    roles: [],
    dependencies: [],
    ...fields,
    groupName,
    groupId,
    createdAt: clock.now().toISOString(),
  });
}

async function readGroup(tx: Transaction, { groupName }: SeedGroup): Promise<Group> {
  const group = await tx.groups.getBy('groupName', groupName);
  if (!group) throw new Error(`group ${groupName} was not created`);
  return group;
}

async function applyDependencies(
  tx: Transaction,
  group: Group,
  references: readonly { groupName: string }[],
): Promise<void> {
  const changed = { ...group, dependencies: await resolveDependencyIds(tx, references) };
  await replaceIfChanged<Group>(group, changed, (row) => tx.groups.replace(row));
}

function listMemberships(groupId: string, seed: SeedGroup): Membership[] {
  return [
    ...(seed.users ?? []).map((memberId) => ({ groupId, kind: 'user' as const, memberId })),
    ...(seed.businesses ?? []).map((memberId) => ({ groupId, kind: 'business' as const, memberId })),
    ...(seed.services ?? []).map((memberId) => ({ groupId, kind: 'service' as const, memberId })),
    ...(seed.businessUsers ?? []).map(({ businessId, userId }) => ({
      groupId,
      kind: 'businessUser' as const,
      memberId: userId,
      businessId,
    })),
  ];
}

async function applyMembership(tx: Transaction, membership: Membership, groupName: string): Promise<void> {
  const known = await tx.memberships.get(membershipKey(membership));
  if (!known && !(await memberExists(tx, membership)))
    throw new SeedError(`groups: ${groupName} refers to ${membership.memberId}, which does not exist`);
  await addMember(tx, membership);
}

async function memberExists(tx: Transaction, { kind, memberId, businessId }: Membership): Promise<boolean> {
  if (kind === 'business') return (await tx.businesses.get(memberId)) !== undefined;
  if (kind === 'service') return (await tx.clients.getBy('serviceAccountId', memberId)) !== undefined;
  const user = await tx.users.get(memberId);
  return user !== undefined && (kind === 'user' || user.businessId === businessId);
}
