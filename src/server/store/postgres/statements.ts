/** The SQL text of every access to a table, made once from its declaration. */
import { quoteName, type StoredIndex, type StoredTable } from './table-columns.ts';

/** A prepared statement. PostgreSQL parses it once per connection. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** A statement for any number of rows: each parameter is an array with an entry per row. */
export interface RowsStatement extends Statement {
  /** The same for a single row of a table; absent for the values of its indexes. */
  readonly ofOne?: Statement;
}

/** The statements of one index. Parameters: $1 value, $2 key after which a page begins, $3 limit. */
export interface IndexStatements {
  readonly index: StoredIndex;
  /** $1 value. */
  readonly getBy: Statement;
  readonly find: Statement;
  /** $1 values, each once. */
  readonly findMany: Statement;
  /** Without parameters: the values and the number of their rows. */
  readonly countBy: Statement;
  /** $1 values, $2 key after which the rows of the first value begin, $3 limit. */
  readonly findInOrder: Statement;
  /** $1 key: its row and those that it names in this index. */
  readonly getLinked: Statement;
  /** $1 keys: their rows and all that these name in this index. */
  readonly reach: Statement;
  /** Of a unique index, $1 values, $2 key: the values that rows with other keys have. */
  readonly findTaken?: Statement;
}

/** The statements of an index with a table of its own. Parameters: $1 values, $2 key. */
export interface ValueTableStatements {
  readonly index: StoredIndex;
  /** Leaves out values that other rows of a unique index have. */
  readonly insert: Statement;
  /** $1 values, $2 the key of each value. */
  readonly insertAll: RowsStatement;
  readonly delete: Statement;
}

export interface TableStatements {
  /** $1 key. */
  readonly get: Statement;
  /** $1 keys. */
  readonly getMany: Statement;
  /** $1 key after which the page begins, $2 limit. */
  readonly list: Statement;
  readonly count: Statement;
  /** $1 key, $2 version, $3 document, then the columns. Inserts nothing where a unique value exists. */
  readonly insert: Statement;
  /** As `insert` with an array for each parameter, but fails where a unique value exists. */
  readonly insertAll: RowsStatement;
  /** As `insertAll`; replaces the rows with these keys. */
  readonly replaceAll: RowsStatement;
  /** $1 key. */
  readonly delete: Statement;
  /** $1 keys. */
  readonly deleteAll: RowsStatement;
  readonly indexes: ReadonlyMap<string, IndexStatements>;
  readonly valueTables: readonly ValueTableStatements[];
}

/**
 * Whether a statement runs within a transaction of ours. Writes are sent without waiting for BEGIN: after one that was
 * cancelled, each would be a transaction of its own, with the isolation of the connection (see `sessionOptions`).
 */
export const isWithin = "current_setting('transaction_isolation') <> 'read committed'";

const shown = 't.version, t.body';
/** Of key, version and document; the columns are texts. */
const arrayTypes = ['text[]', 'bigint[]', 'jsonb[]'];

