/** Shared by the operations on groups: lookup, response form and validation. */
import { type ApiErrorItem, apiError, IamError } from '../../contract/errors.ts';
import { isReservedRole, isServiceRoleLookalike, stripRolePrefix } from '../../contract/roles.ts';
import { createPause } from '../lib/event-loop-turns.ts';
import { findCyclicNodes } from '../lib/topological-order.ts';
import type { Derivation, RowCache } from '../store/derived-values.ts';
import type { Reader, Transaction } from '../store/store.ts';
import type { Group } from '../store/tables.ts';
import { throwAny } from './assert-each.ts';
import { edgesPerTurn } from './group-roles.ts';
import { findByName } from './new-names.ts';

type GroupReader = Pick<Reader, 'groups'>;

/** A group in the response: dependencies by name. */
export interface GroupView {
  readonly groupId: string;
  readonly groupName: string;
  readonly organizationId?: string;
  readonly businessUnitId?: string;
  readonly roles: string[];
  readonly dependencies: { readonly groupName: string }[];
}

/** The group with this id; else the group with this name. */
export async function findGroup(reader: GroupReader, reference: string): Promise<Group | undefined> {
  return (await reader.groups.get(reference)) ?? (await findGroupByName(reader, reference));
}

export async function findGroupByName(reader: GroupReader, groupName: string): Promise<Group | undefined> {
  return findByName(groupName, (name) => reader.groups.getBy('groupName', name));
}

/** @throws IamError GROUP_NOT_FOUND. */
export async function requireGroup(reader: GroupReader, reference: string): Promise<Group> {
  const group = await findGroup(reader, reference);
  if (!group) throw apiError('GROUP_NOT_FOUND');
  return group;
}

interface CachedView {
  readonly view: GroupView;
  /** The existing ones. */
  readonly dependencies: readonly Group[];
  /** The state of the table in which a list last found the dependencies unchanged. */
  state: object | undefined;
}

/**
 * An empty cache, which only identifies the state of the table: the store discards it on each change of a group, so that
 * the mark of an earlier state never matches again.
 */
const tableState: Derivation<never> = { name: 'state of the groups' };

/** Rows are immutable, so the cached view of a row is valid as long as the rows of its dependencies are unchanged. */
const groupViews: Derivation<CachedView> = { name: 'group views' };

const noDependencies: readonly Group[] = [];

/** Converts a group to its response form. Returns the same object for the same state, so that its JSON can be cached. */
export async function toGroupView(reader: GroupReader, group: Group): Promise<GroupView> {
  const { dependencies } = group;
  return buildGroupView(
    reader.groups.rowCache(groupViews),
    group,
    dependencies.length === 0 ? noDependencies : await reader.groups.getMany(dependencies),
  );
}

/** Reads a group in its response form, by id or name. @throws IamError GROUP_NOT_FOUND. */
export async function readGroupView(reader: GroupReader, reference: string): Promise<GroupView> {
  const [group, ...dependencies] = await reader.groups.getLinked('dependency', reference);
  if (group) return buildGroupView(reader.groups.rowCache(groupViews), group, dependencies);
  const named = await findGroupByName(reader, reference);
  if (!named) throw apiError('GROUP_NOT_FOUND');
  return toGroupView(reader, named);
}

/** Converts groups to their response form. Most have no dependencies, for which nothing is read. */
export async function toGroupViews(reader: GroupReader, groups: readonly Group[]): Promise<GroupView[]> {
  const cache = reader.groups.rowCache(groupViews);
  // If the table changes before the dependencies are read, the views get the mark of a state that is gone.
  const state = reader.groups.tableCache(tableState);
  const current = state && findCurrentViews(cache, groups, state);
  if (current) return current;
  const rows = await readDependencies(reader, groups);
  const pause = createPause(edgesPerTurn);
  const views: GroupView[] = [];
  for (const group of groups) {
    const pausing = pause(group.dependencies.length);
    if (pausing) await pausing;
    views.push(buildGroupView(cache, group, selectDependencies(group, rows), state));
  }
  return views;
}

