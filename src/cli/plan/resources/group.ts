/** Groups: their roles and dependencies; their members are in `memberships.ts`. */
import type { JsonSchema } from '../../../contract/manifest-types.ts';
import { isBuiltInGroup, isReservedRole, isServiceRoleLookalike, stripRolePrefix } from '../../../contract/roles.ts';
import type { RequestContext } from '../../context.ts';
import { createResource } from '../../request/call-operation.ts';
import { type Execution, recordCreation } from '../execution.ts';
import {
  acceptChanges,
  diffList,
  diffValue,
  type FieldChange,
  type GroupChange,
  isRemoval,
  type PlanIssue,
  resolveValue,
  type Step,
  selectChanges,
} from '../model/changes.ts';
import { type DesiredGroup, type DocumentEntry, toStoredName } from '../model/desired-entries.ts';
import { computeLevels, isReachable } from '../model/group-graph.ts';
import { type Member, memberFields } from '../model/members.ts';
import type { Portable } from '../model/portable.ts';
import type { RemoteGroup, RemoteState } from '../model/remote-state.ts';
import type { ResourceIndex } from '../model/resource-index.ts';
import { readApiList } from '../read-list.ts';
import type { CheckContext, DiffContext, Resource, Stage } from '../resource.ts';
import { valueSchemas } from '../value-schemas.ts';
import { clearable, described, list, object } from './document-schema.ts';
import { type Entity, removeEntity, updateEntity } from './entity-writes.ts';
import { memberships } from './memberships.ts';

type GroupStep = Extract<Step, { kind: 'group' }>;
type GroupFields = Omit<RemoteGroup, 'groupId'>;

/** A group is identified by its name. Its entry also lists its members. */
export const groupResource: Resource<DesiredGroup, RemoteGroup, GroupChange, GroupStep> = {
  kind: 'group',
  label: 'group',
  list: 'groups',
  needsControlPlane: false,
  recordKinds: ['group', 'membership'],
  requires: [],
  schema: createSchema(),
  nameField: 'groupName',
  sortFields: ['groupName'],
  parse: parseGroup,
  toStored: storeGroupNames,
  newNames: ({ groupName }) => ({ groupName }),
  uniqueNames: ({ groupName }) => [`group ${groupName}`],
  validate: (documents) => documents.flatMap(validateRoles),
  read: readGroups,
  listRemote: ({ groups }) => groups?.values() ?? [],
  idOf: ({ groupId }) => groupId,
  find: ({ groupName }, index) => index.group(groupName),
  diff: (documents, context) => {
    const groups = [...documents, ...listUnnamedGroups(documents, context)];
    return acceptChanges(groups.flatMap((group) => diffGroup(group, context)));
  },
  listReferences: (_documents, context) => memberships.listReferences(context),
  check: checkGroups,
  remove: buildGroupRemoval,
  creationDefaults: { organizationId: undefined, businessUnitId: undefined, roles: [], dependencies: [] },
  creationKey: ({ groupName }) => String(groupName),
  order: (changes, { state }) => {
    const groups = selectChanges(changes, 'group');
    return {
      write: orderGroups(
        groups.filter((change) => !isRemoval(change)),
        state,
      ),
      remove: orderRemovals(groups.filter(isRemoval), state),
    };
  },
  write: writeGroup,
  export: (state, portable) =>
    [...(state.groups?.values() ?? [])].flatMap((group) => buildGroupEntry(group, state, portable)),
};

function createSchema(): JsonSchema {
  const groupName = described(valueSchemas.group.groupName, 'Unique name of a group');
  const role = described(valueSchemas.group.roles.items, 'Name of a role, with or without the prefix ROLE_');
  return object(
    {
      groupName,
      organizationId: clearable(valueSchemas.group.organizationId, 'Organization the group belongs to'),
      businessUnitId: clearable(valueSchemas.group.businessUnitId, 'Business unit the group belongs to'),
      roles: list(role, 'All direct roles', valueSchemas.group.roles.maxItems),
      dependencies: list(
        object({ groupName }, ['groupName'], 'A group whose roles this group inherits'),
        'All groups that this group depends on',
        valueSchemas.group.dependencies.maxItems,
      ),
      ...memberships.schema,
    },
    ['groupName'],
    'A group. Omitted fields stay unchanged; a list replaces the whole list.',
  );
}

