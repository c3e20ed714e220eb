/** Who gains and who loses which role: computed over groups, dependencies and memberships before and after. Pure. */
import type { GroupChange } from './changes.ts';
import { groupsAfter } from './group-changes.ts';
import { effectiveRoles } from './group-graph.ts';
import type { Member } from './members.ts';
import { membersIn, type State } from './state.ts';

export interface RoleEffect {
  /** A business stands for all its users. */
  readonly kind: 'user' | 'business' | 'service';
  readonly id: string;
  readonly gains: readonly string[];
  readonly loses: readonly string[];
}

type Roles = ReadonlyMap<string, ReadonlySet<string>>;

interface Side {
  readonly roles: Roles;
  readonly members: State['members'];
}

export interface Reach {
  readonly before: Side;
  readonly after: Side;
  /** Groups whose members may have other roles afterwards. */
  readonly touched: ReadonlySet<string>;
  /** Groups that give a role which somebody may gain or lose: their members must be known to tell. */
  readonly relevant: readonly string[];
}

/** How far the changes of groups reach. */
export function reachOf(changes: readonly GroupChange[], state: State): Reach {
  const after = groupsAfter(changes, state);
  const [old, now] = [effectiveRoles(state.groups ?? new Map()), effectiveRoles(after.groups)];
  const touched = new Set<string>();
  const moved = new Set<string>();
  for (const name of new Set([...old.keys(), ...now.keys()])) {
    const different = difference(old.get(name), now.get(name));
    if (different.length > 0) touched.add(name);
    for (const role of different) moved.add(role);
  }
  for (const { name, joining, leaving } of changes) {
    if (joining.length + leaving.length === 0) continue;
    touched.add(name);
    for (const role of [...(old.get(name) ?? []), ...(now.get(name) ?? [])]) moved.add(role);
  }
  const givesMoved = (roles: ReadonlySet<string> | undefined) => [...(roles ?? [])].some((role) => moved.has(role));
  const relevant = [...new Set([...old.keys(), ...now.keys()])].filter(
    (name) => touched.has(name) || givesMoved(old.get(name)) || givesMoved(now.get(name)),
  );
  return {
    before: { roles: old, members: state.members },
    after: { roles: now, members: after.members },
    touched: new Set([...touched].filter((name) => membersIn(state, name).size > 0 || after.members.has(name))),
    relevant,
  };
}

function difference(a: ReadonlySet<string> = new Set(), b: ReadonlySet<string> = new Set()): string[] {
  return [...[...a].filter((role) => !b.has(role)), ...[...b].filter((role) => !a.has(role))];
}

/** Holders of roles by `user u1`, `business b9`, `service s1`. A user in the name of a business holds as a user. */
export type Holdings = ReadonlyMap<string, ReadonlySet<string>>;

function holderOf({ kind, id }: Member): string {
  return `${kind === 'businessUser' ? 'user' : kind} ${id}`;
}

/** What everybody holds through the groups that were read. */
export function holdingsOf({ roles, members }: Side): Holdings {
  const held = new Map<string, Set<string>>();
  for (const [groupName, inGroup] of members) {
    const given = roles.get(groupName);
    if (!given || given.size === 0) continue;
    for (const member of inGroup.values()) {
      const holder = holderOf(member);
      const own = held.get(holder) ?? new Set();
      for (const role of given) own.add(role);
      held.set(holder, own);
    }
  }
  return held;
}

/** Everybody in a group that is touched, before or after. */
export function touchedHolders({ before, after, touched }: Reach): Set<string> {
  const groups = [...touched].flatMap((name) => [before.members.get(name), after.members.get(name)]);
  return new Set(groups.flatMap((members) => [...(members?.values() ?? [])].map(holderOf)));
}

/** All roles of a holder; of a user whose business is known, those of the business as well. */
export function rolesHeld(holdings: Holdings, holder: string, users: State['users']): Set<string> {
  const own = holdings.get(holder) ?? new Set<string>();
  const [kind, id = ''] = holder.split(' ');
  const businessId = kind === 'user' ? users.get(id)?.businessId : undefined;
  return new Set([...own, ...((businessId && holdings.get(`business ${businessId}`)) || [])]);
}

/** Who gains and loses what, users first, each kind by its ids. */
export function roleEffects(reach: Reach, users: State['users']): RoleEffect[] {
  const [old, now] = [holdingsOf(reach.before), holdingsOf(reach.after)];
  const effects = [...touchedHolders(reach)].flatMap((holder) => {
    const [before, after] = [rolesHeld(old, holder, users), rolesHeld(now, holder, users)];
    const gains = [...after].filter((role) => !before.has(role)).sort();
    const loses = [...before].filter((role) => !after.has(role)).sort();
    const [kind, id] = holder.split(' ') as [RoleEffect['kind'], string];
    return gains.length + loses.length === 0 ? [] : [{ kind, id, gains, loses }];
  });
  const order = ['user', 'business', 'service'];
  return effects.sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind) || (a.id < b.id ? -1 : 1));
}