/** The views of these groups if each was valid in this state of the table: no look at dependencies is needed. */
function findCurrentViews(
  cache: RowCache<Group, CachedView>,
  groups: readonly Group[],
  state: object,
): GroupView[] | undefined {
  const views: GroupView[] = [];
  for (const group of groups) {
    const cached = cache.get(group);
    if (cached?.state !== state) return undefined;
    views.push(cached.view);
  }
  return views;
}

function selectDependencies({ dependencies }: Group, rows: ReadonlyMap<string, Group>): readonly Group[] {
  if (dependencies.length === 0) return noDependencies;
  return dependencies.map((groupId) => rows.get(groupId)).filter((row) => row !== undefined);
}

/** The dependencies of all these groups, by id. */
async function readDependencies(reader: GroupReader, groups: readonly Group[]): Promise<ReadonlyMap<string, Group>> {
  const groupIds = new Set<string>();
  // Iterating an empty array takes longer than reading its length, and most are empty.
  for (const { dependencies } of groups)
    if (dependencies.length > 0) for (const groupId of dependencies) groupIds.add(groupId);
  const rows = new Map<string, Group>();
  if (groupIds.size > 0) for (const row of await reader.groups.getMany([...groupIds])) rows.set(row.groupId, row);
  return rows;
}

function buildGroupView(
  cache: RowCache<Group, CachedView>,
  group: Group,
  dependencies: readonly Group[],
  state?: object,
): GroupView {
  const cached = cache.get(group);
  if (cached && areSame(cached.dependencies, dependencies)) {
    cached.state = state ?? cached.state;
    return cached.view;
  }
  const view: GroupView = {
    groupId: group.groupId,
    groupName: group.groupName,
    roles: [...group.roles],
    dependencies: dependencies.map(({ groupName }) => ({ groupName })),
    // Last, as fields after a spread are slow with Node 20.
    ...(group.organizationId === undefined ? {} : { organizationId: group.organizationId }),
    ...(group.businessUnitId === undefined ? {} : { businessUnitId: group.businessUnitId }),
  };
  cache.set(group, { view, dependencies, state });
  return view;
}

function areSame(one: readonly Group[], other: readonly Group[]): boolean {
  return one === other || (one.length === other.length && one.every((group, at) => group === other[at]));
}

/** Role names in their stored form: without prefix and without duplicates. @throws IamError ROLE_RESERVED. */
export function normalizeGroupRoles(names: readonly string[]): string[] {
  const roles = [...new Set(names.map(stripRolePrefix))];
  throwAny(roles.flatMap((role) => (isReservedRole(role) ? [toReservedError(role)] : listLookalikes([role]))));
  return roles;
}

function toReservedError(role: string): ApiErrorItem {
  return { code: 'ROLE_RESERVED', message: `The role ${role} is reserved for the service. A group cannot grant it.` };
}

/** @throws IamError ROLE_RESERVED. */
export function assertNoLookalikes(roles: readonly string[]): void {
  throwAny(listLookalikes(roles));
}

function listLookalikes(roles: readonly string[]): ApiErrorItem[] {
  return roles.filter(isServiceRoleLookalike).map((role) => ({
    code: 'ROLE_RESERVED',
    message: `The role ${role} differs from the role ${role.toUpperCase()} of the service in case only.`,
  }));
}

/** The distinct ids of the named groups. @throws IamError DEPENDENCY_UNKNOWN. */
export async function resolveDependencyIds(
  reader: GroupReader,
  dependencies: readonly { readonly groupName: string }[],
): Promise<string[]> {
  return dependencies.length === 0 ? [] : (await readDependencyIds(reader, dependencies))();
}

/**
 * Reads the named groups.
 * @returns a function that returns their distinct ids; it throws IamError DEPENDENCY_UNKNOWN.
 */
export async function readDependencyIds(
  reader: GroupReader,
  dependencies: readonly { readonly groupName: string }[],
): Promise<() => string[]> {
  const references = dependencies.map(({ groupName }) => groupName);
  const normalized = new Map(references.map((reference) => [reference, reference.normalize('NFC')]));
  const [withId, withName] = await Promise.all([
    reader.groups.getMany(references),
    reader.groups.findMany('groupName', [...new Set([...normalized.keys(), ...normalized.values()])]),
  ]);
  const groupIds = new Map(withName.map(({ groupName, groupId }) => [groupName, groupId]));
  for (const [reference, name] of normalized) {
    const groupId = groupIds.get(reference) ?? groupIds.get(name);
    if (groupId !== undefined) groupIds.set(reference, groupId);
  }
  // A reference is an id, else a name.
  for (const { groupId } of withId) groupIds.set(groupId, groupId);
  return () => selectDependencyIds(dependencies, (reference) => groupIds.get(reference));
}

