/** Rows that can give administrative roles: they add to a group or a business that has such roles, or add such roles to a group. */
import type { EntityName } from '../../contract/entities.ts';
import type { Context } from '../context.ts';
import { formatNamedId, nameKey } from '../output/name-columns.ts';
import { parseTypedValue } from '../output/value-prefix.ts';
import type { AdministrativeGroup, RoleReader } from '../request/grants/group-roles.ts';
import { describeGains, findGains, type Gain, listGrantReferences } from '../request/grants/role-grants.ts';
import { listReferences, type ReferenceValue } from '../request/request-spec.ts';
import { type BulkRow, isSentBy, type SelectedRow } from './rows.ts';

const maxListed = 10;

/** The groups and businesses with administrative roles, by their ids and names. */
export interface RoleHolders {
  readonly group: ReadonlyMap<string, AdministrativeGroup>;
  readonly business: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Counts the rows and describes the first ones: who would gain what; of a row that gives none, its operation and values. */
export async function listGrants(
  context: Pick<Context, 'findNames'>,
  rows: AsyncIterable<SelectedRow>,
  holders: RoleHolders,
): Promise<{ readonly count: number; readonly lines: readonly string[] }> {
  const listed: BulkRow[] = [];
  // Rows can also add to a group or a business that got its roles from a row before them.
  const keyOf = (entity: EntityName, name: string) => `${entity} ${name.normalize('NFC')}`;
  const administrative = new Set([
    ...[...holders.group.keys()].map((name) => keyOf('group', name)),
    ...[...holders.business.keys()].map((name) => keyOf('business', name)),
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
    const groupName = groupNameIn(row);
    if (groupName !== undefined) administrative.add(keyOf('group', groupName));
    for (const { reference, value } of listNamed(row))
      administrative.add(keyOf(reference.entity, parseTypedValue(value).value));
    if (count <= maxListed) listed.push(row);
  }
  const lines = await describeRows(context, listed, holders);
  return { count, lines: count > maxListed ? [...lines, `and ${count - maxListed} more`] : lines };
}

function groupNameIn({ input }: BulkRow): string | undefined {
  const { groupName } = (input.body ?? {}) as { readonly groupName?: unknown };
  return typeof groupName === 'string' ? groupName : undefined;
}

function listNamed({ operation, input: { params = {}, query = {}, body } }: BulkRow): readonly ReferenceValue[] {
  return listReferences(operation, { params, query, body });
}

/** In the order of the rows, each with what those before it give. The names of all are read at once. */
async function describeRows(
  { findNames }: Pick<Context, 'findNames'>,
  rows: readonly BulkRow[],
  holders: RoleHolders,
): Promise<readonly string[]> {
  // Of many members, as many are shown, beside those in the path.
  const shown = rows.map((row) => listNamed(row).slice(0, 2 * maxListed));
  const names = await findNames(shown.flat().map(({ value }) => value));
  const groups = new Map(holders.group);
  const businesses = new Map(holders.business);
  const findGroup = (typed: string): AdministrativeGroup => {
    const { value } = parseTypedValue(typed);
    const name = formatNamedId(value, names.get(nameKey('group', value)));
    return groups.get(value.normalize('NFC')) ?? { name, roles: new Set() };
  };
  const findBusiness = (typed: string) => businesses.get(parseTypedValue(typed).value) ?? new Set();
  const reader: RoleReader = {
    read: async (typed) => findGroup(typed),
    readBusiness: async (typed) => findBusiness(typed),
  };

  function addGains(row: BulkRow, gains: readonly Gain[]): void {
    const roles = gains.map(({ role }) => role);
    const addToGroup = (typed: string) => {
      const group = findGroup(typed);
      const key = parseTypedValue(typed).value.normalize('NFC');
      groups.set(key, { ...group, roles: new Set([...group.roles, ...roles]) });
    };
    const { params = {} } = row.input;
    for (const { reference, value } of listNamed(row)) {
      if (reference.entity === 'group' && Object.values(params).includes(value)) addToGroup(value);
      if (reference.entity === 'business')
        businesses.set(parseTypedValue(value).value, new Set([...findBusiness(value), ...roles]));
    }
    const groupName = groupNameIn(row);
    if (groupName !== undefined) addToGroup(groupName);
  }

  const lines: string[] = [];
  for (const [at, row] of rows.entries()) {
    const gains = await findGains({ findNames: async () => names }, reader, row);
    addGains(row, gains);
    const values = shown[at]?.slice(0, maxListed).map(({ value }) => value) ?? [];
    const text = gains.length > 0 ? describeGains(gains).join('; ') : `${row.operation.id} ${values.join(' ')}`;
    lines.push(`line ${row.line}: ${text}`);
  }
  return lines;
}
