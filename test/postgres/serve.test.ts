/** The server process on PostgreSQL: first start, restarts, one server at a time, and what it refuses. */
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { servicePrefix } from '../../src/contract/prefix.ts';
import { migrations } from '../../src/server/store/postgres/setup/migrations/index.ts';
import { createLauncher, type Launcher, type Ready, type Run } from '../server/start/spawn.ts';
import { databaseUrl } from './database.ts';
import { startClosingDatabase, startRejectingDatabase, startSilentDatabase } from './poolers.ts';

const client = new pg.Client({ connectionString: databaseUrl });
let launcher: Launcher;
let schemas = 0;

beforeAll(async () => {
  [launcher] = await Promise.all([createLauncher(), client.connect()]);
});
afterAll(async () => {
  launcher.remove();
  await client.end();
});

function newSchema(): string {
  schemas += 1;
  return `serve_${process.pid}_${schemas}`;
}

const start = (schema: string, flags: Readonly<Record<string, string | boolean>> = {}) =>
  launcher.start({
    flags: { store: 'postgres', 'database-schema': schema, ...flags },
    environment: { IAM_DATABASE_URL: databaseUrl },
  });

const startOn = (url: string) =>
  launcher.start({ flags: { store: 'postgres' }, environment: { IAM_DATABASE_URL: url } });

async function expectExit(run: Run, code: number, message: RegExp): Promise<void> {
  expect([await run.exit(), run.stdout()]).toEqual([code, '']);
  expect(run.stderr()).toMatch(/^error: [^\n]+\n$/);
  expect(run.stderr()).toMatch(message);
}

async function listTables(schema: string): Promise<readonly string[]> {
  const { rows } = await client.query<{ table_name: string }>(
    'select table_name from information_schema.tables where table_schema = $1 order by table_name',
    [schema],
  );
  return rows.map(({ table_name }) => table_name);
}

async function logIn({ url, adminClientId }: Ready, secret: string | undefined): Promise<Response> {
  const authorization = `Basic ${btoa(`${adminClientId}:${secret}`)}`;
  return fetch(`${url}${servicePrefix}/client-identities/login`, { method: 'POST', headers: { authorization } });
}

