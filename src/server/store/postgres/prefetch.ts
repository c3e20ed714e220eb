/** Reads what a call needs first, with one statement. */
import { isStorableText } from '../../lib/storable-text.ts';
import type { Prefetch } from '../store.ts';
import type { StoredRow } from '../table-shape.ts';
import type { TableName } from '../tables.ts';
import type { TableAccesses } from './row-access.ts';
import { SeenTables } from './seen-rows.ts';
import { followReached, type Statement } from './statements.ts';
import { quoteName, toIndexText } from './table-columns.ts';
import { nameQuery, type Run, type TableAccess } from './table-reader.ts';

/** A row as the statement returns it: without version and body where there is none with this key. */
interface PrefetchedRow {
  readonly source: TableName;
  readonly key: string;
  readonly version: string | null;
  readonly body: string | null;
}

/** @returns what was read, for the reader of the call */
export async function prefetchRows(
  accesses: TableAccesses,
  run: Run,
  { keys, members }: Prefetch,
): Promise<SeenTables<TableName>> {
  const entries = Object.entries(keys).filter(([, key]) => isStorableText(key)) as [TableName, string][];
  const names = entries.map(([name]) => name);
  const values = [...entries.map(([, key]) => key), ...(members ? [members.map(toIndexText)] : [])];
  const { rows } = await run(createPrefetchStatement(accesses, names, members !== undefined), values);
  const seen = new SeenTables<TableName>();
  for (const [name, key] of entries) seen.of(name).set(key, undefined);
  const memberships = new Map<string, StoredRow>();
  for (const { source, key, version, body } of rows as PrefetchedRow[]) {
    const { known } = accesses.get(source) as TableAccess;
    const row = version === null || body === null ? undefined : known.parse({ version, body });
    seen.of(source).set(key, row);
    if (source === 'memberships' && row) memberships.set(key, row);
  }
  if (members) seen.of('memberships').setResult(nameQuery('member', members), sortByKey(memberships));
  return seen;
}

/** As the index returns them. */
function sortByKey(rows: ReadonlyMap<string, StoredRow>): readonly StoredRow[] {
  return [...rows].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
}

/** Its name determines its text. */
function createPrefetchStatement(accesses: TableAccesses, names: readonly TableName[], hasMembers: boolean): Statement {
  const parts = names.map((name, at) => {
    const { table } = accesses.get(name) as TableAccess;
    return `select '${name}' as source, key, version, body from ${quoteName(table.sqlName)} where key = $${at + 1}`;
  });
  const name = `prefetch.${names.join('.')}`;
  if (!hasMembers) return { name, text: parts.join(' union all ') };
  const memberships = selectMemberships(accesses, `$${names.length + 1}`);
  return {
    name: `${name}.members`,
    text: `${memberships.queries} ${[...parts, ...memberships.parts].join(' union all ')}`,
  };
}

/** The memberships of members, and the groups that these reach. */
function selectMemberships(accesses: TableAccesses, parameter: string) {
  const { table } = accesses.get('memberships') as TableAccess;
  const { table: groups } = accesses.get('groups') as TableAccess;
  const columnOf = (index: string) => quoteName(table.indexes.get(index)?.sqlName ?? '');
  const dependency = groups.indexes.get('dependency');
  if (!dependency) throw new Error('Groups have no dependencies.');
  const held = `select key, version, body, ${columnOf('group')} as group_key from ${quoteName(table.sqlName)} where ${columnOf('member')} = any(${parameter})`;
  return {
    queries: `with recursive held as (${held}), reached(key) as (select group_key from held union ${followReached(groups, dependency)})`,
    parts: [
      "select 'memberships' as source, key, version, body from held",
      `select 'groups' as source, r.key, t.version, t.body from reached r left join ${quoteName(groups.sqlName)} t on t.key = r.key`,
    ],
  };
}
