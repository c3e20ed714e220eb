import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { writeSession } from '../../../src/cli/auth/session-file.ts';
import { createTokenCache } from '../../../src/cli/auth/token-cache.ts';
import { cacheTtlMs, maxFileLength, maxFiles } from '../../../src/cli/completion/name-cache.ts';
import {
  errorResponse,
  type FakeResponse,
  type FakeServer,
  startFakeServer,
  tokenResponse,
} from '../../client/fake-server.ts';
import { adminClient, startServer, type TestServer } from '../../harness.ts';
import { Home, iam, test } from '../run-cli.ts';
import { type CompletionSetup, listCompletions } from './complete.ts';

const start = 1_800_000_000_000;
const signedIn = (url: string) => ({ IAM_BASE_URL: url, IAM_TOKEN: 'token-value' });
const group = (groupName: string, more: object = {}) => ({ groupId: `id-${groupName}`, groupName, ...more });

/** Profiles, one of which is in use. */
async function homeWith(profile: object): Promise<Home> {
  const home = await Home.make();
  const folder = path.join(home.folder, 'config', 'iam');
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'config.json'), JSON.stringify({ current: 'main', profiles: { main: profile } }));
  return home;
}

const cacheFolder = (home: Home) => path.join(home.folder, 'cache', 'iam', 'completion');
const cacheFiles = (home: Home) => readdir(cacheFolder(home)).catch(() => []);