function parseGroup(entry: DocumentEntry, path: string): DesiredGroup {
  const { roles, dependencies, ...others } = entry;
  const { members, rest } = memberships.parse(others);
  return {
    ...(rest as unknown as DesiredGroup),
    path,
    ...(roles === undefined ? {} : { roles: (roles as string[]).map(stripRolePrefix) }),
    ...(dependencies === undefined
      ? {}
      : { dependencies: (dependencies as { groupName: string }[]).map(({ groupName }) => groupName) }),
    members,
  };
}

function storeGroupNames({ groupName, dependencies, ...group }: DesiredGroup, index: ResourceIndex): DesiredGroup {
  const store = (name: string) => toStoredName(name, (known) => index.group(known) !== undefined);
  return { ...group, groupName: store(groupName), ...(dependencies ? { dependencies: dependencies.map(store) } : {}) };
}

/** `A` and `ROLE_A` are the same role. Reserved roles are granted only by the service. */
function validateRoles({ path: group, roles = [] }: DesiredGroup): PlanIssue[] {
  return roles.flatMap((role, at) => {
    const path = `${group}/roles/${at}`;
    if (isReservedRole(role)) return [{ path, message: `${role} is granted by the service; groups cannot have it` }];
    if (isServiceRoleLookalike(role))
      return [{ path, message: `${role} differs from the role ${role.toUpperCase()} of the service in case only` }];
    return roles.indexOf(role) < at ? [{ path, message: `duplicate role ${role}` }] : [];
  });
}

type GroupRow = Omit<RemoteGroup, 'dependencies'> & {
  readonly dependencies: readonly { readonly groupName: string }[];
};

async function readGroups(context: RequestContext): Promise<Pick<RemoteState, 'groups'>> {
  const rows = (await readApiList(context, 'groups.list')) as GroupRow[];
  const groups = rows.map((row) => ({ ...row, dependencies: row.dependencies.map(({ groupName }) => groupName) }));
  return { groups: new Map(groups.map((group) => [group.groupName, group])) };
}

/** Returns groups that are not in the documents but lose pruned members. */
function listUnnamedGroups(documents: readonly DesiredGroup[], { pruned }: DiffContext): DesiredGroup[] {
  const named = new Set(documents.map(({ groupName }) => groupName));
  const others = [...pruned.keys()].filter((name) => !named.has(name));
  return others.map((groupName) => ({ path: '', groupName, members: {} }));
}

/** Computes the change of one group. Pruned members are removed in addition to unlisted ones. */
function diffGroup(desired: DesiredGroup, { state, pruned }: DiffContext): GroupChange[] {
  const before = state.groups?.get(desired.groupName);
  const after = resolveGroup(desired, before);
  const memberChanges = memberships.diff(desired, state, pruned.get(desired.groupName));
  const fields = diffFields(before, after, memberChanges);
  if (before && fields.length === 0) return [];
  const change = { kind: 'group', name: desired.groupName, fields, after, ...memberChanges } as const;
  return [before ? { ...change, action: 'update', id: before.groupId, before } : { ...change, action: 'create' }];
}

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

function diffFields(
  before: GroupFields | undefined,
  after: GroupFields | undefined,
  members: { readonly joining: readonly Member[]; readonly leaving: readonly Member[] },
): FieldChange[] {
  return [
    ...diffValue('organizationId', before?.organizationId, after?.organizationId),
    ...diffValue('businessUnitId', before?.businessUnitId, after?.businessUnitId),
    ...diffList('roles', before?.roles ?? [], after?.roles ?? []),
    ...diffList('dependencies', before?.dependencies ?? [], after?.dependencies ?? []),
    ...memberships.diffFields(members),
  ];
}

/** Returns references to groups and members that do not exist, or that the plan deletes. */
function checkGroups(documents: readonly DesiredGroup[], context: CheckContext): PlanIssue[] {
  return documents.flatMap((group) => [
    ...findMissingDependencies(group, context.groupsAfter),
    ...memberships.check(group, context),
  ]);
}

function findMissingDependencies(
  { path, groupName, dependencies = [] }: DesiredGroup,
  after: ReadonlyMap<string, unknown>,
): PlanIssue[] {
  return dependencies.flatMap((name, at) =>
    after.has(name)
      ? []
      : [
          {
            path: `${path}/dependencies/${at}`,
            message: `${groupName} depends on the group ${name}, which does not exist`,
          },
        ],
  );
}

