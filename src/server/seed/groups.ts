/**
 * Applies the groups of a seed: first all groups, then dependencies and members, so that their order does not matter. The
 * rows are read together before and written together afterwards: nothing is read or written for each group alone.
 */

import { toVisibleName } from '../../contract/visible-names.ts';
import {
  assertNoDependencyCycle,
  createNameTakenError,
  findCyclicGroups,
  normalizeGroupRoles,
  selectDependencyIds,
} from '../directory/groups.ts';
import { addMember } from '../directory/memberships.ts';
import { normalizeNewName } from '../directory/new-names.ts';
import { DuplicateError, type Transaction } from '../store/store.ts';
import { type Group, type Membership, membershipKey } from '../store/tables.ts';
import type { SeedEntries, SeedOutcome } from './entries.ts';
import { SeedProblem } from './error.ts';
import type { SeedGroup } from './schema.ts';
import { isSameRow, omitUndefined, type SeedDeps } from './seed-rows.ts';

export async function applyGroups(
  tx: Transaction,
  seeds: readonly SeedGroup[] | undefined,
  deps: SeedDeps,
  entries: SeedEntries,
): Promise<void> {
  if (seeds === undefined) return;
  const groups = await SeededGroups.read(tx, seeds);
  await entries.each('groups', seeds, async (seed, assertOnce) => {
    const outcome = groups.apply(seed, deps);
    assertOnce(groups.of(seed).groupId, seed.groupName, 'groupName');
    return outcome;
  });
  await entries.each('groups', seeds, async (seed) => groups.applyDependencies(seed));
  await entries.each('groups', seeds, async (seed) => groups.write(seed));
  // Once all dependencies are set, as the seed may remove others.
  const changed = seeds.filter(({ dependencies }) => dependencies).map((seed) => groups.of(seed).groupId);
  const cyclic = changed.length === 0 ? new Set<string>() : await findCyclicGroups(tx, changed);
  let reported = 0;
  await entries.each('groups', seeds, async (seed) => {
    const group = groups.of(seed);
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

/** The groups that a seed names, as they will be. */
class SeededGroups {
  readonly #tx: Transaction;
  readonly #byId = new Map<string, Group>();
  readonly #byName = new Map<string, Group>();
  /** By id, before the seed. */
  readonly #before = new Map<string, Group>();
  /** Names that look like those of groups. */
  readonly #visibleNames = new Set<string>();

  private constructor(tx: Transaction) {
    this.#tx = tx;
  }

  static async read(tx: Transaction, seeds: readonly SeedGroup[]): Promise<SeededGroups> {
    const groups = new SeededGroups(tx);
    const names = withNormalForms(seeds.map(({ groupName }) => groupName));
    const references = seeds.flatMap(({ dependencies = [] }) => dependencies.map(({ groupName }) => groupName));
    const ids = seeds.flatMap(({ groupId }) => (groupId === undefined ? [] : [groupId]));
    const found = [
      ...(await tx.groups.getMany([...new Set([...ids, ...references])])),
      ...(await tx.groups.findMany('groupName', withNormalForms([...names, ...references]))),
    ];
    for (const row of found) {
      groups.#set(row);
      groups.#before.set(row.groupId, row);
    }
    for (const { groupName } of await tx.groups.findMany('visibleName', names))
      groups.#visibleNames.add(toVisibleName(groupName));
    return groups;
  }

  /** The group of an entry that was applied. */
  of({ groupName }: SeedGroup): Group {
    const group = this.#find(groupName);
    if (!group) throw new Error(`group ${groupName} was not created`);
    return group;
  }

  /** @throws IamError GROUP_NAME_TAKEN, NAME_NOT_VISIBLE, ROLE_RESERVED; DuplicateError for an id of another group. */
  apply(seed: SeedGroup, { ids, clock }: SeedDeps): SeedOutcome {
    const { organizationId, businessUnitId } = seed;
    const known = this.#find(seed.groupName);
    const groupName = known?.groupName ?? normalizeNewName('groupName', seed.groupName);
    const fields = omitUndefined({
      groupName,
      organizationId,
      businessUnitId,
      roles: seed.roles && normalizeGroupRoles(seed.roles),
    });
    if (known) return this.#replace(known, { ...known, ...fields });
    if (this.#visibleNames.has(groupName)) throw createNameTakenError(groupName);
    const groupId = seed.groupId ?? ids.newId();
    if (this.#byId.has(groupId)) throw new DuplicateError('groups', 'key');
    const createdAt = clock.now().toISOString();
    this.#set({ roles: [], dependencies: [], ...fields, groupName, groupId, createdAt });
    return 'created';
  }

  /** @throws IamError DEPENDENCY_UNKNOWN. */
  applyDependencies(seed: SeedGroup): SeedOutcome {
    if (!seed.dependencies) return 'unchanged';
    const find = (reference: string) => (this.#byId.get(reference) ?? this.#find(reference))?.groupId;
    const group = this.of(seed);
    return this.#replace(group, { ...group, dependencies: selectDependencyIds(seed.dependencies, find) });
  }

  /** Writes the group of an entry. */
  async write(seed: SeedGroup): Promise<SeedOutcome> {
    const group = this.of(seed);
    const before = this.#before.get(group.groupId);
    if (!before) await this.#tx.groups.insert(group);
    else if (before !== group) await this.#tx.groups.replace(group);
    return 'unchanged';
  }

  /** As sent, then in NFC. */
  #find(name: string): Group | undefined {
    return this.#byName.get(name) ?? this.#byName.get(name.normalize('NFC'));
  }

  #set(group: Group): void {
    this.#byId.set(group.groupId, group);
    this.#byName.set(group.groupName, group);
  }

  #replace(before: Group, after: Group): SeedOutcome {
    if (isSameRow(before, after)) return 'unchanged';
    this.#set(after);
    return 'updated';
  }
}

function withNormalForms(names: readonly string[]): string[] {
  return [...new Set(names.flatMap((name) => [name, name.normalize('NFC')]))];
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