export function createStatements(table: StoredTable): TableStatements {
  const sqlName = quoteName(table.sqlName);
  const named = (name: string, text: string): Statement => ({ name: `${table.sqlName}.${name}`, text });
  const names = ['key', 'version', 'body', ...table.columns.map((column) => quoteName(column.sqlName))];
  const parameters = names.map((_, at) => `$${at + 1}`);
  // Without a key the insert fails.
  const values = [`case when ${isWithin} then $1 end`, ...parameters.slice(1)];
  const insert = `insert into ${sqlName} (${names.join(', ')}) values (${values.join(', ')})`;
  const assignments = names.slice(1).map((name, at) => `${name} = $${at + 2}`);
  const rowsOfArrays = `unnest(${parameters.map((parameter, at) => `${parameter}::${arrayTypes[at] ?? 'text[]'}`).join(', ')})`;
  const insertNew = named('insertNew', insert);
  const deleteOne = named('delete', `delete from ${sqlName} where key = $1 and ${isWithin}`);
  return {
    get: named('get', `select ${shown} from ${sqlName} t where key = $1`),
    getMany: named('getMany', `select ${shown} from ${sqlName} t where key = any($1)`),
    list: named('list', `select ${shown} from ${sqlName} t where key > $1 order by key limit $2`),
    count: named('count', countRows(sqlName)),
    insert: named('insert', `${insert} on conflict do nothing`),
    insertAll: {
      ofOne: insertNew,
      ...named(
        'insertAll',
        `insert into ${sqlName} (${names.join(', ')}) select * from ${rowsOfArrays} where ${isWithin}`,
      ),
    },
    replaceAll: {
      ofOne: named('replace', `update ${sqlName} set ${assignments.join(', ')} where key = $1 and ${isWithin}`),
      ...named(
        'replaceAll',
        `update ${sqlName} t set ${names
          .slice(1)
          .map((name) => `${name} = n.${name}`)
          .join(', ')} from ${rowsOfArrays} as n(${names.join(', ')}) where t.key = n.key and ${isWithin}`,
      ),
    },
    delete: deleteOne,
    deleteAll: {
      ofOne: deleteOne,
      ...named('deleteAll', `delete from ${sqlName} where key = any($1) and ${isWithin}`),
    },
    indexes: new Map([...table.indexes].map(([name, index]) => [name, createIndexStatements(table, index, named)])),
    valueTables: table.valueTables.map((index) => createValueTableStatements(index, named)),
  };
}

/** Counts so many rows; of more, returns what the last analysis of the table estimated. */
const maxCounted = 100_000;

function countRows(sqlName: string): string {
  const counted = `select count(*) as rows from (select from ${sqlName} limit ${maxCounted + 1}) as first`;
  const estimate = `select reltuples::bigint from pg_class where oid = '${sqlName}'::regclass`;
  return `select case when rows <= ${maxCounted} then rows else greatest(rows, (${estimate})) end as count from (${counted}) as counted`;
}

type Namer = (name: string, text: string) => Statement;

function createIndexStatements(table: StoredTable, index: StoredIndex, named: Namer): IndexStatements {
  const rows = quoteName(table.sqlName);
  const { value, key, owners, matches } = describeEntries(table, index);
  const source = index.isMultiValued ? `${owners} join ${rows} t on t.key = v.key` : owners;
  // With `any($1)`, the planner could read the whole table in the order of its keys instead.
  const matching = `select ${index.isMultiValued ? key : `${key}, ${shown}`} from ${owners} where ${matches('given.value')} offset 0`;
  return {
    index,
    getBy: named(`getBy.${index.name}`, `select ${shown} from ${source} where ${matches('$1::text')}`),
    find: named(
      `find.${index.name}`,
      `select ${shown} from ${source} where ${matches('$1::text')} and ${key} > $2 order by ${key} limit $3`,
    ),
    findMany: named(
      `findMany.${index.name}`,
      // A row with several of the values is returned once.
      index.isMultiValued
        ? `select ${shown} from ${joinReached(table, `(select distinct m.key from unnest($1::text[]) as given(value), lateral (${matching}) m)`)} where t.version is not null order by r.key`
        : `select ${shown} from unnest($1::text[]) as given(value), lateral (${matching}) t order by t.key`,
    ),
    countBy: named(
      `countBy.${index.name}`,
      `select ${value} as value, count(*) as count from ${owners} where ${value} is not null group by 1`,
    ),
    findInOrder: named(
      `findInOrder.${index.name}`,
      // The planner knows that `at` is sorted: it reads the values one by one until there are enough rows.
      `select ${shown} from unnest($1::text[]) with ordinality as given(value, at), lateral (select ${key}, ${shown} from ${source} where ${matches('given.value')} and ${key} > case when given.at = 1 then $2 else '' end order by ${key} limit $3) t order by given.at, t.key limit $3`,
    ),
    getLinked: named(
      `getLinked.${index.name}`,
      `select ${shown} from ${rows} t where t.key = $1 union all select ${shown} from ${joinReached(table, `(select ${value} as key from ${owners} where ${key} = $1 and ${value} is not null)`)} where t.version is not null`,
    ),
    reach: named(
      `reach.${index.name}`,
      `with recursive reached(key) as (select key collate "C" from unnest($1::text[]) as given(key) union ${followReached(table, index)}) select ${shown} from ${joinReached(table, 'reached')} where t.version is not null`,
    ),
    ...(index.isUnique && {
      findTaken: named(
        `findTaken.${index.name}`,
        `select ${value} as value from ${owners} where ${value} = any($1) and ${key} <> $2`,
      ),
    }),
  };
}

