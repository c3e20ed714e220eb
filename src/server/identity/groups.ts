/** What the operations on groups share: finding one, showing one, and the rules about what a group may hold. */
import { fault } from '../../contract/errors.ts';
import { bareRole, isReservedRole } from '../../contract/roles.ts';
import { createPause } from '../each-in-turns.ts';
import type { Reader, Transaction } from '../store/store.ts';
import type { Group } from '../store/tables.ts';
import { edgesInOneTurn } from './effective-roles.ts';

type GroupReader = Pick<Reader, 'groups'>;

/** A group as callers see it: dependencies by name. */
export interface GroupView {
  readonly groupId: string;
  readonly groupName: string;
  readonly organizationId?: string;
  readonly businessUnitId?: string;
  readonly roles: string[];
  readonly dependencies: { readonly groupName: string }[];
}

/** The group of this id or, where there is none, of this name. */
export async function findGroup(reader: GroupReader, reference: string): Promise<Group | undefined> {
  return (await reader.groups.get(reference)) ?? (await reader.groups.getBy('groupName', reference));
}

/** @throws IamError GROUP_NOT_FOUND. */
export async function requireGroup(reader: GroupReader, reference: string): Promise<Group> {
  const group = await findGroup(reader, reference);
  if (!group) throw fault('GROUP_NOT_FOUND');
  return group;
}

interface Shown {
  readonly view: GroupView;
  readonly dependencies: readonly (Group | undefined)[];
}

/** Rows do not change in place, so the view of a row holds as long as the rows of its dependencies are the same. */
const shown = new WeakMap<Group, Shown>();

const none: readonly Group[] = [];

function dependenciesOf(reader: GroupReader, group: Group): Promise<(Group | undefined)[]> {
  return Promise.all(group.dependencies.map((groupId) => reader.groups.get(groupId)));
}

/** What callers see of a group. The same object for the same state, so that its wire form can be kept. */
export async function viewOf(reader: GroupReader, group: Group): Promise<GroupView> {
  return viewWith(group, group.dependencies.length === 0 ? none : await dependenciesOf(reader, group));
}

/** What callers see of groups. Most depend on no other, so that there is nothing to wait for. */
export async function viewsOf(reader: GroupReader, groups: readonly Group[]): Promise<GroupView[]> {
  const views: GroupView[] = [];
  const pause = createPause(edgesInOneTurn);
  for (const group of groups) {
    const pausing = pause(1 + group.dependencies.length);
    if (pausing) await pausing;
    views.push(group.dependencies.length === 0 ? viewWith(group, none) : await viewOf(reader, group));
  }
  return views;
}

function viewWith(group: Group, dependencies: readonly (Group | undefined)[]): GroupView {
  const known = shown.get(group);
  if (known?.dependencies === dependencies) return known.view;
  if (known?.dependencies.every((dependency, at) => dependency === dependencies[at])) return known.view;
  const view: GroupView = {
    groupId: group.groupId,
    groupName: group.groupName,
    ...(group.organizationId === undefined ? {} : { organizationId: group.organizationId }),
    ...(group.businessUnitId === undefined ? {} : { businessUnitId: group.businessUnitId }),
    roles: [...group.roles],
    dependencies: dependencies.flatMap((dependency) => (dependency ? [{ groupName: dependency.groupName }] : [])),
  };
  shown.set(group, { view, dependencies });
  return view;
}

/** Role names as they are stored: without prefix, each once. @throws IamError ROLE_RESERVED. */
export function storedRoles(names: readonly string[]): string[] {
  const roles = [...new Set(names.map(bareRole))];
  const reserved = roles.find(isReservedRole);
  if (reserved !== undefined)
    throw fault('ROLE_RESERVED', `The role ${reserved} is given by the service itself, never by a group.`);
  return roles;
}

/** Ids of the groups that are named, each once. @throws IamError DEPENDENCY_UNKNOWN. */
export async function dependencyIds(
  reader: GroupReader,
  dependencies: readonly { readonly groupName: string }[],
): Promise<string[]> {
  const groups = await Promise.all(dependencies.map(({ groupName }) => requireDependency(reader, groupName)));
  return [...new Set(groups.map((group) => group.groupId))];
}

/** @throws IamError DEPENDENCY_UNKNOWN. */
export async function requireDependency(reader: GroupReader, reference: string): Promise<Group> {
  const group = await findGroup(reader, reference);
  if (!group) throw fault('DEPENDENCY_UNKNOWN', `There is no group ${JSON.stringify(reference)} to depend on.`);
  return group;
}

/**
 * Refuses a group that would depend on itself, directly or through others; the message draws the circle.
 * @throws IamError DEPENDENCY_CYCLE.
 */
export async function requireNoCycle(reader: GroupReader, group: Group): Promise<void> {
  const cameFrom = new Map<string, Group>();
  const open = [group];
  const pause = createPause(edgesInOneTurn);
  for (let at = open.pop(); at; at = open.pop()) {
    for (const groupId of at.dependencies) {
      const pausing = pause();
      if (pausing) await pausing;
      if (groupId === group.groupId) throw circle(group, at, cameFrom);
      const next = cameFrom.has(groupId) ? undefined : await reader.groups.get(groupId);
      if (!next) continue;
      cameFrom.set(groupId, at);
      open.push(next);
    }
  }
}

function circle(group: Group, last: Group, cameFrom: ReadonlyMap<string, Group>) {
  const backwards = [group.groupName];
  for (let at: Group | undefined = last; at && at.groupId !== group.groupId; at = cameFrom.get(at.groupId))
    backwards.push(at.groupName);
  const names = [...backwards, group.groupName].reverse();
  return fault('DEPENDENCY_CYCLE', `The groups would depend on each other in a circle: ${names.join(' -> ')}.`);
}

/** @throws IamError GROUP_NAME_TAKEN where another group has the name. */
export async function requireFreeName(tx: Transaction, groupName: string, groupId?: string): Promise<void> {
  const twin = await tx.groups.getBy('groupName', groupName);
  if (twin && twin.groupId !== groupId)
    throw fault('GROUP_NAME_TAKEN', `Another group is called ${JSON.stringify(groupName)}.`);
}
