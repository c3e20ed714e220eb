/** Rows that give administrative roles: they add to a group that has such roles, or add such roles to a group. */
import { ClientError } from '../../client/errors.ts';
import { entityOf } from '../../contract/entities.ts';
import { isAdministrativeRole } from '../../contract/roles.ts';
import type { Context } from '../context.ts';
import { parseTypedValue } from '../output/value-prefix.ts';
import { readEntityPage } from '../request/entity-rows.ts';
import { collectEntries } from '../request/pagination.ts';
import { listReferences, type ReferenceValue } from '../request/request-spec.ts';
import { type BulkRow, isSentBy, type SelectedRow } from './rows.ts';

/** The groups and the administrative roles that a row names, unless it only reads or removes. */
export function listGrantReferences(row: BulkRow): readonly ReferenceValue[] {
  const { effect, method } = row.operation;
  return effect === 'write' && method !== 'DELETE' ? listRowReferences(row).filter(isGrantReference) : [];
}

function isGrantReference({ reference: { entity }, value }: ReferenceValue): boolean {
  return entity === 'group' || (entity === 'role' && isAdministrativeRole(value));
}

function listRowReferences({ operation, input }: BulkRow): readonly ReferenceValue[] {
  const { params = {}, query = {}, body } = input;
  return listReferences(operation, { params, query, body });
}

interface GroupRow {
  readonly groupId: string;
  readonly groupName: string;
  readonly roles?: readonly string[];
  readonly dependencies?: readonly { readonly groupName: string }[];
}

/**
 * The names and ids of all groups with administrative roles, own ones and those of dependencies. None if the caller may not
 * list groups: such a caller can add only to groups whose roles it has.
 */
export async function findAdministrativeGroups(context: Context): Promise<ReadonlySet<string>> {
  const { signal } = context.io;
  const source = entityOf('group').list;
  const read = collectEntries((query) => readEntityPage(context, { source, params: [], query, signal }), Infinity);
  const found: readonly unknown[] = await read.catch(ignoreRejection);
  const groups = found.filter(isGroup);
  const dependents = new Map<string, string[]>();
  for (const { groupName, dependencies = [] } of groups)
    for (const { groupName: below } of dependencies)
      dependents.set(below, [...(dependents.get(below) ?? []), groupName]);
  const names = new Set(
    groups.filter(({ roles = [] }) => roles.some(isAdministrativeRole)).map((one) => one.groupName),
  );
  // The iteration includes names that are added during it.
  for (const name of names) for (const above of dependents.get(name) ?? []) names.add(above);
  return new Set(groups.flatMap(({ groupId, groupName }) => (names.has(groupName) ? [groupId, groupName] : [])));
}

function ignoreRejection(error: unknown): readonly unknown[] {
  if (error instanceof ClientError && error.status < 500) return [];
  throw error;
}

function isGroup(row: unknown): row is GroupRow {
  return typeof row === 'object' && row !== null && 'groupName' in row;
}

const maxListed = 10;

/** Counts the rows and describes the first ones: line, operation and what they name. */
export async function listGrants(
  rows: AsyncIterable<SelectedRow>,
  groups: ReadonlySet<string>,
): Promise<{ readonly count: number; readonly lines: readonly string[] }> {
  const lines: string[] = [];
  // Rows can also add to a group that got its roles from a row before them.
  const administrative = new Set([...groups].map((name) => name.normalize('NFC')));
  let count = 0;
  for await (const { row, action } of rows) {
    if (!isSentBy(action) || 'reason' in row) continue;
    const references = listGrantReferences(row).map(({ reference: { entity }, value }) => ({
      entity,
      name: parseTypedValue(value).value.normalize('NFC'),
    }));
    if (!references.some(({ entity, name }) => entity === 'role' || administrative.has(name))) continue;
    count += 1;
    const { groupName } = (row.input.body ?? {}) as { readonly groupName?: unknown };
    if (typeof groupName === 'string') administrative.add(groupName.normalize('NFC'));
    for (const { entity, name } of references) if (entity === 'group') administrative.add(name);
    const named = listRowReferences(row).map(({ value }) => value);
    if (count <= maxListed) lines.push(`line ${row.line}: ${row.operation.id} ${named.slice(0, maxListed).join(' ')}`);
  }
  return { count, lines: count > maxListed ? [...lines, `and ${count - maxListed} more`] : lines };
}
