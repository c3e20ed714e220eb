/** What changes of groups and of who is in them. Pure. */
import { type FieldChange, type GroupChange, given, listChange, valueChange } from './changes.ts';
import type { DesiredGroup } from './desired.ts';
import { type Member, memberFields, memberKey, memberKinds, memberName, sortedMembers } from './members.ts';
import { type GroupState, membersIn, type State } from './state.ts';

type Named = Omit<GroupState, 'groupId'>;

/** The group as it will be. */
export function groupAfter(desired: DesiredGroup, current: GroupState | undefined): Named {
  const organizationId = given(desired.organizationId, current?.organizationId);
  const businessUnitId = given(desired.businessUnitId, current?.businessUnitId);
  return {
    groupName: desired.groupName,
    ...(organizationId === undefined ? {} : { organizationId }),
    ...(businessUnitId === undefined ? {} : { businessUnitId }),
    roles: desired.roles ?? current?.roles ?? [],
    dependencies: desired.dependencies ?? current?.dependencies ?? [],
  };
}

/** Who joins and who leaves: of each kind that is given, all others leave. */
export function memberMoves(
  { groupName, members }: DesiredGroup,
  state: Pick<State, 'members'>,
): { readonly joining: readonly Member[]; readonly leaving: readonly Member[] } {
  const current = membersIn(state, groupName);
  const wanted = new Map(
    memberKinds.flatMap((kind) => (members[kind] ?? []).map((one) => [memberKey(one), one] as const)),
  );
  const joining = [...wanted].flatMap(([key, member]) => (current.has(key) ? [] : [member]));
  const leaving = [...current].flatMap(([key, member]) =>
    members[member.kind] === undefined || wanted.has(key) ? [] : [member],
  );
  return { joining: sortedMembers(joining), leaving: sortedMembers(leaving) };
}

/** The change of one group, where there is one. `pruned` leave besides those whom the documents no longer list. */
export function groupChange(desired: DesiredGroup, state: State, pruned: readonly Member[] = []): GroupChange[] {
  const before = state.groups?.get(desired.groupName);
  const after = groupAfter(desired, before);
  const { joining, leaving } = memberMoves(desired, state);
  const moves = { joining, leaving: sortedMembers([...leaving, ...pruned]) };
  const fields = fieldsOf(before, after, moves);
  if (before && fields.length === 0) return [];
  const found = { kind: 'group', name: desired.groupName, fields, after, ...moves } as const;
  return [before ? { ...found, action: 'update', id: before.groupId, before } : { ...found, action: 'create' }];
}

function fieldsOf(
  before: Named | undefined,
  after: Named | undefined,
  { joining, leaving }: { readonly joining: readonly Member[]; readonly leaving: readonly Member[] },
): FieldChange[] {
  return [
    ...valueChange('organizationId', before?.organizationId, after?.organizationId),
    ...valueChange('businessUnitId', before?.businessUnitId, after?.businessUnitId),
    ...listChange('roles', before?.roles ?? [], after?.roles ?? []),
    ...listChange('dependencies', before?.dependencies ?? [], after?.dependencies ?? []),
    ...memberKinds.flatMap((kind) => listChange(memberFields[kind], namesOf(leaving, kind), namesOf(joining, kind))),
  ];
}

function namesOf(members: readonly Member[], kind: string): string[] {
  return members.filter((member) => member.kind === kind).map(memberName);
}

/** A group that goes, with everybody in it. */
export function groupRemoval(before: GroupState, state: State): GroupChange {
  const leaving = sortedMembers(membersIn(state, before.groupName).values());
  const fields = fieldsOf(before, undefined, { joining: [], leaving });
  return {
    action: 'delete',
    kind: 'group',
    name: before.groupName,
    id: before.groupId,
    fields,
    before,
    joining: [],
    leaving,
  };
}

export interface GroupsAfter {
  readonly groups: ReadonlyMap<string, Named>;
  readonly members: ReadonlyMap<string, ReadonlyMap<string, Member>>;
}

/** All groups and the members that were read, as they will be. */
export function groupsAfter(changes: readonly GroupChange[], state: State): GroupsAfter {
  const groups = new Map<string, Named>(state.groups);
  const members = new Map(state.members);
  for (const { action, name, after, joining, leaving } of changes) {
    if (action === 'delete' || !after) {
      groups.delete(name);
      members.delete(name);
      continue;
    }
    groups.set(name, after);
    const now = new Map(membersIn(state, name));
    for (const member of leaving) now.delete(memberKey(member));
    for (const member of joining) now.set(memberKey(member), member);
    members.set(name, now);
  }
  return { groups, members };
}
