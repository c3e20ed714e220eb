/** Applies the groups of a seed: first all groups, then dependencies and members, so that their order does not matter. */
import {
  assertNoDependencyCycle,
  assertVisibleNameAvailable,
  findCyclicGroups,
  findGroupByName,
  normalizeGroupRoles,
  resolveDependencyIds,
} from '../directory/groups.ts';
import { addMember } from '../directory/memberships.ts';
import { normalizeNewName } from '../directory/new-names.ts';
import type { Transaction } from '../store/store.ts';
import { type Group, type Membership, membershipKey } from '../store/tables.ts';
import type { SeedEntries, SeedOutcome } from './entries.ts';
import { SeedProblem } from './error.ts';
import type { SeedGroup } from './schema.ts';
import { omitUndefined, replaceIfChanged, type SeedDeps } from './seed-rows.ts';

export async function applyGroups(
  tx: Transaction,
  seeds: readonly SeedGroup[] | undefined,
  deps: SeedDeps,
  entries: SeedEntries,
): Promise<void> {
  await entries.each('groups', seeds, (seed) => applyGroup(tx, seed, deps));
  await entries.each('groups', seeds, async (seed) =>
    seed.dependencies ? applyDependencies(tx, await readGroup(tx, seed), seed.dependencies) : 'unchanged',
  );
  // Once all dependencies are set, as the seed may remove others.
  const cyclic = await findNewCycles(tx, seeds);
  let reported = 0;
  await entries.each('groups', seeds, async (seed) => {
    const group = await readGroup(tx, seed);
    if (seed.dependencies && cyclic.has(group.groupId) && reported < maxReported) {
      reported += 1;
      await assertNoDependencyCycle(tx, group);
      // It is only between two cycles.
      reported -= 1;
    }
    return applyMemberships(tx, group, seed);
  });
}

/** Groups that are reported with all groups of their cycle. */
const maxReported = 100;

/** One pass over all groups, as one for each would take time that grows with the square of a chain. */
async function findNewCycles(tx: Transaction, seeds: readonly SeedGroup[] = []): Promise<ReadonlySet<string>> {
  const groupIds: string[] = [];
  for (const seed of seeds) if (seed.dependencies) groupIds.push((await readGroup(tx, seed)).groupId);
  return groupIds.length === 0 ? new Set() : findCyclicGroups(tx, groupIds);
}

async function applyGroup(tx: Transaction, seed: SeedGroup, { ids, clock }: SeedDeps): Promise<SeedOutcome> {
  const { organizationId, businessUnitId } = seed;
  const known = await findGroupByName(tx, seed.groupName);
  const groupName = known?.groupName ?? normalizeNewName('groupName', seed.groupName);
  const fields = omitUndefined({
    groupName,
    organizationId,
    businessUnitId,
    roles: seed.roles && normalizeGroupRoles(seed.roles),
  });
  if (known) return replaceIfChanged(known, { ...known, ...fields }, (row) => tx.groups.replace(row));
  await assertVisibleNameAvailable(tx, groupName);
  const groupId = seed.groupId ?? ids.newId();
  await tx.groups.insert({
    roles: [],
    dependencies: [],
    ...fields,
    groupName,
    groupId,
    createdAt: clock.now().toISOString(),
  });
  return 'created';
}

async function readGroup(tx: Transaction, { groupName }: SeedGroup): Promise<Group> {
  const group = await findGroupByName(tx, groupName);
  if (!group) throw new Error(`group ${groupName} was not created`);
  return group;
}

async function applyDependencies(
  tx: Transaction,
  group: Group,
  references: readonly { groupName: string }[],
): Promise<SeedOutcome> {
  const changed = { ...group, dependencies: await resolveDependencyIds(tx, references) };
  return replaceIfChanged<Group>(group, changed, (row) => tx.groups.replace(row));
}

interface SeedMember {
  readonly membership: Membership;
  /** Where the group names it. */
  readonly path: readonly PropertyKey[];
}

function listMembers(groupId: string, seed: SeedGroup): SeedMember[] {
  const { users = [], businesses = [], services = [], businessUsers = [] } = seed;
  const plain = (name: 'users' | 'businesses' | 'services', kind: Membership['kind'], ids: readonly string[]) =>
    ids.map((memberId, index) => ({ membership: { groupId, kind, memberId }, path: [name, index] }));
  return [
    ...plain('users', 'user', users),
    ...plain('businesses', 'business', businesses),
    ...plain('services', 'service', services),
    ...businessUsers.map(({ businessId, userId }, index) => ({
      membership: { groupId, kind: 'businessUser' as const, memberId: userId, businessId },
      path: ['businessUsers', index],
    })),
  ];
}

async function applyMemberships(tx: Transaction, { groupId }: Group, seed: SeedGroup): Promise<SeedOutcome> {
  let outcome: SeedOutcome = 'unchanged';
  const members = listMembers(groupId, seed);
  await readTogether(tx, members);
  for (const { membership, path } of members) {
    const known = await tx.memberships.get(membershipKey(membership));
    if (!known && !(await memberExists(tx, membership)))
      throw new SeedProblem(`${seed.groupName} refers to ${membership.memberId}, which does not exist`, path);
    if (!known || known.delegated) outcome = 'updated';
    await addMember(tx, membership);
  }
  return outcome;
}

/** Reads what the checks of the members look up: a transaction reads nothing twice. */
async function readTogether(tx: Transaction, members: readonly SeedMember[]): Promise<void> {
  await tx.memberships.getMany(members.map(({ membership }) => membershipKey(membership)));
  const idsOf = (...kinds: Membership['kind'][]) =>
    members.flatMap(({ membership: { kind, memberId } }) => (kinds.includes(kind) ? [memberId] : []));
  await tx.users.getMany(idsOf('user', 'businessUser'));
  await tx.businesses.getMany(idsOf('business'));
}

async function memberExists(tx: Transaction, { kind, memberId, businessId }: Membership): Promise<boolean> {
  if (kind === 'business') return (await tx.businesses.get(memberId)) !== undefined;
  if (kind === 'service') return (await tx.clients.getBy('serviceAccountId', memberId)) !== undefined;
  const user = await tx.users.get(memberId);
  return user !== undefined && (kind === 'user' || user.businessId === businessId);
}