describe('names of a server', () => {
  let server: TestServer;
  let variables: Record<string, string>;

  beforeAll(async () => {
    server = await startServer();
    const credentials = { IAM_CLIENT_ID: adminClient.clientId, IAM_CLIENT_SECRET: adminClient.clientSecret };
    const { out } = await iam(['token', 'generate'], { url: server.url, variables: credentials });
    variables = { IAM_BASE_URL: server.url, IAM_TOKEN: out.trim() };
    const run = (...words: string[]) => iam([...words, '-q'], { url: server.url, variables });
    await run('groups', 'create', '--group-name', 'ops', '--role', 'DEPLOY', '--role', 'VIEW');
    await run('groups', 'create', '--group-name', 'two leads', '--role', 'APPROVE', '--dependency', 'ops');
    await run('users', 'create', '--user-id', 'u1', '--user-name', 'alice', '--user-email', 'alice@example.com');
    await run('users', 'create', '--user-id', 'u2', '--user-name', 'bob', '--user-email', 'bob@example.com');
    await run('groups', 'users', 'add', 'ops', 'u1');
    await run('clients', 'create', '--app-id', 'billing', '--service-account-id', 'billing-service');
    await run('customers', 'create-business', '--business-name', 'Acme', '--document', '1', '--business-id', 'acme');
    await run('corporate-groups', 'create', '--corporate-group-name', 'Holding', '--business', 'acme');
  });

  afterAll(() => server[Symbol.asyncDispose]());

  const values = async (line: string) => (await listCompletions(line.split(' '), { variables })).values;

  test.each([
    'groups get ',
    'groups delete ',
    'groups add-role ',
    'groups update ',
    'groups tree ',
    'groups members ',
    'groups users add ',
    'groups businesses list ',
    'groups services remove ',
    'groups add-dependency ops ',
    'groups update ops --add-dependency ',
    'groups create --dependency ',
    'groups list --name ',
    'groups list --group-name ',
    'call groups.get --param groupId=',
  ])('%j completes groups', async (line) => {
    const head = line.includes('=') ? 'groupId=' : '';
    expect(await values(line)).toEqual(expect.arrayContaining([`${head}ops`, `${head}two leads`]));
  });

  test.each([
    'groups add-role ops ',
    'groups update ops --add-role ',
    'groups create --role ',
    'can u1 ',
    'groups list --role ',
  ])('%j completes roles', async (line) =>
    expect(await values(line)).toEqual(expect.arrayContaining(['DEPLOY', 'VIEW', 'APPROVE'])),
  );

  test('for removal are the existing roles and dependencies', async () => {
    expect(await values('groups remove-role ops ')).toEqual(['DEPLOY', 'VIEW']);
    expect(await values('groups update ops --remove-role DEPLOY,')).toEqual(['DEPLOY,VIEW']);
    expect((await listCompletions(['groups', 'remove-dependency', 'two leads', ''], { variables })).values).toEqual([
      'ops',
    ]);
    expect(
      (await listCompletions(['groups', 'update', 'two leads', '--remove-dependency', ''], { variables })).values,
    ).toEqual(['ops']);
  });

  test.each(['users get ', 'users roles ', 'users factors add ', 'groups users add ops ', 'sessions list --user-id '])(
    '%j completes the names of users, described by id, and ids that are typed',
    async (line) => {
      const { texts } = await listCompletions(line.split(' '), { variables });
      expect(texts).toMatchObject({ alice: 'u1', bob: 'u2' });
      expect(Object.keys(texts)).not.toContain('u1');
      expect((await listCompletions(`${line}u`.split(' '), { variables })).texts).toMatchObject({ u1: 'alice' });
    },
  );

  test('for removal are existing members; for addition each is offered once', async () => {
    expect(await values('groups users remove ops ')).toEqual(['alice']);
    for (const typed of ['u1', 'alice'])
      expect(await values(`groups users add ops ${typed} `)).toEqual(['admin', 'bob']);
  });

  test('clients, businesses, corporate groups and customers come from their own lists', async () => {
    expect(await values('clients delete ')).toContain('billing-service');
    expect(await values('services roles ')).toContain('billing-service');
    expect(await values('can ')).toEqual(expect.arrayContaining(['alice', 'billing-service']));
    expect(await values('api-key create --app-id ')).toContain('billing');
    expect(await values('groups businesses add ops ')).toContain('Acme');
    expect(await values('can u1 DEPLOY --business ')).toContain('Acme');
    expect(await values('customers get ')).toContain('Acme');
    expect(await values('clients get sh')).toContain('billing-service');
    expect(await values('users factors get alice ')).toEqual(['main-email']);
    const bySpelling = await listCompletions(['requests', 'list', '--operation', 'groups cr'], { variables });
    expect(bySpelling.values).toContain('groups create');
    expect(await values('login --user ')).toEqual(expect.arrayContaining(['alice', 'bob']));
    const { texts } = await listCompletions(['corporate-groups', 'get', ''], { variables });
    expect(Object.keys(texts)).toEqual(['Holding']);
  });

  test('beyond the loaded ones are searched on the server', async ({ home }) => {
    const users = Array.from({ length: 1001 }, (_, at) => ({ userId: `id-${at}`, userName: `user-${at}` }));
    await using many = await startFakeServer(({ path: target }) => {
      const search = new URL(target, 'http://x').searchParams.get('search');
      return {
        json: search === null ? users.slice(0, 1000) : users.filter(({ userName }) => userName.includes(search)),
      };
    });
    const ask = (typed: string) =>
      listCompletions(['users', 'get', typed], { variables: { ...home.variables, ...signedIn(many.url) } });
    expect((await ask('user-1000')).values).toEqual(['user-1000']);
    expect((await ask('user-99')).values).toContain('user-999');
    expect(many.received).toHaveLength(3);
  });

  test('are not offered for a new name', async () => {
    for (const line of ['groups create --group-name ', 'users create --user-id ', 'sandbox create '])
      expect([line, await values(line)]).toEqual([line, []]);
  });

  test('are empty without permission', async () => {
    const { clientId, clientSecret } = await server.makeClient();
    const credentials = { IAM_CLIENT_ID: clientId, IAM_CLIENT_SECRET: clientSecret };
    const { out } = await iam(['token', 'generate'], { url: server.url, variables: credentials });
    const poor = { IAM_BASE_URL: server.url, IAM_TOKEN: out.trim() };
    expect(await listCompletions(['groups', 'get', ''], { variables: poor })).toMatchObject({
      kind: 'values',
      values: [],
    });
  });
});

