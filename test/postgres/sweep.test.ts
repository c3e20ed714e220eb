/** Rows of the engine that no server needs any more are deleted, however many they are. */
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseUrl } from './database.ts';
import { TestSchemas } from './schemas.ts';

const schemas = new TestSchemas(databaseUrl);
const client = new pg.Client({ connectionString: databaseUrl });
beforeAll(() => client.connect());
afterAll(() => client.end());

const maxPerStatement = 10_000;

test.each([
  { table: 'commits', columns: 'id, at', values: "gen_random_uuid(), now() - interval '31 minutes'" },
  {
    table: 'login_events',
    columns: 'id, replica, body, at',
    values: "gen_random_uuid(), 'other', '{}', now() - interval '61 minutes'",
  },
])('$table: no statement deletes so many rows that it exceeds its time limit', async ({ table, columns, values }) => {
  const schema = await schemas.take();
  const options = { schema, sharedBy: { replica: 'sweeper', issuer: 'http://iam.example' } };
  await (await schemas.open(options)).close();
  await client.query(`
    set search_path = ${schema};
    delete from ${table};
    insert into ${table} (${columns}) select ${values} from generate_series(1, ${2 * maxPerStatement + 1});
    create function assert_few() returns trigger language plpgsql as $$
      begin
        if (select count(*) from removed) > ${maxPerStatement} then raise exception 'too many rows'; end if;
        return null;
      end $$;
    create trigger few after delete on ${table} referencing old table as removed
      for each statement execute function assert_few()`);
  const store = await schemas.open(options);
  const count = async () => Number((await client.query(`select count(*) from ${schema}.${table}`)).rows[0]?.count);
  await expect.poll(count).toBe(0);
  await store.close();
});
