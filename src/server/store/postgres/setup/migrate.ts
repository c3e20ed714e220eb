/** The version of the schema: what was applied is in the table `meta`. */
import type { PoolClient } from 'pg';
import { sqlStateOf } from '../sql-errors.ts';
import { quoteName } from '../table-columns.ts';
import { migrations } from './migrations/index.ts';

/** What the database has, before it is changed. */
export type SchemaState =
  /** The schema is missing or empty. */
  | 'empty'
  /** It has tables, but not ours, or those of a version before the first release. */
  | 'foreign'
  /** A copy into it has begun and not ended. */
  | 'copying'
  /** Some migrations are missing. */
  | 'older'
  | 'current'
  /** It is one migration ahead of this program, and can be used. */
  | 'ahead'
  /** It is more than one migration ahead of this program. */
  | 'newer';

/** Each migration leaves the tables usable for the version before it, so that replicas can be replaced one by one. */
const tolerableUnknown = 1;

const prefix = 'migration ';
/** Milliseconds. To build an index takes longer than the statements of calls may. */
const migrationTimeout = 10 * 60_000;
const lockTimeout = 30_000;

/** Reads the state of a schema, without changing it. */
export async function readSchemaState(client: PoolClient, schema: string): Promise<SchemaState> {
  const { rows } = await client.query<{ table_name: string }>(
    'select table_name from information_schema.tables where table_schema = $1',
    [schema],
  );
  if (rows.length === 0) return 'empty';
  if (!rows.some(({ table_name }) => table_name === 'meta')) return 'foreign';
  const applied = await readApplied(client).catch(noneIfForeign);
  const known = migrations.map(({ name }) => name);
  if (!applied.some((name) => name === known[0])) return 'foreign';
  const unknown = applied.filter((name) => !known.includes(name)).length;
  if (unknown > tolerableUnknown) return 'newer';
  if (!known.every((name) => applied.includes(name))) return 'older';
  const { rowCount } = await client.query('select 1 from meta where name = $1', [copyMark]);
  if (rowCount !== 0) return 'copying';
  return unknown === 0 ? 'current' : 'ahead';
}

/** Whether servers of this program can use the tables as they are. */
export function isUsable(state: SchemaState): state is 'current' | 'ahead' {
  return state === 'current' || state === 'ahead';
}

/** The name of the row of `meta` that exists while a copy writes rows. */
export const copyMark = 'copying';

/** undefined_column and undefined_function: another program can have a table with this name. */
function noneIfForeign(error: unknown): readonly string[] {
  if (['42703', '42883'].includes(sqlStateOf(error) ?? '')) return [];
  throw error;
}

/**
 * Applies the missing migrations in one transaction: after an error nothing has changed. Other processes that migrate at
 * the same time wait. @returns the names of those that were applied
 */
export async function migrateSchema(client: PoolClient, schema: string): Promise<readonly string[]> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await migrateOnce(client, schema);
    } catch (error) {
      if (attempt >= maxAttempts || !creationRaces.has(sqlStateOf(error) ?? '')) throw error;
    }
  }
}

/** Of two processes that create the same schema or table, one gets unique_violation, duplicate_schema or duplicate_table. */
const creationRaces = new Set(['23505', '42P06', '42P07']);
const maxAttempts = 5;

async function migrateOnce(client: PoolClient, schema: string): Promise<readonly string[]> {
  const run = (text: string, values: readonly unknown[] = []) => {
    // The types of the driver lack query_timeout.
    const query = { text, values: [...values], query_timeout: migrationTimeout };
    return client.query(query);
  };
  await run('begin');
  try {
    await run(`set local statement_timeout = ${migrationTimeout}`);
    // Until a migration of another process ends.
    await run(`set local lock_timeout = ${migrationTimeout}`);
    // `if not exists` would require the right to create schemas although it exists.
    const { rowCount } = await run('select 1 from pg_namespace where nspname = $1', [schema]);
    if (rowCount === 0) await run(`create schema ${quoteName(schema)}`);
    await run('create table if not exists meta (name text collate "C" primary key, value text not null)');
    // Two migrations at once would both try to create the same tables.
    await run("insert into meta (name, value) values ('schema lock', '') on conflict (name) do update set value = ''");
    // While a change of a table waits for its lock, all calls wait.
    await run(`set local lock_timeout = ${lockTimeout}`);
    const applied = await applyMissing(client, run);
    await run('commit');
    return applied;
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

async function applyMissing(
  client: PoolClient,
  run: (text: string, values?: readonly unknown[]) => Promise<unknown>,
): Promise<readonly string[]> {
  const applied = await readApplied(client);
  const missing = migrations.filter(({ name }) => !applied.includes(name));
  for (const { name, statements } of missing) {
    for (const text of statements) await run(text);
    await run('insert into meta (name, value) values ($1, now()::text)', [prefix + name]);
  }
  return missing.map(({ name }) => name);
}

async function readApplied(client: PoolClient): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    'select name from meta where starts_with(name, $1) order by name',
    [prefix],
  );
  return rows.map(({ name }) => name.slice(prefix.length));
}
