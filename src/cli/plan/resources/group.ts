/** Groups: changes of groups and their members, and their writes. */

import { diffList, diffValue, type FieldChange, type GroupChange, resolveValue } from '../changes.ts';
import type { DesiredGroup } from '../desired-state.ts';
import { type Execution, type StepWriter, unwrapResult } from '../execution.ts';
import { formatMember, type Member, memberFields, memberKey, memberKinds, sortMembers } from '../members.ts';
import { getGroupMembers, type RemoteGroup, type RemoteState } from '../remote-state.ts';
import type { Step } from '../steps.ts';
import { type Entity, removeEntity, updateEntity } from './entity-writes.ts';

type GroupFields = Omit<RemoteGroup, 'groupId'>;

/** Returns the group after the change. */
function resolveGroup(desired: DesiredGroup, current: RemoteGroup | undefined): GroupFields {
  const organizationId = resolveValue(desired.organizationId, current?.organizationId);
  const businessUnitId = resolveValue(desired.businessUnitId, current?.businessUnitId);
  return {
    groupName: desired.groupName,
    ...(organizationId === undefined ? {} : { organizationId }),
    ...(businessUnitId === undefined ? {} : { businessUnitId }),
    roles: desired.roles ?? current?.roles ?? [],
    dependencies: desired.dependencies ?? current?.dependencies ?? [],
  };
}

/** Returns members to add and remove; for each listed kind, unlisted members are removed. */
function diffMembers(
  { groupName, members }: DesiredGroup,
  state: Pick<RemoteState, 'members'>,
): { readonly joining: readonly Member[]; readonly leaving: readonly Member[] } {
  const current = getGroupMembers(state, groupName);
  const desiredMembers = new Map(
    memberKinds.flatMap((kind) => (members[kind] ?? []).map((one) => [memberKey(one), one] as const)),
  );
  const joining = [...desiredMembers].flatMap(([key, member]) => (current.has(key) ? [] : [member]));
  const leaving = [...current].flatMap(([key, member]) =>
    members[member.kind] === undefined || desiredMembers.has(key) ? [] : [member],
  );
  return { joining: sortMembers(joining), leaving: sortMembers(leaving) };
}

/** Computes the change of one group. `pruned` members are removed in addition to unlisted ones. */
export function diffGroup(desired: DesiredGroup, state: RemoteState, pruned: readonly Member[] = []): GroupChange[] {
  const before = state.groups?.get(desired.groupName);
  const after = resolveGroup(desired, before);
  const { joining, leaving } = diffMembers(desired, state);
  const memberChanges = { joining, leaving: sortMembers([...leaving, ...pruned]) };
  const fields = diffFields(before, after, memberChanges);
  if (before && fields.length === 0) return [];
  const change = { kind: 'group', name: desired.groupName, fields, after, ...memberChanges } as const;
  return [before ? { ...change, action: 'update', id: before.groupId, before } : { ...change, action: 'create' }];
}

function diffFields(
  before: GroupFields | undefined,
  after: GroupFields | undefined,
  { joining, leaving }: { readonly joining: readonly Member[]; readonly leaving: readonly Member[] },
): FieldChange[] {
  return [
    ...diffValue('organizationId', before?.organizationId, after?.organizationId),
    ...diffValue('businessUnitId', before?.businessUnitId, after?.businessUnitId),
    ...diffList('roles', before?.roles ?? [], after?.roles ?? []),
    ...diffList('dependencies', before?.dependencies ?? [], after?.dependencies ?? []),
    ...memberKinds.flatMap((kind) =>
      diffList(memberFields[kind], listMemberNames(leaving, kind), listMemberNames(joining, kind)),
    ),
  ];
}

function listMemberNames(members: readonly Member[], kind: string): string[] {
  return members.filter((member) => member.kind === kind).map(formatMember);
}

/** Builds the deletion of a group with its memberships. */
export function buildGroupRemoval(before: RemoteGroup, state: RemoteState): GroupChange {
  const leaving = sortMembers(getGroupMembers(state, before.groupName).values());
  const fields = diffFields(before, undefined, { joining: [], leaving });
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

export interface ProjectedGroups {
  readonly groups: ReadonlyMap<string, GroupFields>;
  readonly members: ReadonlyMap<string, ReadonlyMap<string, Member>>;
}

/** Returns all groups and known members after the changes. */
export function projectGroups(changes: readonly GroupChange[], state: RemoteState): ProjectedGroups {
  const groups = new Map<string, GroupFields>(state.groups);
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

type GroupStep = Extract<Step, { kind: 'group' }>;
type EntityBody = Readonly<Record<string, unknown>>;

const memberFieldNames: readonly string[] = Object.values(memberFields);

const writeGroup: StepWriter<'group'> = async (execution, step) => {
  const { action, name, id = '', fields, before } = step.change;
  if (action === 'create') return createGroup(execution, step);
  const entity = createGroupEntity(name, id);
  if (action === 'delete') {
    await removeEntity(execution, entity, { ...before });
    return execution.record('gone', { kind: 'group', id, name });
  }
  const own = fields.filter(({ field }) => !memberFieldNames.includes(field));
  const { removed = [] } = own.find(({ field }) => field === 'dependencies') ?? {};
  await updateEntity(execution, entity, step.release ? [{ field: 'dependencies', added: [], removed }] : own);
};

export const groupWriters = { group: writeGroup };

async function createGroup({ deps, groupIds, record }: Execution, { change }: GroupStep): Promise<void> {
  const { name, after } = change;
  const body = unwrapResult(await deps.call('groups.create', { body: buildGroupBody({ ...after }) }));
  const id = String(body?.groupId);
  groupIds.set(name, id);
  await record('made', { kind: 'group', id, name });
}

function createGroupEntity(name: string, groupId: string): Entity {
  return {
    title: `the group ${name}`,
    get: 'groups.get',
    update: 'groups.update',
    remove: 'groups.remove',
    params: { groupId },
    missing: 'GROUP_NOT_FOUND',
    plain: (body) => ({
      ...body,
      dependencies: (body.dependencies as { groupName: string }[]).map(({ groupName }) => groupName),
    }),
    body: buildGroupBody,
  };
}

function buildGroupBody({ groupId: _, dependencies, ...resource }: EntityBody): EntityBody {
  return { ...resource, dependencies: (dependencies as string[]).map((groupName) => ({ groupName })) };
}
