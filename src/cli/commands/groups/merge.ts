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
 * The differences of a group from the body that replaces it. The body is unchecked: the server validates it.
 */
export function describeReplacement(before: GroupBody, body: Readonly<Record<string, unknown>>): readonly string[] {
  const dependenciesOf = (group: Readonly<Record<string, unknown>>) =>
    toList(group.dependencies).map((entry) => String((entry as { groupName?: unknown } | null)?.groupName ?? ''));
  const rolesOf = (group: Readonly<Record<string, unknown>>) =>
    toList(group.roles).map((role) => stripRolePrefix(String(role)));
  const { groupId: _id, roles: _roles, dependencies: _dependencies, ...fields } = { ...before, ...body };
  return [
    ...memberDifferences('role', rolesOf(before), rolesOf(body)),
    ...memberDifferences('dependency', dependenciesOf(before), dependenciesOf(body)),
    ...Object.keys(fields).flatMap((name) =>
      before[name] === body[name] ? [] : [`~ ${name}: ${formatOld(before[name])} -> ${formatOld(body[name])}`],
    ),
  ];
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function formatOld(value: unknown): string {
  return value === undefined || value === null ? '(none)' : String(value);
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

function memberDifferences(kind: string, before: readonly string[], after: readonly string[]): string[] {
  const added = after.filter((member) => !before.includes(member)).map((member) => `+ ${kind} ${member}`);
  const removed = before.filter((member) => !after.includes(member)).map((member) => `- ${kind} ${member}`);
  return [...added, ...removed];
}

function fieldDifferences(before: GroupBody, after: GroupBody, names: readonly string[]): string[] {
  const changed = names.filter((name) => before[name] !== after[name]);
  return changed.map((name) => (after[name] === undefined ? `- ${name}` : `${name} = ${String(after[name])}`));
}
