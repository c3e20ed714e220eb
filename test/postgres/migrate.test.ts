/** Tables of an older version are refused or migrated; a server waits for another process that migrates them. */
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../src/server/lib/clock.ts';
import { systemRandom } from '../../src/server/lib/random.ts';
import { systemStopwatch } from '../../src/server/lib/stopwatch.ts';
import { systemTimer } from '../../src/server/lib/timer.ts';
import { openExitCodes } from '../../src/server/store/open-error.ts';
import { migrations } from '../../src/server/store/postgres/setup/migrations/index.ts';
import { initial } from '../../src/server/store/postgres/setup/migrations/initial.ts';
import { connectDatabase } from '../../src/server/store/postgres/setup/open-database.ts';
import { databaseUrl } from './database.ts';
import { TestSchemas } from './schemas.ts';

const schemas = new TestSchemas(databaseUrl);
const client = new pg.Client({ connectionString: databaseUrl });
let schema: string;

/** A mock of its module would stay with the files that run later in this process. */
const allMigrations = migrations as (typeof migrations)[number][];

beforeAll(async () => {
  allMigrations.push({ name: '0005-later', statements: ['create table later (id int)'] });
  await client.connect();
});
afterAll(async () => {
  allMigrations.pop();
  await client.end();
});
beforeEach(async () => {
  schema = await schemas.take();
  await client.query(`create schema ${schema}; set search_path = ${schema};
    create table meta (name text collate "C" primary key, value text not null);
    insert into meta values ('migration ${initial.name}', '')`);
  for (const statement of initial.statements) await client.query(statement);
});

async function connect(initialize: boolean): Promise<readonly string[]> {
  const system = { clock: systemClock, random: systemRandom, stopwatch: systemStopwatch, timer: systemTimer };
  const { connections, migrated } = await connectDatabase({ ...system, databaseUrl, schema, initialize }, 'test');
  await connections.close();
  return migrated;
}

/** Longer than a statement of a call may take. */
const migrationSeconds = 6;

test('waits for a migration that takes longer than the statements of calls may', async () => {
  // The first write of each migration.
  await client.query("begin; insert into meta values ('schema lock', '')");
  const migrating = client.query('select pg_sleep($1)', [migrationSeconds]).then(() => client.query('commit'));
  const store = await schemas.open({ schema });
  await migrating;
  expect(await store.groups.list()).toEqual([]);
  await store.close();
});

test('refuses them and changes nothing, until it may migrate', async () => {
  const message = `Schema ${schema} is of an older version. Make a backup, then run \`iam store migrate\`.`;
  await expect(connect(false)).rejects.toMatchObject({ kind: 'not-ours', message });
  expect(openExitCodes['not-ours']).toBe(12);
  const listTables = 'select 1 from information_schema.tables where table_schema = $1 and table_name = $2';
  expect((await client.query(listTables, [schema, 'later'])).rowCount).toBe(0);
  expect(await connect(true)).toEqual([
    '0002-browser-sessions',
    '0003-started-sessions',
    '0004-client-tickets',
    '0005-later',
  ]);
  expect((await client.query(listTables, [schema, 'later'])).rowCount).toBe(1);
  expect(await connect(false)).toEqual([]);
});