/** The distinct ids of the named groups. @throws IamError DEPENDENCY_UNKNOWN. */
export function selectDependencyIds(
  dependencies: readonly { readonly groupName: string }[],
  findId: (reference: string) => string | undefined,
): string[] {
  const references = [...new Set(dependencies.map(({ groupName }) => groupName))];
  throwAny(references.filter((reference) => findId(reference) === undefined).map(toUnknownDependency));
  return [...new Set(references.flatMap((reference) => findId(reference) ?? []))];
}

/** @throws IamError DEPENDENCY_UNKNOWN. */
export async function requireDependency(reader: GroupReader, reference: string): Promise<Group> {
  const group = await findGroup(reader, reference);
  if (!group) throw new IamError([toUnknownDependency(reference)]);
  return group;
}

function toUnknownDependency(reference: string): ApiErrorItem {
  return { code: 'DEPENDENCY_UNKNOWN', message: `Group ${JSON.stringify(reference)} not found.` };
}

/** The ids of groups that depend on themselves, among these and all that they depend on; a group between two cycles counts. */
export async function findCyclicGroups(reader: GroupReader, groupIds: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await reader.groups.reach('dependency', groupIds);
  return findCyclicNodes(rows.map(({ groupId, dependencies }) => ({ key: groupId, targets: dependencies })));
}

/**
 * Rejects a group that would depend on itself, directly or through other groups; the message shows the cycle.
 * @throws IamError DEPENDENCY_CYCLE.
 */
export async function assertNoDependencyCycle(reader: GroupReader, group: Group): Promise<void> {
  const rows = await reader.groups.reach('dependency', group.dependencies);
  const groups = new Map(rows.map((row) => [row.groupId, row]));
  const predecessors = new Map<string, Group>();
  const open = [group];
  const pause = createPause(edgesPerTurn);
  for (let at = open.pop(); at; at = open.pop()) {
    for (const groupId of at.dependencies) {
      const pausing = pause();
      if (pausing) await pausing;
      if (groupId === group.groupId) throw createCycleError(group, at, predecessors);
      const next = predecessors.has(groupId) ? undefined : groups.get(groupId);
      if (!next) continue;
      predecessors.set(groupId, at);
      open.push(next);
    }
  }
}

function createCycleError(group: Group, last: Group, predecessors: ReadonlyMap<string, Group>) {
  const backwards = [group.groupName];
  for (let at: Group | undefined = last; at && at.groupId !== group.groupId; at = predecessors.get(at.groupId))
    backwards.push(at.groupName);
  const names = [...backwards, group.groupName].reverse();
  return apiError('DEPENDENCY_CYCLE', `The dependencies of the groups would form a cycle: ${names.join(' -> ')}.`);
}

/** Checks the name of a new group. @throws IamError GROUP_NAME_TAKEN. */
export async function assertGroupNameAvailable(tx: Transaction, groupName: string): Promise<void> {
  if (await tx.groups.isTaken('groupName', groupName)) throw createNameTakenError(groupName);
  await assertVisibleNameAvailable(tx, groupName);
}

/** Rejects a name that looks like that of another group. @throws IamError GROUP_NAME_TAKEN. */
export async function assertVisibleNameAvailable(tx: Transaction, groupName: string, groupId?: string): Promise<void> {
  const alike = await tx.groups.find('visibleName', groupName, { limit: 2 });
  if (alike.some((group) => group.groupId !== groupId)) throw createNameTakenError(groupName);
}

/** Checks the group that has a requested name. @throws IamError GROUP_NAME_TAKEN if it is another group. */
export function assertNotOther(named: Group | undefined, groupId: string): void {
  if (named && named.groupId !== groupId) throw createNameTakenError(named.groupName);
}

export function createNameTakenError(groupName: string) {
  return apiError('GROUP_NAME_TAKEN', `The group name ${JSON.stringify(groupName)} is already in use.`);
}