/** Builds the deletion of a group with its memberships. */
function buildGroupRemoval(before: RemoteGroup, state: RemoteState): GroupChange {
  const { groupName: name, groupId: id } = before;
  const leaving = memberships.list(state, name);
  const fields = diffFields(before, undefined, { joining: [], leaving });
  return { action: 'delete', kind: 'group', name, id, fields, before, joining: [], leaving };
}

/** Orders dependencies first. A dependency that is reversed is removed before, to avoid a temporary cycle. */
function orderGroups(changes: readonly GroupChange[], state: RemoteState): Stage<GroupStep>[] {
  const own = new Map(changes.filter(hasGroupChange).map((change) => [change.name, change]));
  const after = new Map<string, Pick<RemoteGroup, 'dependencies'>>(state.groups);
  const union = new Map<string, Pick<RemoteGroup, 'dependencies'>>(state.groups);
  for (const { name, before, after: now } of own.values()) {
    after.set(name, { dependencies: now?.dependencies ?? [] });
    union.set(name, { dependencies: [...(before?.dependencies ?? []), ...(now?.dependencies ?? [])] });
  }
  const releasing = [...own.values()].filter(({ name, fields }) => {
    const removed = fields.find(({ field }) => field === 'dependencies')?.removed ?? [];
    return removed.some((below) => isReachable(union, below, name));
  });
  return [
    releasing.map((change): GroupStep => ({ kind: 'group', change, release: true })),
    ...computeLevels(after).map((names) => selectSteps(names, own)),
  ];
}

const memberFieldNames: readonly string[] = Object.values(memberFields);

/** Whether fields other than the members change. */
function hasGroupChange({ action, fields }: GroupChange): boolean {
  return action === 'create' || fields.some(({ field }) => !memberFieldNames.includes(field));
}

/** Deletes dependents before their dependencies. */
function orderRemovals(changes: readonly GroupChange[], state: RemoteState): Stage<GroupStep>[] {
  const removals = new Map(changes.map((change) => [change.name, change]));
  const levels = computeLevels(state.groups ?? new Map());
  return levels.reverse().map((names) => selectSteps(names, removals));
}

function selectSteps(names: readonly string[], changes: ReadonlyMap<string, GroupChange>): GroupStep[] {
  return names.flatMap((name) => {
    const change = changes.get(name);
    return change ? [{ kind: 'group', change, release: false } as const] : [];
  });
}

async function writeGroup(execution: Execution, step: GroupStep): Promise<void> {
  const { action, name, id = '', fields, before } = step.change;
  if (action === 'create') return createGroup(execution, step);
  const entity = createGroupEntity(name, id);
  if (action === 'delete') {
    await removeEntity(execution, entity, { ...before });
    return execution.record({ what: 'gone', kind: 'group', id, name });
  }
  const own = fields.filter(({ field }) => !memberFieldNames.includes(field));
  const { removed = [] } = own.find(({ field }) => field === 'dependencies') ?? {};
  await updateEntity(execution, entity, step.release ? [{ field: 'dependencies', added: [], removed }] : own);
}

async function createGroup(execution: Execution, { change }: GroupStep): Promise<void> {
  const { name, after } = change;
  const sent = { ...after };
  const created = await recordCreation(execution, {
    resources: [{ kind: 'group', key: groupResource.creationKey(sent), name, sent }],
    send: () => createResource(execution.context, 'groups.create', buildGroupBody(sent)),
    idsOf: ({ groupId }) => [String(groupId)],
  });
  execution.groupIds.set(name, String(created.groupId));
}

type EntityBody = Readonly<Record<string, unknown>>;

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

function buildGroupEntry(group: RemoteGroup, state: RemoteState, portable: Portable): DocumentEntry[] {
  const { groupName } = group;
  if (!portable.withBuiltIn && isBuiltInGroup(groupName)) {
    portable.note(
      'left out: groups',
      groupName,
      'every server has them, but not the members and roles that were added to them; --with-built-in includes both',
    );
    return [];
  }
  return [
    {
      ...group,
      roles: [...group.roles].sort(),
      dependencies: [...group.dependencies].sort().map((name) => ({ groupName: name })),
      ...memberships.export(groupName, state, portable),
    },
  ];
}
