/** Internationalized e-mail addresses through every way in, and look-ups by each of their forms. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { applySeed } from '../../../src/server/seed/apply.ts';
import { parseSeed } from '../../../src/server/seed/parse.ts';
import type { SeedDocument } from '../../../src/server/seed/schema.ts';
import { startServer, type TestServer } from '../../harness.ts';
import { catchClientError } from '../operations/access.ts';
import { messagesTo } from '../operations/otp-inbox.ts';
import { identify, retrieve, signUp } from '../operations/user-identities/flows.ts';
import { logIn, password, passwordHash } from '../operations/user-identities/login-fixtures.ts';
import { asUser } from '../operations/user-token.ts';

const typed = 'ju\u0308rgen@Bu\u0308cher.DE';
const stored = 'jürgen@xn--bcher-kva.de';
const spellings = [typed, stored, 'JÜRGEN@BÜCHER.de', 'jürgen@XN--BCHER-KVA.DE', 'jürgen@bücher。de'];

interface Requests {
  readonly server: TestServer;
  readonly person: TestServer['admin'];
}

/** Sends an address in each body that has one. */
const requests: Readonly<Record<string, (email: string, deps: Requests) => Promise<unknown>>> = {
  'user-identities.create': (userEmail, { server }) =>
    server.admin.userIdentities.create({ body: { userName: 'new', userEmail } }),
  'user-identities.update': (userEmail, { server }) =>
    server.admin.userIdentities.update({ params: { id: 'known' }, body: { userEmail } }),
  'user-identities.identification': (userEmail, { server }) =>
    server.admin.userIdentities.identification({ body: { userEmail } }),
  'user-identities.factors.add': (email, { person }) =>
    person.userIdentities.factors.add({ body: { authenticationFactors: [{ contactType: 'EMAIL', email }] } }),
  'user-identities.factors.admin-add': (email, { server }) =>
    server.admin.userIdentities.factors.adminAdd({
      params: { id: 'known' },
      body: { authenticationFactors: [{ contactType: 'EMAIL', email }] },
    }),
  'user-identities.factors.admin-update': (email, { server }) =>
    server.admin.userIdentities.factors.adminUpdate({ params: { id: 'known', factorId: 'f-one' }, body: { email } }),
  'control.create-user': (userEmail, { server }) => post(server, '/_iam/users', { userName: 'new', userEmail }),
  'control.apply-seed': (userEmail, { server }) =>
    post(server, '/_iam/seed', { users: [{ userName: 'new', userEmail }] }),
};

async function get(server: TestServer, query: string): Promise<unknown> {
  return (await server.send({ method: 'GET', path: `/_iam/users?${query}` })).json;
}

/** The status and the body of a rejection. */
async function reject(response: Promise<unknown>): Promise<{ readonly status: number; readonly text: string }> {
  const error = await response.then(
    () => ({ status: 200, items: [] }),
    (failure: { status: number; items: unknown }) => failure,
  );
  return { status: error.status, text: JSON.stringify(error.items) };
}

async function post(server: TestServer, path: string, content: object): Promise<void> {
  const headers = [['Content-Type', 'application/json']] as const;
  const { status, json } = await server.send({ method: 'POST', path, headers, body: JSON.stringify(content) });
  if (status >= 400) throw Object.assign(new Error('rejected'), { status, items: json });
}

const seed: SeedDocument = {
  users: [
    {
      userId: 'known',
      userName: 'known',
      factors: [{ id: 'f-one', contactType: 'EMAIL', email: 'known@example.org' }],
    },
  ],
};

async function start(flags: Record<string, string> = {}): Promise<Requests> {
  const server = await startServer({ seed, flags });
  return { server, person: await asUser(server, { level: 'AUTH-MFA' }) };
}

/** All addresses in the store. */
async function listAddresses({ appContext: { store } }: TestServer): Promise<string[]> {
  const [users, factors, messages] = [
    await store.users.list(),
    await store.factors.list(),
    await store.messages.list(),
  ];
  return [
    ...users.map(({ userEmail }) => userEmail),
    ...factors.map(({ email }) => email),
    ...messages.map(({ to }) => to),
  ].flatMap((email) => email ?? []);
}

describe.each(Object.keys(requests))('%s', (what) => {
  test('stores the domain as A-labels, and accepts single-label hosts with test features', async () => {
    const deps = await start();
    await using _server = deps.server;
    await requests[what]?.(typed, deps);
    expect(await listAddresses(deps.server)).toContain(stored);
    const other = await start();
    await using _other = other.server;
    await requests[what]?.('a@localhost', other);
    expect(await listAddresses(other.server)).toContain('a@localhost');
  });
});