describe('a server', () => {
  test('creates the tables with --init, prints the secrets once, and keeps everything over a restart', async () => {
    const schema = newSchema();
    const issuer = 'http://iam.example';
    const first = start(schema, { init: true, issuer });
    const ready = await first.ready();
    expect(ready).toMatchObject({ store: 'postgres' });
    expect(first.stdout()).not.toContain(databaseUrl);
    const login = await logIn(ready, ready.adminClientSecret);
    expect(login.status).toBe(200);
    const { accessToken } = (await login.json()) as { accessToken: string };
    first.process.kill('SIGTERM');
    expect(await first.exit()).toBe(0);

    const second = start(schema, { issuer });
    const again = await second.ready();
    expect(again.adminClientId).toBe(ready.adminClientId);
    expect(again).not.toHaveProperty('adminClientSecret');
    const headers = { authorization: `Bearer ${accessToken}` };
    expect((await fetch(`${again.url}${servicePrefix}/groups`, { headers })).status).toBe(200);
    second.process.kill('SIGTERM');
    expect(await second.exit()).toBe(0);
  });

  test('shares the database with others of its issuer, and keeps those of another one away', async () => {
    const schema = newSchema();
    const issuer = 'http://iam.example';
    const first = await start(schema, { init: true, issuer }).ready();
    const second = await start(schema, { issuer }).ready();
    const login = await logIn(second, first.adminClientSecret);
    const { accessToken } = (await login.json()) as { accessToken: string };
    const headers = { authorization: `Bearer ${accessToken}` };
    expect((await fetch(`${first.url}${servicePrefix}/groups`, { headers })).status).toBe(200);
    await expectExit(start(schema), 13, /have the issuer http:\/\/iam\.example, this one http:\/\/127/);
    await expectExit(start(schema, { issuer, exclusive: true }), 13, /Other servers use the database: r\w+, r\w+\./);
  });

  test('with --exclusive keeps all others away while it runs', async () => {
    const schema = newSchema();
    const issuer = 'http://iam.example';
    const first = start(schema, { init: true, exclusive: true, issuer });
    const ready = await first.ready();
    await expectExit(start(schema, { issuer }), 13, /Another server \(r\w+\) uses the database alone\./);
    await expectExit(
      start(schema, { issuer, exclusive: true }),
      13,
      /Another server \(r\w+\) uses the database alone\./,
    );
    expect((await fetch(`${ready.url}/_iam/state/reset`, { method: 'POST' })).status).toBe(204);
    first.process.kill('SIGTERM');
    expect(await first.exit()).toBe(0);
    const next = start(schema);
    await next.ready();
    next.process.kill('SIGTERM');
    expect(await next.exit()).toBe(0);
  });

  test('does not create tables without --init', async () => {
    const schema = newSchema();
    await expectExit(start(schema), 12, /has no tables\. Run `iam store init`, or add --init/);
    expect(await listTables(schema)).toEqual([]);
  });

  test('does not touch the tables of another program, also with --init', async () => {
    const schema = newSchema();
    await client.query(`create schema ${schema}; create table ${schema}.orders (id int)`);
    await expectExit(start(schema, { init: true }), 12, /tables of another program/);
    expect(await listTables(schema)).toEqual(['orders']);
  });

  test('uses tables that are one version ahead, not those further ahead', async () => {
    const schema = newSchema();
    const first = start(schema, { init: true });
    await first.ready();
    first.process.kill('SIGTERM');
    await first.exit();
    await client.query(`insert into ${schema}.meta values ('migration 9998-later', '')`);
    const next = start(schema);
    await next.ready();
    next.process.kill('SIGTERM');
    await next.exit();
    await client.query(`insert into ${schema}.meta values ('migration 9999-later', '')`);
    await expectExit(start(schema, { init: true }), 14, /newer version/);
  });

  test.each([
    ['no address', {}, 2, /requires --database-url or IAM_DATABASE_URL/],
    [
      'a password on the command line',
      { 'database-url': 'postgres://iam:hidden@127.0.0.1/iam' },
      2,
      /IAM_DATABASE_URL/,
    ],
    ['no database', { 'database-url': 'postgres://iam@127.0.0.1/' }, 2, /The address of the database must name/],
    ['another host without TLS', { 'database-url': 'postgres://iam@db.example/iam' }, 2, /sslmode=verify-full/],
    ['a closed port', { 'database-url': 'postgres://iam@127.0.0.1:1/iam' }, 75, /ECONNREFUSED/],
    ['no URL', { 'database-url': 'mysql://127.0.0.1/iam' }, 2, /must be a URL such as postgres:/],
  ] as const)('ends with one line for %s', async (_what, flags, code, message) => {
    const run = launcher.start({ flags: { store: 'postgres', ...flags } });
    await expectExit(run, code, message);
    expect(run.stderr()).not.toContain('hidden');
  });

  test('ends with one line and a permanent failure for a database that does not exist, or has no TLS', async () => {
    const url = new URL(databaseUrl);
    url.pathname = '/nosuch';
    await expectExit(startOn(url.href), 70, /"nosuch" does not exist/);
    await expectExit(startOn(`${databaseUrl}?sslmode=verify-full`), 70, /does not support SSL/);
  });

  test('ends with one line and a temporary failure while no database responds', async () => {
    const databases = await Promise.all([
      startSilentDatabase(),
      startClosingDatabase(),
      startRejectingDatabase('57P03', 'the database system is starting up'),
      startRejectingDatabase('28P01', 'password authentication failed'),
    ]);
    const [silent, closing, starting, rejecting] = databases.map(({ port }) => `postgres://iam@127.0.0.1:${port}/iam`);
    try {
      await Promise.all([
        expectExit(startOn(`${silent}`), 75, /cannot be used now: timeout expired/),
        expectExit(startOn(`${closing}`), 75, /cannot be used now: Connection terminated/),
        expectExit(startOn(`${starting}`), 75, /cannot be used now: the database system is starting up/),
        // The host that does not respond may be the primary.
        expectExit(startOn(`${rejecting},${starting}`), 75, /password authentication failed; the database system/),
      ]);
    } finally {
      for (const database of databases) database.close();
    }
  });

  test('ends with one line and a temporary failure if the database stops to respond during the start', async () => {
    const schema = newSchema();
    const first = start(schema, { init: true });
    await first.ready();
    first.process.kill('SIGTERM');
    await first.exit();
    await client.query(`begin; lock table ${schema}.clients in access exclusive mode`);
    await expectExit(start(schema), 75, /became unavailable during the start: .*lock timeout.* Start again\./);
    await client.query('rollback');
  });
});

describe('the migrations', () => {
  test('run once, also when several processes start at once; one of them prints the secrets', async () => {
    const schema = newSchema();
    const issuer = 'http://iam.example';
    const runs = Array.from({ length: 4 }, () => start(schema, { init: true, issuer }));
    const ready = await Promise.all(runs.map((run) => run.ready()));
    const [secret, ...others] = ready.flatMap(({ adminClientSecret }) => adminClientSecret ?? []);
    expect(others).toEqual([]);
    for (const server of ready) expect((await logIn(server, secret)).status).toBe(200);
    const { rows } = await client.query(`select name from ${schema}.meta where starts_with(name, 'migration ')`);
    expect(rows).toHaveLength(migrations.length);
  });
});