/** The entries of an index in SQL: their values, the keys of their rows, the table that contains both, and a condition. */
function describeEntries(table: StoredTable, { isMultiValued, isKeyPrefix, sqlName }: StoredIndex) {
  const entries = isMultiValued
    ? { value: 'v.value', key: 'v.key', owners: `${quoteName(sqlName)} v` }
    : { value: `t.${quoteName(sqlName)}`, key: 't.key', owners: `${quoteName(table.sqlName)} t` };
  const matches = (given: string) => {
    const isEqual = `${entries.value} = ${given}`;
    if (!isKeyPrefix) return isEqual;
    // 0 is the character after the slash. Without `case`, the planner would expect one row and sort all of the range.
    const range = `${entries.key} > ${given} || '/' and ${entries.key} < ${given} || '0'`;
    return `${range} and case when ${isEqual} then true else false end`;
  };
  return { ...entries, matches };
}

/**
 * The recursive part of a query `reached(key)`: the keys that the reached rows name in the index. The planner cannot know
 * how many rows a recursion has: `lateral` with `offset 0` makes it look each one up in an index instead of joining tables.
 */
export function followReached(table: StoredTable, index: StoredIndex): string {
  const { value, key, owners } = describeEntries(table, index);
  return `select n.value from reached r, lateral (select ${value} as value from ${owners} where ${key} = r.key and ${value} is not null offset 0) n`;
}

/** The rows with the keys of a recursive query, without version and body where there is none. */
export function joinReached(table: StoredTable, query: string): string {
  return `${query} r left join lateral (select version, body from ${quoteName(table.sqlName)} where key = r.key offset 0) t on true`;
}

/** $1 value: the rows that have it in the index, and all that reach them along another. */
export function createFindReaching(table: StoredTable, along: StoredIndex, index: StoredIndex): Statement {
  const [from, back] = [describeEntries(table, index), describeEntries(table, along)];
  const start = `select ${from.key} from ${from.owners} where ${from.matches('$1::text')}`;
  const step = `select n.key from reaching r, lateral (select ${back.key} as key from ${back.owners} where ${back.matches('r.key')} offset 0) n`;
  return {
    name: `${table.sqlName}.findReaching.${along.name}.${index.name}`,
    text: `with recursive reaching(key) as (${start} union ${step}) select ${shown} from ${joinReached(table, 'reaching')} where t.version is not null order by r.key`,
  };
}

function createValueTableStatements(index: StoredIndex, named: Namer): ValueTableStatements {
  const sqlName = quoteName(index.sqlName);
  return {
    index,
    insert: named(
      `insert.${index.name}`,
      `insert into ${sqlName} (value, key) select value, $2 from unnest($1::text[]) as given(value) where ${isWithin} on conflict do nothing`,
    ),
    insertAll: named(
      `insertAll.${index.name}`,
      `insert into ${sqlName} (value, key) select * from unnest($1::text[], $2::text[]) where ${isWithin}`,
    ),
    delete: named(`delete.${index.name}`, `delete from ${sqlName} where value = any($1) and key = $2 and ${isWithin}`),
  };
}
