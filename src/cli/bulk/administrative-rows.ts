/** Rows that can give administrative roles: they add to a group or a business that has such roles, or add such roles to a group. */
import type { EntityName } from '../../contract/entities.ts';
import { parseTypedValue } from '../output/value-prefix.ts';
import { listGrantReferences } from '../request/grants/role-grants.ts';
import { listReferences } from '../request/request-spec.ts';
import { isSentBy, type SelectedRow } from './rows.ts';

const maxListed = 10;

/**
 * Counts the rows and describes the first ones: line, operation and what they name.
 * @param holders the ids and names of groups and businesses with administrative roles
 */
export async function listGrants(
  rows: AsyncIterable<SelectedRow>,
  holders: Readonly<Record<'group' | 'business', Iterable<string>>>,
): Promise<{ readonly count: number; readonly lines: readonly string[] }> {
  const lines: string[] = [];
  // Rows can also add to a group or a business that got its roles from a row before them.
  const keyOf = (entity: EntityName, name: string) => `${entity} ${name.normalize('NFC')}`;
  const administrative = new Set([
    ...[...holders.group].map((name) => keyOf('group', name)),
    ...[...holders.business].map((name) => keyOf('business', name)),
  ]);
  let count = 0;
  for await (const { row, action } of rows) {
    if (!isSentBy(action) || 'reason' in row) continue;
    const isGrant = listGrantReferences(row).some(
      ({ reference: { entity }, value }) =>
        entity === 'role' || administrative.has(keyOf(entity, parseTypedValue(value).value)),
    );
    if (!isGrant) continue;
    count += 1;
    const { groupName } = (row.input.body ?? {}) as { readonly groupName?: unknown };
    if (typeof groupName === 'string') administrative.add(keyOf('group', groupName));
    const { params = {}, query = {}, body } = row.input;
    const named = listReferences(row.operation, { params, query, body });
    for (const { reference, value } of named) administrative.add(keyOf(reference.entity, parseTypedValue(value).value));
    if (count > maxListed) continue;
    const values = named.slice(0, maxListed).map(({ value }) => value);
    lines.push(`line ${row.line}: ${row.operation.id} ${values.join(' ')}`);
  }
  return { count, lines: count > maxListed ? [...lines, `and ${count - maxListed} more`] : lines };
}