describe('without test features', () => {
  let deps: Requests;
  beforeAll(async () => {
    deps = await start({ 'test-features': 'off' });
  });
  afterAll(() => deps.server[Symbol.asyncDispose]());

  test.each(Object.entries(requests))('%s rejects single-label hosts and what is no address', async (_, send) => {
    const before = await deps.server.dump();
    for (const email of ['a@localhost', 'a@ü', 'a@LOCALHOST', 'ü@mail', 'a@xn--tda']) {
      const { status, text } = await reject(send(email, deps));
      expect([400, 422]).toContain(status);
      expect(text).toContain('at least two labels');
    }
    for (const email of [
      'a@[127.0.0.1]',
      '"a b"@example.com',
      'a@example.com.',
      'a\u200bb@example.com',
      'a@xn--a.de',
    ]) {
      const { status, text } = await reject(send(email, deps));
      expect([400, 422]).toContain(status);
      expect(text).toMatch(/mail.* must /i);
    }
    expect(await deps.server.dump()).toEqual(before);
  });

  test('a seed rejects single-label hosts of providers and logons, too', async () => {
    const oidc = { kind: 'oidc', name: 'corp', issuer: 'https://i', clientId: 'c', jwksUri: 'https://i/keys' } as const;
    const document = {
      mainframe: [{ logon: 'ALICE01', email: 'a@host' }],
      providers: [{ ...oidc, emailDomains: ['host'] }],
    };
    const message = /mainframe\[0\]\.email: must have .*\nproviders\[0\]\.emailDomains\[0\]: must have /;
    await expect(applySeed(document, deps.server.appContext)).rejects.toThrow(message);
  });

  test('the address of the administrator is no single-label host', async () => {
    const flags = { 'test-features': 'off' };
    for (const variable of ['IAM_ADMIN_EMAIL', 'IAM_ADMIN_USER'])
      await expect(startServer({ flags, environment: { [variable]: 'a@host' } })).rejects.toThrow(
        `${variable} must have a`,
      );
  });
});

test('a user is found by every form of the address, and the address is taken in every form', async () => {
  const user = { userId: 'u', userName: stored, userEmail: stored, passwordHash };
  await using server = await startServer({ seed: { users: [user, { userId: 'other' }] } });
  for (const name of spellings) {
    await expect(logIn(server, { name, secret: password })).resolves.toBeDefined();
    expect(await retrieve(server, name)).toMatchObject({ status: 201 });
    const found = await get(server, `name=${encodeURIComponent(name)}`);
    expect(found).toMatchObject([{ userId: 'u' }]);
    const taken = server.admin.userIdentities.create({ body: { userName: name, userEmail: name } });
    expect(await catchClientError(taken)).toMatchObject({ code: 'LOGIN_NAME_TAKEN' });
    const identity = server.admin.userIdentities.addIdentity({ params: { id: 'other' }, body: { identity: name } });
    expect(await catchClientError(identity)).toMatchObject({ code: 'LOGIN_NAME_TAKEN' });
  }
  for (const search of ['bücher', 'BÜCHER.de', '@bücher', 'bu\u0308cher', 'xn--bcher', ...spellings]) {
    const found = await get(server, `search=${encodeURIComponent(search)}`);
    expect([search, found]).toMatchObject([search, [{ userId: 'u' }]]);
  }
});

/** Before domains were A-labels. */
test('a user whose stored address has letters beyond ASCII is found by every form, and its names stay taken', async () => {
  await using server = await startServer({ seed: { users: [{ userId: 'other' }] } });
  const createdAt = server.clock.now().toISOString();
  const base = { emailVerified: true, mobileVerified: false, lead: false, locked: false, createdAt };
  const old = { ...base, userId: 'old', userName: 'jürgen@Bücher.de', userNameProven: true, passwordHash } as const;
  await server.appContext.store.transaction((tx) => tx.users.insert({ ...old, identities: ['old@bücher.de'] }));
  for (const name of spellings.filter((one) => !one.includes('。'))) {
    await expect(logIn(server, { name, secret: password })).resolves.toBeDefined();
    const taken = server.admin.userIdentities.create({ body: { userName: name, userEmail: name } });
    expect(await catchClientError(taken)).toMatchObject({ code: 'LOGIN_NAME_TAKEN' });
    const identity = server.admin.userIdentities.addIdentity({ params: { id: 'other' }, body: { identity: name } });
    expect(await catchClientError(identity)).toMatchObject({ code: 'LOGIN_NAME_TAKEN' });
    const seeded = applySeed({ users: [{ userId: 'third', userName: name }] }, server.appContext);
    await expect(seeded).rejects.toThrow('belongs to the user old');
  }
  const { userIdentities } = server.admin;
  await userIdentities.update({ params: { id: 'old' }, body: { userName: 'jürgen@Bücher.de', lead: true } });
  await userIdentities.removeIdentity({ params: { id: 'old', identity: 'old@xn--bcher-kva.de' } });
  expect(await server.appContext.store.users.get('old')).toMatchObject({
    userName: 'jürgen@Bücher.de',
    identities: [],
  });
});

test('a seed with letters beyond ASCII is applied once', async () => {
  await using server = await startServer();
  const text = JSON.stringify({
    users: [{ userName: typed, userEmail: typed, identities: ['corp:a@ü.de', 'b@ü.de'] }],
  });
  expect(await applySeed(await parseSeed(text, 'seed.json'), server.appContext)).toMatchObject({
    users: { created: 1 },
  });
  expect(await applySeed(await parseSeed(text, 'seed.json'), server.appContext)).toMatchObject({
    users: { unchanged: 1 },
  });
  const users = await server.appContext.store.users.list();
  expect(users.find(({ bootstrap }) => bootstrap === undefined)).toMatchObject({
    userName: stored,
    userEmail: stored,
    identities: ['corp:a@ü.de', 'b@xn--tda.de'],
  });
});

test('codes to all forms of an address count together', async () => {
  await using server = await startServer();
  for (const userEmail of spellings) expect(await identify(server, { userEmail })).toMatchObject({ status: 201 });
  expect(await identify(server, { userEmail: stored })).toMatchObject({ status: 429 });
  expect((await messagesTo(server)).map(({ to }) => to.toLowerCase())).toEqual(spellings.map(() => stored));
  expect(await signUp(server, { userName: typed, userEmail: stored })).toMatchObject({ status: 201 });
});
