/** Rows that give administrative roles: they add to a group that has such roles, or add such roles to a group. */
import { parseTypedValue } from '../output/value-prefix.ts';
import { listGrantReferences } from '../request/grants/role-grants.ts';
import { listReferences } from '../request/request-spec.ts';
import { isSentBy, type SelectedRow } from './rows.ts';

const maxListed = 10;

/** Counts the rows and describes the first ones: line, operation and what they name. */
export async function listGrants(
  rows: AsyncIterable<SelectedRow>,
  groups: Iterable<string>,
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
    const { params = {}, query = {}, body } = row.input;
    const named = listReferences(row.operation, { params, query, body }).map(({ value }) => value);
    if (count <= maxListed) lines.push(`line ${row.line}: ${row.operation.id} ${named.slice(0, maxListed).join(' ')}`);
  }
  return { count, lines: count > maxListed ? [...lines, `and ${count - maxListed} more`] : lines };
}
