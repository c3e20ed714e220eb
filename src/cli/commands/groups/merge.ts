/** Applies the edits of `iam groups update` to a group. Pure. */
import { stripRolePrefix } from '../../../contract/roles.ts';

export interface GroupBody {
  readonly groupId?: string;
  readonly groupName: string;
  readonly roles: readonly string[];
  readonly dependencies: readonly { readonly groupName: string }[];
  readonly [field: string]: unknown;
}

export interface GroupEdit {
  readonly addRoles: readonly string[];
  readonly removeRoles: readonly string[];
  readonly addDependencies: readonly string[];
  readonly removeDependencies: readonly string[];
  /** Fields by name; an empty string clears the field. */
  readonly fields: Readonly<Record<string, string>>;
}

export const emptyEdit: GroupEdit = {
  addRoles: [],
  removeRoles: [],
  addDependencies: [],
  removeDependencies: [],
  fields: {},
};

export function isEmptyEdit(edit: GroupEdit): boolean {
  return Object.values(edit).every(
    (part: readonly string[] | Readonly<Record<string, string>>) => Object.keys(part).length === 0,
  );
}

export interface GroupMerge {
  readonly group: GroupBody;
  /** Human-readable differences from the previous group; empty if nothing changed. */
  readonly differences: readonly string[];
}

/** Applies an edit to the current group and leaves all other fields unchanged. */
export function mergeGroup(group: GroupBody, change: GroupEdit): GroupMerge {
  const roles = withMembers(group.roles, change.addRoles.map(stripRolePrefix), change.removeRoles.map(stripRolePrefix));
  const before = group.dependencies.map(({ groupName }) => groupName);
  const names = withMembers(before, change.addDependencies, change.removeDependencies);
  const changed = withFields(
    { ...group, roles, dependencies: names.map((groupName) => ({ groupName })) },
    change.fields,
  );
  const differences = [
    ...memberDifferences('role', group.roles, roles),
    ...memberDifferences('dependency', before, names),
    ...fieldDifferences(group, changed, Object.keys(change.fields)),
  ];
  return { group: changed, differences };
}

/**
 * The differences of a group from the body that replaces it. The server validates the body: what it would reject is a
 * difference, so that it is sent.
 */
export function describeReplacement(before: GroupBody, body: Readonly<Record<string, unknown>>): readonly string[] {
  const { groupId: _id, roles: _roles, dependencies: _dependencies, ...fields } = { ...before, ...body };
  return [
    ...listDifferences('role', before.roles, body.roles, toRole),
    ...listDifferences('dependency', before.dependencies, body.dependencies, toDependency),
    ...Object.keys(fields).flatMap((name) =>
      before[name] === body[name] ? [] : [`~ ${name}: ${formatValue(before[name])} -> ${formatValue(body[name])}`],
    ),
  ];
}

function listDifferences(
  kind: string,
  before: readonly unknown[],
  after: unknown,
  toMember: (entry: unknown) => unknown,
): readonly string[] {
  if (after !== undefined && !Array.isArray(after)) return [`+ ${kind} ${JSON.stringify(after)}`];
  return memberDifferences(kind, before.map(toMember), (after ?? []).map(toMember));
}

function toRole(entry: unknown): unknown {
  return typeof entry === 'string' ? stripRolePrefix(entry) : entry;
}

/** The name of a valid entry; another text or object for any other entry. */
function toDependency(entry: unknown): unknown {
  if (typeof entry === 'string') return JSON.stringify(entry);
  const { groupName, ...others } = Object(entry) as { readonly groupName?: unknown };
  return typeof groupName === 'string' && Object.keys(others).length === 0 ? groupName : entry;
}

function formatValue(value: unknown): string {
  if (value === undefined) return '(none)';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function withMembers(members: readonly string[], add: readonly string[], remove: readonly string[]): string[] {
  return [...new Set([...members, ...add])].filter((member) => !remove.includes(member));
}

function withFields(group: GroupBody, fields: Readonly<Record<string, string>>): GroupBody {
  const cleared = new Set(Object.keys(fields).filter((name) => fields[name] === ''));
  return Object.fromEntries(
    Object.entries({ ...group, ...fields }).filter(([name]) => !cleared.has(name)),
  ) as GroupBody;
}

function memberDifferences(kind: string, before: readonly unknown[], after: readonly unknown[]): string[] {
  const added = after.filter((member) => !before.includes(member)).map((member) => `+ ${kind} ${formatValue(member)}`);
  const removed = before
    .filter((member) => !after.includes(member))
    .map((member) => `- ${kind} ${formatValue(member)}`);
  return [...added, ...removed];
}

function fieldDifferences(before: GroupBody, after: GroupBody, names: readonly string[]): string[] {
  const changed = names.filter((name) => before[name] !== after[name]);
  return changed.map((name) => (after[name] === undefined ? `- ${name}` : `${name} = ${String(after[name])}`));
}
