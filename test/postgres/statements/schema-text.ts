/** The schema that the tables of the store require: a test compares it with what the migrations make. */
import {
  quoteName,
  type StoredIndex,
  type StoredTable,
  storedTables,
} from '../../../src/server/store/postgres/table-columns.ts';

const text = 'text collate "C"';

/** Returns the statements that create the tables with rows. */
export function createSchemaText(): readonly string[] {
  return storedTables().flatMap((table) => [createTable(table), ...createIndexes(table)]);
}

function createTable({ sqlName, columns }: StoredTable): string {
  const own = columns.map(
    ({ sqlName: column, isUnique }) => `${quoteName(column)} ${text}${isUnique ? ' unique' : ''}`,
  );
  const all = [`key ${text} primary key`, 'version bigint not null', 'body jsonb not null', ...own];
  return `create table ${quoteName(sqlName)} (${all.join(', ')})`;
}

function createIndexes({ sqlName, columns, valueTables }: StoredTable): readonly string[] {
  const plain = columns.filter(({ isUnique, isKeyPrefix }) => !isUnique && !isKeyPrefix);
  return [
    ...plain.map(
      ({ sqlName: column }) =>
        `create index ${quoteName(`${sqlName}_${column}`)} on ${quoteName(sqlName)} (${quoteName(column)}, key) where ${quoteName(column)} is not null`,
    ),
    ...valueTables.flatMap((index) => createValueTable(sqlName, index)),
  ];
}

/** The row of the main table goes with all its values. */
function createValueTable(parent: string, { sqlName, isUnique }: StoredIndex): readonly string[] {
  const columns = `value ${text}, key ${text} not null references ${quoteName(parent)} on delete cascade`;
  return [
    `create table ${quoteName(sqlName)} (${columns}, primary key (${isUnique ? 'value' : 'value, key'}))`,
    `create index ${quoteName(`${sqlName}_key`)} on ${quoteName(sqlName)} (key, value)`,
  ];
}
