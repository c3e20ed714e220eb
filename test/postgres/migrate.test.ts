/** A server that starts while another process migrates the same schema. */
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { TestSchemas } from './schemas.ts';

const databaseUrl = inject('databaseUrl');
const schemas = new TestSchemas(databaseUrl);
const client = new pg.Client({ connectionString: databaseUrl });
beforeAll(() => client.connect());
afterAll(() => client.end());

/** Longer than a statement of a call may take. */
const migrationSeconds = 6;

test('waits for a migration that takes longer than the statements of calls may', async () => {
  const schema = await schemas.take();
  await client.query(`create schema ${schema}; set search_path = ${schema};
    create table meta (name text collate "C" primary key, value text not null);
    insert into meta values ('migration 0000-other', '')`);
  // The first write of each migration.
  await client.query("begin; insert into meta values ('schema lock', '')");
  const migrating = client.query('select pg_sleep($1)', [migrationSeconds]).then(() => client.query('commit'));
  const store = await schemas.open({ schema });
  await migrating;
  expect(await store.groups.list()).toEqual([]);
  await store.close();
});
