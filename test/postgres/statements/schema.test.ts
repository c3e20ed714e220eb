/** The tables of PostgreSQL, in every run: without a migration for a new index, each write of its table fails. */
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrations } from '../../../src/server/store/postgres/setup/migrations/index.ts';
import { databaseUrl } from '../database.ts';
import { createSchemaText } from './schema-text.ts';

const client = new pg.Client({ connectionString: databaseUrl });

beforeAll(() => client.connect());
afterAll(() => client.end());

test('the migrations make the tables that the declarations require', async () => {
  const [migrated, declared] = ['migrated', 'declared'].map((name) => `schema_${process.pid}_${name}`) as [
    string,
    string,
  ];
  const own = ['commits', 'leases', 'login_events', 'meta', 'replicas'];
  for (const [schema, statements] of [
    [migrated, migrations.flatMap((migration) => migration.statements)],
    [declared, createSchemaText()],
  ] as const) {
    await client.query(`create schema ${schema}; set search_path = ${schema}`);
    for (const statement of statements) await client.query(statement);
  }
  await client.query('set search_path = public');
  const describeSchema = async (schema: string) => {
    const columns = await client.query<{ text: string; table_name: string }>(
      `select table_name, concat_ws(' ', table_name, column_name, data_type, collation_name, is_nullable) as text
        from information_schema.columns where table_schema = $1`,
      [schema],
    );
    const indexes = await client.query<{ text: string; table_name: string }>(
      "select tablename as table_name, replace(indexdef, $1 || '.', '') as text from pg_indexes where schemaname = $1",
      [schema],
    );
    const rows = [...columns.rows, ...indexes.rows].filter(({ table_name }) => !own.includes(table_name));
    return rows.map(({ text }) => text).sort();
  };
  const expected = await describeSchema(declared);
  expect(expected.length).toBeGreaterThan(200);
  expect(await describeSchema(migrated)).toEqual(expected);
});
