/** `iam store init`, `iam store migrate` and the checks of `iam doctor` on a database. */
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { migrations } from '../../src/server/store/postgres/setup/migrations/index.ts';
import { Home } from '../cli/run-cli.ts';
import { createLauncher, type Launcher } from '../server/start/spawn.ts';
import { startCluster } from './cluster.ts';
import { databaseUrl } from './database.ts';

const client = new pg.Client({ connectionString: databaseUrl });
let launcher: Launcher;
let home: Home;
let schemas = 0;

beforeAll(async () => {
  [launcher, home] = await Promise.all([createLauncher(), Home.make(), client.connect()]);
});
afterAll(async () => {
  launcher.remove();
  await client.end();
  await home[Symbol.asyncDispose]();
});

function newSchema(): string {
  schemas += 1;
  return `setup_${process.pid}_${schemas}`;
}

const iam = (words: readonly string[], variables: Readonly<Record<string, string>> = {}) =>
  home.iam(words, { variables: { IAM_DATABASE_URL: databaseUrl, IAM_SERVE_FAST_PASSWORDS: 'true', ...variables } });

const names = migrations.map(({ name }) => name);

describe('iam store init', () => {
  test('needs no right to create schemas if the role owns one', async () => {
    const cluster = await startCluster();
    onTestFinished(() => cluster.stop());
    const admin = new pg.Client({ connectionString: cluster.url });
    await admin.connect();
    await admin.query('create role owner login; create schema owned authorization owner');
    await admin.end();
    const url = new URL(cluster.url);
    url.username = 'owner';
    const words = ['store', 'init', '--database-schema', 'owned', '-o', 'json'];
    const { code, err, out } = await iam(words, { IAM_DATABASE_URL: url.href });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(JSON.parse(out)).toMatchObject({ schema: 'owned', migrated: names });
  });

  test('does not touch another program with a table of the same name', async () => {
    const schema = newSchema();
    await client.query(`create schema ${schema}; create table ${schema}.meta (id int)`);
    const { code, err } = await iam(['store', 'init', '--database-schema', schema]);
    expect({ code, err }).toEqual({ code: 12, err: expect.stringContaining('tables of another program') });
  });

  test('sets up an empty schema, prints the secrets once, and changes nothing the second time', async () => {
    const schema = newSchema();
    const init = ['store', 'init', '--database-schema', schema, '-o', 'json'];
    const first = await iam(init);
    expect(first).toMatchObject({ code: 0, err: '' });
    const created = JSON.parse(first.out) as Record<string, string>;
    expect(created).toMatchObject({ schema, migrated: names, adminUser: 'admin' });
    const before = await client.query(`select key, version from ${schema}.clients order by key`);
    const second = JSON.parse((await iam(init)).out) as object;
    expect(second).toEqual({
      schema,
      migrated: [],
      adminClientId: created.adminClientId,
      appClientId: created.appClientId,
      adminUser: 'admin',
    });
    expect((await client.query(`select key, version from ${schema}.clients order by key`)).rows).toEqual(before.rows);

    const run = launcher.start({
      flags: { store: 'postgres', 'database-schema': schema },
      environment: { IAM_DATABASE_URL: databaseUrl },
    });
    const ready = await run.ready();
    expect(ready).not.toHaveProperty('adminClientSecret');
    const credentials = {
      IAM_CLIENT_ID: created.adminClientId ?? '',
      IAM_CLIENT_SECRET: created.adminClientSecret ?? '',
    };
    expect(await iam(['groups', 'list', '--base-url', ready.url], credentials)).toMatchObject({ code: 0 });
    // Servers may be running: a deployment can run it each time.
    expect(await iam(init)).toMatchObject({ code: 0 });
    run.process.kill('SIGTERM');
    await run.exit();
  });

  test('sets up once when ten run at the same time', async () => {
    const init = ['store', 'init', '--database-schema', newSchema(), '-o', 'json'];
    const runs = await Promise.all(Array.from({ length: 10 }, () => iam(init)));
    expect(runs.map(({ code, err }) => [code, err])).toEqual(runs.map(() => [0, '']));
    const results = runs.map(({ out }) => JSON.parse(out) as Record<string, unknown>);
    expect(results.filter(({ adminClientSecret }) => adminClientSecret !== undefined)).toHaveLength(1);
    expect(new Set(results.map(({ adminClientId }) => adminClientId)).size).toBe(1);
  });

  test('writes nothing with --dry-run, without a database, or with a password in an option', async () => {
    const schema = newSchema();
    const init = ['store', 'init', '--database-schema', schema];
    expect(await iam([...init, '--dry-run'])).toMatchObject({ code: 0, out: '' });
    expect(await iam(init, { IAM_DATABASE_URL: '' })).toMatchObject({ code: 2 });
    const withPassword = await iam([...init, '--database-url', 'postgres://iam:hidden@127.0.0.1/iam']);
    expect(withPassword).toMatchObject({ code: 2 });
    expect(withPassword.err).not.toContain('hidden');
    const { rows } = await client.query('select from information_schema.schemata where schema_name = $1', [schema]);
    expect(rows).toEqual([]);
  });
});

describe('iam store migrate', () => {
  test('applies what is missing, once', async () => {
    const schema = newSchema();
    const migrate = ['store', 'migrate', '--database-schema', schema, '-o', 'json'];
    expect(JSON.parse((await iam(migrate)).out)).toEqual({ schema, migrated: names });
    expect(JSON.parse((await iam(migrate)).out)).toEqual({ schema, migrated: [] });
  });

  test('leaves the tables of another program as they are', async () => {
    const schema = newSchema();
    await client.query(`create schema ${schema}; create table ${schema}.orders (id int)`);
    const run = await iam(['store', 'migrate', '--database-schema', schema]);
    expect(run).toMatchObject({ code: 12 });
    expect(run.err).toMatch(/tables of another program/);
  });
});

describe('iam doctor', () => {
  const check = async (schema: string, variables = {}) => {
    const words = ['doctor', '--base-url', 'http://127.0.0.1:1', '--database-schema', schema, '-o', 'json'];
    const findings = JSON.parse((await iam(words, variables)).out) as { check: string; status: string }[];
    return Object.fromEntries(findings.map((finding) => [finding.check, finding]));
  };

  test('reports the tables, the durability, the standbys and the connections', async () => {
    const schema = newSchema();
    expect(await check(schema)).toMatchObject({
      tables: { status: 'warn', next: 'Run `iam store init`.' },
      standbys: { status: 'warn' },
      connections: { status: 'ok' },
    });
    await iam(['store', 'migrate', '--database-schema', schema]);
    expect(await check(schema)).toMatchObject({
      database: { status: 'ok' },
      tables: { status: 'ok', detail: `schema ${schema} is current; servers: none` },
    });
    await client.query(`insert into ${schema}.meta values ('migration of a later version', '')`);
    expect(await check(schema)).toMatchObject({
      tables: { status: 'warn', detail: expect.stringContaining('one migration ahead of this version') },
    });
  });

  test('reports a database out of reach, and checks none without an address', async () => {
    const away = await check('iam', { IAM_DATABASE_URL: 'postgres://iam@127.0.0.1:1/iam' });
    expect(away.database).toMatchObject({ status: 'fail', detail: expect.stringContaining('ECONNREFUSED') });
    expect(await check('iam', { IAM_DATABASE_URL: '' })).not.toHaveProperty('database');
  });
});
