/** `iam store copy`: a folder to PostgreSQL and back, with the same rows, and tokens that stay valid. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { servicePrefix } from '../../src/contract/prefix.ts';
import { Home } from '../cli/run-cli.ts';
import { createLauncher, type Launcher, type Ready, type Run } from '../server/start/spawn.ts';
import { databaseUrl } from './database.ts';

const client = new pg.Client({ connectionString: databaseUrl });
const issuer = 'http://iam.example';
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
  return `copy_${process.pid}_${schemas}`;
}

const copy = (from: string, to: string, schema: string, words: readonly string[] = []) =>
  home.iam(['store', 'copy', '--from', from, '--to', to, '--database-schema', schema, '-o', 'json', ...words], {
    variables: { IAM_DATABASE_URL: databaseUrl },
  });

async function stop(run: Run): Promise<void> {
  run.process.kill('SIGTERM');
  expect(await run.exit()).toBe(0);
}

const startInFolder = (data: string) => launcher.start({ flags: { data, issuer, 'audit-log': 'off' } });

/** Tokens of before the copy. */
interface IssuedTokens {
  /** Of the administrator client. */
  readonly accessToken: string;
  readonly appClientId: string;
  /** Of a session of the administrator through that client. */
  readonly user: { readonly accessToken: string; readonly refreshToken: string };
}

/** The tokens are accepted as before: by reading, and by refreshing the session once. */
async function expectAccepted({ url }: Ready, { accessToken, user, appClientId }: IssuedTokens): Promise<void> {
  for (const token of [accessToken, user.accessToken]) {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`${url}${servicePrefix}/groups`, { headers });
    expect(response.status).toBe(200);
    const groups = (await response.json()) as { groupName: string }[];
    expect(groups.map(({ groupName }) => groupName)).toContain('ops \u{1f408}');
  }
  const renewed = await fetch(`${url}${servicePrefix}/user-identities/renew-token?clientId=${appClientId}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ refreshToken: user.refreshToken }),
  });
  expect(renewed.status).toBe(201);
}

/** A stopped store with a group, a session of the administrator, and an access token of its client. */
async function makeStore(data: string): Promise<IssuedTokens> {
  const run = launcher.start({ flags: { data, issuer, 'audit-log': 'off' } });
  const { url, adminClientId, adminClientSecret, adminUser, adminPassword, appClientId = '' } = await run.ready();
  const post = (resource: string, user: string, secret: string, body?: object) =>
    fetch(`${url}${servicePrefix}${resource}`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${user}:${secret}`)}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const [id, secret] = [adminClientId, adminClientSecret ?? ''];
  const login = await post('/client-identities/login', id, secret);
  const created = await post('/groups', id, secret, { groupName: 'ops \u{1f408}', roles: ['A', 'B'] });
  const userLogin = `/user-identities/login?clientId=${appClientId}&remember-me=true`;
  const session = await post(userLogin, adminUser ?? '', adminPassword ?? '');
  expect([login.status, created.status, session.status]).toEqual([200, 201, 201]);
  const { accessToken } = (await login.json()) as IssuedTokens;
  const user = (await session.json()) as IssuedTokens['user'];
  await stop(run);
  return { accessToken, appClientId, user };
}

test('moves to a database and back: the digests are equal, and tokens of before are accepted on both', async () => {
  const [data, back, schema] = [path.join(launcher.folder(), 'a'), path.join(launcher.folder(), 'b'), newSchema()];
  const tokens = await makeStore(data);
  const there = await copy(data, 'postgres', schema);
  expect(there).toMatchObject({ code: 0, err: '' });
  const { digest, tables } = JSON.parse(there.out) as { digest: string; tables: Record<string, number> };
  expect(digest).toMatch(/^[0-9a-f]{64}$/);
  expect(tables).toMatchObject({ groups: 6, signingKeys: 1 });

  const again = await copy('postgres', back, schema);
  expect(JSON.parse(again.out)).toMatchObject({ digest, tables });
  const inFolder = startInFolder(back);
  await expectAccepted(await inFolder.ready(), tokens);
  await stop(inFolder);

  const inDatabase = launcher.start({
    flags: { store: 'postgres', 'database-schema': schema, issuer, 'audit-log': 'off' },
    environment: { IAM_DATABASE_URL: databaseUrl },
  });
  const ready = await inDatabase.ready();
  await expectAccepted(ready, tokens);
  const busy = await copy('postgres', path.join(launcher.folder(), 'c'), schema);
  expect([busy.code, JSON.parse(busy.err)]).toMatchObject([13, { error: { code: 'STORE_IN_USE' } }]);
  await stop(inDatabase);
});

describe('nothing is copied', () => {
  let data: string;
  beforeAll(async () => {
    data = path.join(launcher.folder(), 'store');
    await makeStore(data);
  });

  test('into a schema with rows', async () => {
    const schema = newSchema();
    expect((await copy(data, 'postgres', schema)).code).toBe(0);
    const count = async () => (await client.query(`select count(*) from ${schema}.groups`)).rows;
    const before = await count();
    const { code, err } = await copy(data, 'postgres', schema);
    expect(code).toBe(12);
    expect(err).toContain('already contains rows');
    expect(await count()).toEqual(before);
  });

  test('into a folder that contains a store', async () => {
    const schema = newSchema();
    await copy(data, 'postgres', schema);
    expect(await copy('postgres', data, schema)).toMatchObject({ code: 12 });
  });

  test('from a folder that is not a store, or a store with a server', async () => {
    const schema = newSchema();
    const folder = path.join(launcher.folder(), 'other');
    await mkdir(folder);
    await writeFile(path.join(folder, 'notes.txt'), 'x');
    expect(await copy(folder, 'postgres', schema)).toMatchObject({ code: 12 });
    const run = startInFolder(data);
    await run.ready();
    expect(await copy(data, 'postgres', schema)).toMatchObject({ code: 13 });
    await stop(run);
  });

  test.each([
    [['--from', 'a', '--to', 'b'], 'one is a folder, the other is postgres'],
    [['--from', 'postgres', '--to', 'postgres'], 'one is a folder'],
    [['--from', 'a'], '--from and --to are required'],
    [['--from', 'a', '--to', 'postgres'], 'The database is unknown'],
    [['--from', 'a', '--to', 'postgres', '--database-url', 'postgres://u:hidden@127.0.0.1/d'], 'no password'],
  ])('for %j', async (words, message) => {
    const { code, err } = await home.iam(['store', 'copy', ...words]);
    expect([code, err.includes('hidden')]).toEqual([2, false]);
    expect(err).toContain(message === 'no password' ? 'must not contain a password' : message);
  });
});
