/** Databases that cannot be used: every command ends with one line and its exit code, and writes nothing. */
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { migrations } from '../../src/server/store/postgres/setup/migrations/index.ts';
import { Home } from '../cli/run-cli.ts';
import { createLauncher, type Launcher } from '../server/start/spawn.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { type Pooler, startIgnoringPooler, startSharingPooler, startStrictPooler } from './poolers.ts';

let cluster: Cluster;
let client: pg.Client;
let launcher: Launcher;
let home: Home;
const poolers: Pooler[] = [];
let folder: string;
let schemas = 0;

beforeAll(async () => {
  // A cluster of its own: the tests change its roles and who may connect.
  folder = await mkdtemp(path.join(os.tmpdir(), 'iam-access-'));
  await chmod(folder, 0o755);
  const access = path.join(folder, 'pg_hba.conf');
  await writeFile(access, 'host all secured 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n');
  [cluster, launcher, home] = await Promise.all([startCluster([`hba_file=${access}`]), createLauncher(), Home.make()]);
  client = new pg.Client({ connectionString: cluster.url });
  await client.connect();
});
afterAll(async () => {
  for (const pooler of poolers) pooler.close();
  launcher.remove();
  await client.end();
  await Promise.all([cluster.stop(), home[Symbol.asyncDispose](), rm(folder, { recursive: true })]);
});

function newSchema(): string {
  schemas += 1;
  return `bad_${schemas}`;
}

/** All names and rows of the database that a server could change. */
async function dump(): Promise<readonly string[]> {
  const { rows } = await client.query<{ text: string }>(
    `select concat_ws(' ', nspname, relname, attname) as text from pg_namespace
      left join pg_class on relnamespace = pg_namespace.oid left join pg_attribute on attrelid = pg_class.oid
      where nspname not like 'pg_%' and nspname <> 'information_schema' order by 1`,
  );
  const tables = await client.query<{ name: string }>(
    `select quote_ident(schemaname) || '.' || quote_ident(tablename) as name from pg_tables
      where schemaname not like 'pg_%' and schemaname <> 'information_schema' order by 1`,
  );
  const texts = rows.map(({ text }) => text);
  for (const { name } of tables.rows) {
    const content = await client.query<{ text: string }>(`select t::text as text from ${name} t order by 1`);
    texts.push(...content.rows.map(({ text }) => `${name} ${text}`));
  }
  return texts;
}

interface Bad {
  readonly url: string;
  readonly schema: string;
}

/** Runs everything that would write into the database. */
async function expectRefused({ url, schema }: Bad, code: number, message: RegExp): Promise<void> {
  const before = await dump();
  const run = launcher.start({
    flags: { store: 'postgres', init: true, 'database-schema': schema },
    environment: { IAM_DATABASE_URL: url },
  });
  expect([await run.exit(), run.stdout()]).toEqual([code, '']);
  expect(run.stderr()).toMatch(/^error: [^\n]+\n$/);
  expect(run.stderr()).toMatch(message);
  for (const words of [['init'], ['migrate'], ['copy', '--from', 'postgres', '--to', `${launcher.folder()}/x`]]) {
    const variables = { IAM_DATABASE_URL: url };
    const result = await home.iam(['store', ...words, '--database-schema', schema], { variables });
    expect([words[0], result.code, result.out]).toEqual([words[0], code, '']);
    expect(result.err).toMatch(message);
    expect(result.err).not.toMatch(/\n {4}at |hidden/);
  }
  expect(await dump()).toEqual(before);
}

function urlAs(user: string, password = ''): string {
  const url = new URL(cluster.url);
  url.username = user;
  url.password = password;
  return url.href;
}