describe('unsafe names', () => {
  const names = [
    'ok',
    'two\nlines',
    'tab\there',
    'esc\u001b[31m',
    '\u202eback',
    '-rf',
    '',
    'x'.repeat(300),
    '\ud800',
    'c\u0085',
  ];

  test('are omitted', async () => {
    await using server = await startFakeServer(() => ({
      json: names.map((name) => group(name, { roles: ['R\u0007\n'] })),
    }));
    const variables = signedIn(server.url);
    expect(await listCompletions(['groups', 'get', ''], { variables })).toEqual({
      kind: 'values',
      values: ['ok'],
      texts: { ok: String.raw`R\u0007\n` },
    });
    expect((await listCompletions(['groups', 'get', '--', ''], { variables })).values).toEqual(['ok', '-rf']);
  });

  test('with a comma are omitted in comma-separated lists', async () => {
    await using server = await startFakeServer(() => ({ json: [group('a,b'), group('c')] }));
    const variables = signedIn(server.url);
    expect((await listCompletions(['groups', 'create', '--dependency', ''], { variables })).values).toEqual(['c']);
    expect((await listCompletions(['groups', 'get', ''], { variables })).values).toEqual(['a,b', 'c']);
  });
});

describe('a failure', () => {
  const replies: readonly [string, FakeResponse][] = [
    ['a rejection', errorResponse(403, 'ROLE_MISSING', 'The caller lacks IAM_ADMIN_READ_ONLY.')],
    ['an expired token', errorResponse(401, 'TOKEN_INVALID')],
    ['a busy server', errorResponse(503, 'BUSY')],
    ['a page of a proxy', { text: '<html>' }],
    ['another kind of response', { json: { groups: 1 } }],
    ['strange rows', { json: [null, 1, 'x', [], { groupName: 7 }] }],
    ['a broken connection', { hangUp: true }],
  ];

  test.each(replies)('with %s is silent and does not log in', async (_what, reply) => {
    await using server = await startFakeServer(() => reply);
    await using home = await Home.make();
    const outcome = await listCompletions(['groups', 'get', ''], {
      variables: { ...home.variables, ...signedIn(server.url) },
    });
    expect(outcome).toEqual({ kind: 'values', values: [], texts: {} });
    expect(server.received.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  test('is silent if the server is down or the URL is invalid', async () => {
    const { url } = await stopped();
    for (const base of [url, 'ftp://x', 'nonsense', 'http://a:b@127.0.0.1:1'])
      expect((await listCompletions(['groups', 'get', ''], { variables: signedIn(base) })).values).toEqual([]);
  });

  test('is silent for an unknown profile, and local values are still offered', async () => {
    const variables = { IAM_PROFILE: 'unknown' };
    expect((await listCompletions(['groups', 'get', ''], { variables })).values).toEqual([]);
    expect((await listCompletions(['groups', ''], { variables })).values).toContain('get');
  });

  test('of a slow server times out, with one timeout for all requests', async () => {
    await using server = await startFakeServer(() => ({ silent: true }));
    const limit = new AbortController();
    const arrived = until(server, 2);
    const result = listCompletions(['can', ''], { variables: signedIn(server.url), limit: limit.signal });
    await arrived;
    limit.abort();
    expect(await result).toEqual({ kind: 'values', values: [], texts: {} });
    const late = await listCompletions(['can', ''], { variables: signedIn(server.url), limit: limit.signal });
    expect(late.values).toEqual([]);
  });
});

async function stopped(): Promise<{ readonly url: string }> {
  await using server = await startFakeServer(() => ({ json: [] }));
  return { url: server.url };
}

/** Resolves when so many requests have arrived. */
async function until(server: FakeServer, count: number): Promise<void> {
  while (server.received.length < count) await new Promise((resolve) => setImmediate(resolve));
}

describe('the caller', () => {
  const pair = { clientId: 'bot', clientSecret: 'secret' };

  /** A server that accepts these tokens and rejects logins. */
  const startTokenServer = (...tokens: string[]) =>
    startFakeServer(({ headers, method }) => {
      if (method !== 'GET') return tokenResponse('fresh');
      const isValid = tokens.some((token) => headers.authorization === `Bearer ${token}`);
      return isValid ? { json: [group('ops')] } : errorResponse(401, 'TOKEN_INVALID');
    });

  const groupsOf = async (home: Home, more: CompletionSetup = {}) =>
    (await listCompletions(['groups', 'get', ''], { ...more, variables: { ...home.variables, ...more.variables } }))
      .values;

  test('is a client with the cached token, or with a new one', async () => {
    await using server = await startTokenServer('cached', 'fresh');
    await using home = await homeWith({ baseUrl: server.url, ...pair });
    const environment = { variables: home.variables, now: () => start, random: () => 0 };
    await createTokenCache(server.url, pair, environment).write({ accessToken: 'cached', expiresIn: '600' });
    expect(await groupsOf(home)).toEqual(['ops']);
    const later = () => start + 590_000;
    expect(await groupsOf(home, { now: later })).toEqual(['ops']);
    expect(server.received.map(({ method, headers }) => [method, headers.authorization])).toEqual([
      ['GET', 'Bearer cached'],
      ['POST', expect.stringMatching(/^Basic /)],
      ['GET', 'Bearer fresh'],
    ]);
  });

  test('is the client of the environment, but a user only with a session', async ({ home }) => {
    await using server = await startTokenServer('fresh');
    const variables = { IAM_BASE_URL: server.url, IAM_CLIENT_ID: 'bot', IAM_CLIENT_SECRET: 'secret' };
    const user = { IAM_BASE_URL: server.url, IAM_USERNAME: 'a', IAM_PASSWORD: 'b', IAM_CLIENT_ID: 'app' };
    expect(await groupsOf(home, { variables: user })).toEqual([]);
    expect(server.received).toEqual([]);
    expect(await groupsOf(home, { variables })).toEqual(['ops']);
  });

  test('with a wrong secret fails once while the list is cached', async ({ home }) => {
    await using server = await startFakeServer(() => errorResponse(401, 'CLIENT_CREDENTIALS_INVALID'));
    const variables = { IAM_BASE_URL: server.url, IAM_CLIENT_ID: 'bot', IAM_CLIENT_SECRET: 'secret' };
    expect([await groupsOf(home, { variables }), await groupsOf(home, { variables })]).toEqual([[], []]);
    expect(server.received).toHaveLength(1);
  });

  test('is the user of the stored session, which is neither refreshed nor changed', async () => {
    await using server = await startTokenServer('of-alice');
    const session = { clientId: 'app', userName: 'alice' };
    await using home = await homeWith({ baseUrl: server.url, session });
    const stored = {
      baseUrl: server.url,
      ...session,
      accessToken: 'of-alice',
      expiresAt: start + 100_000,
      refreshToken: 'r',
    };
    await writeSession('main', stored, home.variables);
    expect(await groupsOf(home)).toEqual(['ops']);
    const atEnd = () => start + 99_000;
    expect(await groupsOf(home, { now: atEnd })).toEqual([]);
    await writeSession('main', { ...stored, baseUrl: 'http://127.0.0.1:1' }, home.variables);
    expect(await groupsOf(home, { now: atEnd })).toEqual([]);
    expect(server.received.map(({ method, headers }) => [method, headers.authorization])).toEqual([
      ['GET', 'Bearer of-alice'],
    ]);
  });

  test('is selected by the options, only at its own server', async () => {
    await using server = await startTokenServer('of-main');
    await using home = await homeWith({ baseUrl: server.url, token: 'of-main' });
    await using other = await startFakeServer(() => ({ json: [group('stolen')] }));
    const { variables } = home;
    const words = (...more: string[]) => listCompletions(['groups', 'get', ...more, ''], { variables });
    expect((await words('--profile', 'main')).values).toEqual(['ops']);
    expect((await words('--profile=unknown')).values).toEqual([]);
    expect((await words('--base-url', other.url)).values).toEqual([]);
    expect(other.received).toEqual([]);
  });

  test('is not changed by a project file', async () => {
    await using home = await homeWith({ baseUrl: 'http://127.0.0.1:1', token: 'of-main' });
    await using other = await startFakeServer(() => ({ json: [group('stolen')] }));
    await writeFile(home.file('.iamrc.json'), JSON.stringify({ 'base-url': other.url }));
    expect(await groupsOf(home, { folder: home.folder })).toEqual([]);
    expect(other.received).toEqual([]);
  });
});

describe('the cache', () => {
  test('is a private file with only names, used until it expires', async ({ home }) => {
    const row = group('ops', { roles: ['VIEW'], dependencies: [{ groupName: 'x' }], userEmail: 'a@b', locked: true });
    await using server = await startFakeServer(() => ({ json: [row] }));
    const variables = { ...home.variables, ...signedIn(server.url) };
    const ask = (at: number) => listCompletions(['groups', 'get', ''], { variables, now: () => at });
    const first = await ask(start);
    expect(first.values).toEqual(['ops']);
    expect(await ask(start + cacheTtlMs - 1)).toEqual(first);
    expect(server.received).toHaveLength(1);
    const [name = ''] = await cacheFiles(home);
    const file = path.join(cacheFolder(home), name);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(cacheFolder(home))).mode & 0o777).toBe(0o700);
    expect(await readFile(file, 'utf8')).not.toMatch(/token-value|userEmail|a@b|locked/);
    await ask(start + cacheTtlMs);
    await ask(start - 1);
    expect(server.received).toHaveLength(3);
    expect(await cacheFiles(home)).toHaveLength(1);
  });

  test('is separate for each caller and server', async ({ home }) => {
    await using server = await startFakeServer(({ headers }) => ({
      json: [group(String(headers.authorization).slice(7))],
    }));
    const ask = async (token: string) => {
      const variables = { ...home.variables, IAM_BASE_URL: server.url, IAM_TOKEN: token };
      return (await listCompletions(['groups', 'get', ''], { variables })).values;
    };
    expect([await ask('one'), await ask('two'), await ask('one')]).toEqual([['one'], ['two'], ['one']]);
    expect(server.received).toHaveLength(2);
  });

  test('is reloaded if damaged', async ({ home }) => {
    await using server = await startFakeServer(() => ({ json: [group('ops')] }));
    const variables = { ...home.variables, ...signedIn(server.url) };
    await listCompletions(['groups', 'get', ''], { variables });
    const [name = ''] = await cacheFiles(home);
    for (const text of [
      '',
      '{',
      'null',
      '[]',
      '{"a":1}',
      '{"[[\\"groups\\",\\"list\\"],[]]":{"at":1800000000000,"rows":7}}',
    ]) {
      await writeFile(path.join(cacheFolder(home), name), text);
      expect([text, (await listCompletions(['groups', 'get', ''], { variables })).values]).toEqual([text, ['ops']]);
    }
  });

  test('is limited: long lists are not stored, and the number of files is bounded', async ({ home }) => {
    const long = Array.from({ length: 1000 }, (_, at) =>
      group(`${at}${'x'.repeat(240)}`, { groupId: 'y'.repeat(256) }),
    );
    expect(JSON.stringify(long).length).toBeGreaterThan(maxFileLength);
    await using server = await startFakeServer(({ path: target }) => ({ json: target.includes('groups') ? long : [] }));
    const variables = { ...home.variables, ...signedIn(server.url) };
    expect((await listCompletions(['groups', 'get', ''], { variables })).values).toHaveLength(1000);
    expect(await cacheFiles(home)).toEqual([]);
    for (let at = 0; at < maxFiles + 2; at += 1)
      await listCompletions(['users', 'get', ''], { variables: { ...variables, IAM_TOKEN: `t${at}` } });
    expect((await cacheFiles(home)).length).toBeLessThanOrEqual(maxFiles);
  });
});
