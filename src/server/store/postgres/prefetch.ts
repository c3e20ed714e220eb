/** Reads what a call needs first, with one statement. */
import { precedes } from '../../lib/code-points.ts';
import { createPause } from '../../lib/event-loop-turns.ts';
import { isStorableText } from '../../lib/storable-text.ts';
import { collectReachedRows } from '../reach.ts';
import type { Prefetch } from '../store.ts';
import type { StoredRow } from '../table-shape.ts';
import type { TableName } from '../tables.ts';
import type { TableAccesses } from './row-access.ts';
import { SeenTables } from './seen-rows.ts';
import { followReached, joinReached, type Statement } from './statements.ts';
import { quoteName, type StoredTable, toIndexText } from './table-columns.ts';
import { nameQuery, type Run, type TableAccess } from './table-reader.ts';

/** A row as the statement returns it: without version and body where there is none with this key. */
interface PrefetchedRow {
  readonly source: TableName;
  readonly key: string;
  readonly version: string | null;
  readonly body: string | null;
}

/** Keys that are remembered for all members together: some ten megabytes. */
const maxRemembered = 200_000;

export class Prefetcher {
  readonly #accesses: TableAccesses;
  readonly #run: Run;
  /**
   * The keys of the groups that members reached at their last call. A recursive query takes twice as long as one for these
   * keys. If the groups have changed since, the reader of the call reads those that are missing.
   */
  readonly #reached = new Map<string, readonly string[]>();
  #remembered = 0;

  constructor(accesses: TableAccesses, run: Run) {
    this.#accesses = accesses;
    this.#run = run;
  }

  /** @returns what was read, for the reader of the call */
  async read({ keys, members = [] }: Prefetch): Promise<SeenTables<TableName>> {
    const entries = Object.entries(keys).filter(([, key]) => isStorableText(key)) as [TableName, string][];
    const query = nameQuery('member', members);
    const reached = this.#reached.get(query);
    const { statement, values } = this.#createStatement(entries, members, reached);
    const { rows } = await this.#run(statement, values);
    const seen = new SeenTables<TableName>();
    for (const [name, key] of entries) seen.of(name).set(key, undefined);
    for (const key of reached ?? []) seen.of('groups').set(key, undefined);
    const memberships = new Map<string, StoredRow>();
    for (const { source, key, version, body } of rows as PrefetchedRow[]) {
      const row = version === null || body === null ? undefined : this.#of(source).known.parse({ version, body });
      seen.of(source).set(key, row);
      if (source === 'memberships' && row) memberships.set(key, row);
    }
    if (members.length === 0) return seen;
    seen.of('memberships').setResult(query, sortByKey(memberships));
    await this.#rememberReached(query, [...memberships.values()], seen);
    return seen;
  }

  #of(name: TableName): TableAccess {
    return this.#accesses.get(name) as TableAccess;
  }

  /** The name of the statement determines its text. */
  #createStatement(
    entries: readonly (readonly [TableName, string])[],
    members: readonly string[],
    reached: readonly string[] | undefined,
  ): { readonly statement: Statement; readonly values: readonly unknown[] } {
    const name = `prefetch.${entries.map(([table]) => table).join('.')}`;
    const values = entries.map(([, key]) => key);
    const parts = entries.map(([table], at) => selectRows(this.#of(table).table, `key = $${at + 1}`));
    if (members.length === 0) return { statement: { name, text: parts.join(' union all ') }, values };
    const memberTexts = members.map(toIndexText);
    const next = entries.length + 1;
    if (!reached) {
      const { queries, selects } = this.#selectReached(`$${next}`);
      const text = `${queries} ${[...parts, ...selects].join(' union all ')}`;
      return { statement: { name: `${name}.members`, text }, values: [...values, memberTexts] };
    }
    const known = [
      selectRows(this.#of('memberships').table, `${this.#columnOf('member')} = any($${next})`),
      selectRows(this.#of('groups').table, `key = any($${next + 1})`),
    ];
    const text = [...parts, ...known].join(' union all ');
    return { statement: { name: `${name}.members.groups`, text }, values: [...values, memberTexts, reached] };
  }

  /** The memberships of members, and all groups that these reach. */
  #selectReached(parameter: string) {
    const { table } = this.#of('memberships');
    const { table: groups } = this.#of('groups');
    const dependency = groups.indexes.get('dependency');
    if (!dependency) throw new Error('Groups have no dependencies.');
    const held = `select key, version, body, ${this.#columnOf('group')} as group_key from ${quoteName(table.sqlName)} where ${this.#columnOf('member')} = any(${parameter})`;
    return {
      queries: `with recursive held as (${held}), reached(key) as (select group_key from held union ${followReached(groups, dependency)})`,
      selects: [
        "select 'memberships' as source, key, version, body from held",
        `select 'groups' as source, r.key, t.version, t.body from ${joinReached(groups, 'reached')}`,
      ],
    };
  }

  #columnOf(index: string): string {
    return quoteName(this.#of('memberships').table.indexes.get(index)?.sqlName ?? '');
  }

  /** If the groups of the last call are not exactly those of this one, the next call reads them with a recursion again. */
  async #rememberReached(query: string, memberships: readonly StoredRow[], seen: SeenTables<TableName>): Promise<void> {
    const groups = seen.of('groups');
    const group = this.#of('memberships').table.indexes.get('group');
    const visited = new Set<string>();
    await collectReachedRows({
      shape: this.#of('groups').table.shape,
      index: 'dependency',
      keys: memberships.flatMap((row) => group?.values(row) ?? []),
      get(key) {
        visited.add(key);
        return groups.get(key);
      },
      pause: createPause(),
    });
    this.#drop(query);
    if (visited.size !== groups.size || [...visited].some((key) => !groups.has(key))) return;
    this.#remember(query, [...visited]);
  }

  #remember(query: string, keys: readonly string[]): void {
    this.#reached.set(query, keys);
    this.#remembered += sizeOf(keys);
    for (const oldest of this.#reached.keys()) {
      if (this.#remembered <= maxRemembered) return;
      this.#drop(oldest);
    }
  }

  #drop(query: string): void {
    const keys = this.#reached.get(query);
    if (!keys) return;
    this.#reached.delete(query);
    this.#remembered -= sizeOf(keys);
  }
}

/** The member itself counts as well: it may reach nothing. */
function sizeOf(keys: readonly string[]): number {
  return keys.length + 1;
}

function selectRows({ shape, sqlName }: StoredTable, condition: string): string {
  return `select '${shape.name}' as source, key, version, body from ${quoteName(sqlName)} where ${condition}`;
}

/** As the index returns them. */
function sortByKey(rows: ReadonlyMap<string, StoredRow>): readonly StoredRow[] {
  return [...rows].sort(([one], [other]) => (precedes(one, other) ? -1 : 1)).map(([, row]) => row);
}