describe('nothing is written', () => {
  test('as a user that does not exist', async () => {
    await expectRefused({ url: urlAs('stranger'), schema: newSchema() }, 70, /role "stranger" does not exist/);
  });

  test('with a wrong password, or without one', async () => {
    await client.query("create role secured login password 'hidden'; grant create on database postgres to secured");
    const schema = newSchema();
    await expectRefused({ url: urlAs('secured', 'wrong'), schema }, 70, /rejected the user or its password/);
    await expectRefused({ url: urlAs('secured'), schema }, 70, /Check the address and its password/);
    const variables = { IAM_DATABASE_URL: urlAs('secured', 'hidden') };
    const accepted = await home.iam(['store', 'init', '--database-schema', schema, '-o', 'json'], { variables });
    expect([accepted.code, accepted.err]).toEqual([0, '']);
  });

  test('into the target of a copy that was interrupted; the copy can be repeated', async () => {
    const [schema, data] = [newSchema(), path.join(folder, 'store')];
    const source = launcher.start({ flags: { data, 'audit-log': 'off' } });
    await source.ready();
    source.process.kill('SIGTERM');
    expect(await source.exit()).toBe(0);
    const variables = { IAM_DATABASE_URL: cluster.url };
    await home.iam(['store', 'migrate', '--database-schema', schema], { variables });
    await client.query(`insert into ${schema}.meta values ('copying', '')`);
    await expectRefused({ url: cluster.url, schema }, 12, /target of a copy that runs or was interrupted/);
    const words = ['store', 'copy', '--from', data, '--to', 'postgres', '--database-schema', schema];
    expect((await home.iam(words, { variables })).code).toBe(0);
    expect((await client.query(`select 1 from ${schema}.meta where name = 'copying'`)).rowCount).toBe(0);
    const again = await home.iam(words, { variables });
    expect([again.code, again.err]).toEqual([12, expect.stringContaining('already contains rows')]);
    expect((await client.query(`select 1 from ${schema}.meta where name = 'copying'`)).rowCount).toBe(0);
  });

  test('to a database that is read-only', async () => {
    await client.query('create role reader login superuser; alter role reader set default_transaction_read_only = on');
    await expectRefused({ url: urlAs('reader'), schema: newSchema() }, 75, /127\.0\.0\.1 is read-only/);
  });

  test('with too few connections', async () => {
    await client.query('create role few login connection limit 1; grant create on database postgres to few');
    await expectRefused(
      { url: urlAs('few'), schema: newSchema() },
      75,
      /no free connection: too many connections for role/,
    );
  });

  test('as a user that may not create the schema', async () => {
    await client.query('create role guest login');
    const schema = newSchema();
    const before = await dump();
    const variables = { IAM_DATABASE_URL: urlAs('guest') };
    const result = await home.iam(['store', 'init', '--database-schema', schema], { variables });
    expect(result).toMatchObject({ code: 70, out: '' });
    expect(result.err).toMatch(/permission denied for database/);
    expect(await dump()).toEqual(before);
  });

  test('into tables of another program, also if they have the same names', async () => {
    const schema = newSchema();
    await client.query(`create schema ${schema}; create table ${schema}.orders (id int)`);
    await expectRefused({ url: cluster.url, schema }, 12, /tables of another program/);
    await client.query(`create table ${schema}.meta (id int); insert into ${schema}.meta values (1)`);
    await expectRefused({ url: cluster.url, schema }, 12, /tables of another program/);
    await client.query(`drop table ${schema}.meta; create table ${schema}.meta (name text, value text)`);
    await expectRefused({ url: cluster.url, schema }, 12, /tables of another program/);
  });

  test('into tables that are two migrations ahead', async () => {
    const schema = newSchema();
    await home.iam(['store', 'migrate', '--database-schema', schema], { variables: { IAM_DATABASE_URL: cluster.url } });
    await client.query(`insert into ${schema}.meta values ('migration 9998-later', ''), ('migration 9999-later', '')`);
    await expectRefused({ url: cluster.url, schema }, 14, /newer version/);
  });

  test('into tables from before the first release', async () => {
    const schema = newSchema();
    await home.iam(['store', 'migrate', '--database-schema', schema], { variables: { IAM_DATABASE_URL: cluster.url } });
    await client.query(`update ${schema}.meta set name = 'migration 0001-initial' where name = $1`, [
      `migration ${migrations[0]?.name}`,
    ]);
    await expectRefused(
      { url: cluster.url, schema },
      12,
      /or from before the first release\. Nothing was changed\. Use/,
    );
  });
});

describe('through a connection pooler in transaction mode nothing is written', () => {
  const urlOf = (pooler: Pooler) => {
    poolers.push(pooler);
    return `postgres://iam@127.0.0.1:${pooler.port}/postgres`;
  };

  test('if it rejects the parameters', async () => {
    const url = urlOf(await startStrictPooler());
    await expectRefused(
      { url, schema: newSchema() },
      70,
      /unsupported startup parameter: options\. Connect to PostgreSQL/,
    );
  });

  test('if it ignores the parameters', async () => {
    const url = urlOf(await startIgnoringPooler(cluster.url));
    await expectRefused(
      { url, schema: newSchema() },
      70,
      /ignores the settings of a connection: connect to PostgreSQL/,
    );
  });

  test('if two connections share a session of the database', async () => {
    const schema = newSchema();
    const queries: string[] = [];
    const url = urlOf(await startSharingPooler(schema, queries));
    await expectRefused({ url, schema }, 70, /shares the connections of the database between transactions/);
    expect(queries.filter((text) => !text.startsWith('select '))).toEqual([]);
  });
});

describe('hosts that accept writes, but are not one database', () => {
  test('of two clusters', async () => {
    const other = await startCluster();
    try {
      await expectRefusedTogether([cluster.url, other.url]);
    } finally {
      await other.stop();
    }
  });

  test('of one cluster', async () => {
    await client.query('create database other');
    const other = new URL(cluster.url);
    other.pathname = '/other';
    await expectRefusedTogether([cluster.url, other.href]);
  });

  async function expectRefusedTogether(urls: readonly string[]): Promise<void> {
    const names = urls.map((url) => url.replace(/^.*@/, '').replaceAll('.', '[.]'));
    await expectRefused({ url: urls.join(','), schema: newSchema() }, 70, new RegExp(`${names.join(' and ')} accept`));
  }
});
