/** Computes role effects from groups, dependencies and memberships before and after a plan. Pure. */

import type { GroupChange } from './model/changes.ts';
import { computeGroupRoles } from './model/group-graph.ts';
import { type Member, memberKey } from './model/members.ts';
import { getGroupMembers, type RemoteGroup, type RemoteState } from './model/remote-state.ts';

export interface RoleEffect {
  /** A business represents all its users. */
  readonly kind: 'user' | 'business' | 'service';
  readonly id: string;
  readonly gains: readonly string[];
  readonly loses: readonly string[];
}

type Roles = ReadonlyMap<string, ReadonlySet<string>>;

interface RoleAssignments {
  readonly roles: Roles;
  readonly members: RemoteState['members'];
}

export interface RoleImpact {
  readonly before: RoleAssignments;
  readonly after: RoleAssignments;
  /** Groups whose members may gain or lose roles. */
  readonly affected: ReadonlySet<string>;
  /** Groups that grant a changed role; their members must be known to compute the effects. */
  readonly relevant: readonly string[];
}

type ProjectedGroup = Omit<RemoteGroup, 'groupId'>;

export interface ProjectedGroups {
  readonly groups: ReadonlyMap<string, ProjectedGroup>;
  readonly members: ReadonlyMap<string, ReadonlyMap<string, Member>>;
}

/** Returns all groups and known members after the changes. */
export function projectGroups(changes: readonly GroupChange[], state: RemoteState): ProjectedGroups {
  const groups = new Map<string, ProjectedGroup>(state.groups);
  const members = new Map(state.members);
  for (const { action, name, after, joining, leaving } of changes) {
    if (action === 'delete' || !after) {
      groups.delete(name);
      members.delete(name);
      continue;
    }
    groups.set(name, after);
    const now = new Map(getGroupMembers(state, name));
    for (const member of leaving) now.delete(memberKey(member));
    for (const member of joining) now.set(memberKey(member), member);
    members.set(name, now);
  }
  return { groups, members };
}

/** Computes which groups are affected by the changes. */
export function computeRoleImpact(
  changes: readonly GroupChange[],
  state: RemoteState,
  after: ProjectedGroups,
): RoleImpact {
  const [old, now] = [computeGroupRoles(state.groups ?? new Map()), computeGroupRoles(after.groups)];
  const affected = new Set<string>();
  const changedRoles = new Set<string>();
  for (const name of new Set([...old.keys(), ...now.keys()])) {
    const different = symmetricDifference(old.get(name), now.get(name));
    if (different.length > 0) affected.add(name);
    for (const role of different) changedRoles.add(role);
  }
  for (const { name, joining, leaving } of changes) {
    if (joining.length + leaving.length === 0) continue;
    affected.add(name);
    for (const role of [...(old.get(name) ?? []), ...(now.get(name) ?? [])]) changedRoles.add(role);
  }
  const grantsChangedRole = (roles: ReadonlySet<string> | undefined) =>
    [...(roles ?? [])].some((role) => changedRoles.has(role));
  const relevant = [...new Set([...old.keys(), ...now.keys()])].filter(
    (name) => affected.has(name) || grantsChangedRole(old.get(name)) || grantsChangedRole(now.get(name)),
  );
  return {
    before: { roles: old, members: state.members },
    after: { roles: now, members: after.members },
    affected: new Set([...affected].filter((name) => getGroupMembers(state, name).size > 0 || after.members.has(name))),
    relevant,
  };
}

function symmetricDifference(a: ReadonlySet<string> = new Set(), b: ReadonlySet<string> = new Set()): string[] {
  return [...[...a].filter((role) => !b.has(role)), ...[...b].filter((role) => !a.has(role))];
}

/** Roles by subject: `user u1`, `business b9`, `service s1`. A business user counts as a user. */
export type HeldRoles = ReadonlyMap<string, ReadonlySet<string>>;

function formatHolder({ kind, id }: Member): string {
  return `${kind === 'businessUser' ? 'user' : kind} ${id}`;
}

/** The roles of each subject before and after the changes. */
export interface HeldRoleChange {
  readonly before: HeldRoles;
  readonly after: HeldRoles;
}

export function computeHeldRolesOf({ before, after, affected }: RoleImpact): HeldRoleChange {
  const held = computeHeldRoles(before);
  return { before: held, after: affected.size === 0 ? held : computeHeldRoles(after) };
}

/** Computes the roles of each subject through the groups that were read. */
function computeHeldRoles({ roles, members }: RoleAssignments): HeldRoles {
  const heldRoles = new Map<string, Set<string>>();
  for (const [groupName, groupMembers] of members) {
    const groupRoles = roles.get(groupName);
    if (!groupRoles || groupRoles.size === 0) continue;
    for (const member of groupMembers.values()) {
      const holder = formatHolder(member);
      const own = heldRoles.get(holder) ?? new Set();
      for (const role of groupRoles) own.add(role);
      heldRoles.set(holder, own);
    }
  }
  return heldRoles;
}

/** Returns the members of affected groups, before and after. */
export function listAffectedHolders({ before, after, affected }: RoleImpact): Set<string> {
  const groups = [...affected].flatMap((name) => [before.members.get(name), after.members.get(name)]);
  return new Set(groups.flatMap((members) => [...(members?.values() ?? [])].map(formatHolder)));
}

/** Returns all roles of a subject, including those of a user's business if it is known. */
export function collectHeldRoles(heldRoles: HeldRoles, holder: string, users: RemoteState['users']): Set<string> {
  const own = heldRoles.get(holder) ?? new Set<string>();
  const [kind, id] = splitHolder(holder);
  const businessId = kind === 'user' ? users.get(id)?.businessId : undefined;
  return new Set([...own, ...((businessId && heldRoles.get(`business ${businessId}`)) || [])]);
}

/** Computes gained and lost roles, sorted by kind (users first) and id. */
export function computeRoleEffects(
  impact: RoleImpact,
  { before: old, after: now }: HeldRoleChange,
  users: RemoteState['users'],
): RoleEffect[] {
  const effects = [...listAffectedHolders(impact)].flatMap((holder) => {
    const [before, after] = [collectHeldRoles(old, holder, users), collectHeldRoles(now, holder, users)];
    const gains = [...after].filter((role) => !before.has(role)).sort();
    const loses = [...before].filter((role) => !after.has(role)).sort();
    const [kind, id] = splitHolder(holder);
    return gains.length + loses.length === 0 ? [] : [{ kind, id, gains, loses }];
  });
  const order = ['user', 'business', 'service'];
  return effects.sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind) || (a.id < b.id ? -1 : 1));
}

/** `business Acme & Sons`: one that the documents create has a name in place of an id. */
export function splitHolder(holder: string): readonly [kind: RoleEffect['kind'], id: string] {
  const at = holder.indexOf(' ');
  return [holder.slice(0, at) as RoleEffect['kind'], holder.slice(at + 1)];
}
