/** The claims of each kind of token, and its lifetime; with a store in memory. */
import { decodeJwt } from 'jose';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { systemRandom } from '../../../src/server/lib/random.ts';
import { openMemoryStore } from '../../../src/server/store/memory/memory-store.ts';
import type { Store } from '../../../src/server/store/store.ts';
import type { Client, Session, User } from '../../../src/server/store/tables.ts';
import {
  type ClientContent,
  createLogonContent,
  readClientContent,
  readUserContent,
  type TokenContent,
} from '../../../src/server/tokens/content.ts';
import { createIssuer, type IssuerOptions } from '../../../src/server/tokens/issue.ts';
import { type KeyRing, openKeyRing } from '../../../src/server/tokens/keys.ts';
import { user as userRow } from '../store/rows.ts';

const now = Date.parse('2026-03-01T12:00:00.000Z') / 1000;
const createdAt = '2026-03-01T11:00:00.000Z';
const clock = { now: () => new Date(now * 1000) };

let keys: KeyRing;
let store: Store;

beforeAll(async () => {
  keys = await openKeyRing({ store: openMemoryStore(), alg: 'ES256', clock, longestToken: 3600 });
});
beforeEach(() => {
  store = openMemoryStore();
});

const client: Client = {
  clientId: 'c1',
  appId: 'app',
  party: '1STPARTY',
  authorities: ['READER'],
  scope: ['read', 'write'],
  grantTypes: [],
  factorVisibility: 'CREDENTIALS_ONLY',
  createdAt,
};
const user: User = userRow('u1', { userName: 'ann', createdAt });
const session: Session = {
  sessionId: 's1',
  clientId: 'c1',
  userId: 'u1',
  level: 'AUTH-BASIC',
  smart: false,
  remember: false,
  startedAt: now,
  endsAt: now + 86_400,
};

function createIssuerWith(more: Partial<IssuerOptions> = {}) {
  return createIssuer({
    keys,
    clock,
    random: systemRandom,
    issuer: 'http://here',
    clientTokenLifetime: 300,
    userTokenLifetime: 600,
    rememberedTokenLifetime: 60,
    expiresIn: 'seconds',
    maxToken: 32_768,
    ...more,
  });
}

const deps = {
  get store() {
    return store;
  },
  issuer: { measure: (content: TokenContent) => createIssuerWith().measure(content) },
};

const common = {
  iss: 'http://here',
  aud: 'http://here',
  iat: now,
  jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
  scope: ['read', 'write'],
  client_id: 'c1',
  app_id: 'app',
  stand_in: true,
};
const authenticated = ['ROLE_CLI-1STPARTY', 'ROLE_CLI-AUTH-BASIC', 'ROLE_CLI-AUTH-IDENTIFIED', 'ROLE_READER'];
const named = ['ROLE_CLI-1STPARTY', 'ROLE_CLI-AUTH-IDENTIFIED'];
const person = ['ROLE_AUTH-BASIC', 'ROLE_AUTH-IDENTIFIED', 'ROLE_PERSON', 'ROLE_USER'];

describe("a client's token", () => {
  const claimsOf = async (of: Client, more?: Partial<ClientContent>) =>
    decodeJwt((await createIssuerWith().issue(await readClientContent(deps, of, more))).accessToken);

  test('contains its id and its authorities, and no absent claims', async () => {
    expect(await claimsOf(client)).toStrictEqual({ ...common, sub: 'c1', exp: now + 300, authorities: authenticated });
  });

  test.each([
    ['business', { businessId: 'b1' }, { business_id: 'b1' }],
    ['organization', { organizationId: 'o1' }, { organization_id: 'o1' }],
    ['business unit', { businessUnitId: 'n1' }, { business_unit_id: 'n1' }],
  ])('names its %s in each token', async (_what, has, expected) => {
    const owned = { ...client, ...has };
    const expectedClaims = { ...common, ...expected, sub: 'c1', exp: now + 300, authorities: authenticated };
    expect(await claimsOf(owned)).toStrictEqual(expectedClaims);
    expect(await claimsOf(owned)).toStrictEqual(expectedClaims);
  });

  test('names its service account', async () => {
    const claims = await claimsOf({ ...client, serviceAccountId: 'v1' });
    expect(claims).toMatchObject({ service_id: 'v1' });
    expect(Object.keys(claims)).not.toContain('business_id');
  });

  test('has the requested part of its scope, and expires with its session', async () => {
    expect((await claimsOf(client, { scope: ['write', 'other'] })).scope).toEqual(['write']);
    const short: Session = { ...session, scope: ['read'], endsAt: now + 10 };
    expect(await claimsOf(client, { session: short })).toMatchObject({ scope: ['read'], sid: 's1', exp: now + 10 });
  });
});

describe("a user's token", () => {
  const claimsOf = async (of: User, within: Session = session) =>
    decodeJwt(
      (await createIssuerWith().issue(await readUserContent(deps, { user: of, session: within, client }))).accessToken,
    );
  const expectedClaims = { ...common, sub: 'u1', sid: 's1', user_id: 'u1', exp: now + 600 };

  test('contains the user and the authentication level, and of the client only the id', async () => {
    expect(await claimsOf(user)).toStrictEqual({ ...expectedClaims, authorities: [...named, ...person].sort() });
  });

  test('marks a session by a logon, and names the logon', async () => {
    const authorities = ['ROLE_AUTH-SMART', ...named, ...person].sort();
    const claims = await claimsOf(user, { ...session, smart: true, logon: 'L1' });
    expect(claims).toStrictEqual({ ...expectedClaims, logon: 'L1', authorities });
  });

  test('has a short lifetime where the user is remembered', async () => {
    expect((await claimsOf(user, { ...session, remember: true })).exp).toBe(now + 60);
  });

  test('prefers the customer of the user to that of its business', async () => {
    const customer = { document: 'd1', createdAt };
    await store.transaction(async (tx) => {
      await tx.customers.insert({ ...customer, customerId: 1, businessId: 'b1' });
      await tx.customers.insert({ ...customer, customerId: 2, userId: 'u1' });
    });
    const member = { ...user, businessId: 'b1' };
    expect((await claimsOf(member)).customer_id).toBe(2);
    expect((await claimsOf({ ...member, userId: 'u2' })).customer_id).toBe(1);
    expect(await claimsOf({ ...user, userId: 'u2' })).not.toHaveProperty('customer_id');
  });

  test('names the business and its customer', async () => {
    const member = { ...user, businessId: 'b1' };
    expect(await claimsOf(member)).toStrictEqual({
      ...expectedClaims,
      business_id: 'b1',
      authorities: [...named, 'ROLE_AUTH-BASIC', 'ROLE_AUTH-IDENTIFIED', 'ROLE_BUSINESS', 'ROLE_USER'].sort(),
    });
    const business = { businessId: 'b1', businessName: 'B', organizationId: 'o1', businessUnitId: 'n1' };
    await store.transaction((tx) => tx.businesses.insert(business));
    expect(await claimsOf(member)).toMatchObject({ organization_id: 'o1', business_unit_id: 'n1' });
  });
});

test('a token of a logon names the logon, and no user', async () => {
  const { userId: _none, ...unbound } = session;
  const { accessToken } = await createIssuerWith().issue(createLogonContent('L1', { session: unbound, client }));
  expect(decodeJwt(accessToken)).toStrictEqual({
    ...common,
    sub: 'logon:L1',
    logon: 'L1',
    sid: 's1',
    exp: now + 600,
    authorities: ['ROLE_AUTH-BASIC', 'ROLE_AUTH-IDENTIFIED', ...named].sort(),
  });
});

describe('a token response', () => {
  test('has a refresh token only where one is issued', async () => {
    const issuer = createIssuerWith();
    const content = await readClientContent(deps, client);
    expect(await issuer.issue(content)).not.toHaveProperty('refreshToken');
    expect(await issuer.issue({ ...content, refreshToken: 'r' })).toMatchObject({ refreshToken: 'r' });
  });

  test.each([
    ['seconds', '300'],
    ['epoch', String(now + 300)],
  ] as const)(
    'returns the expiry of its token in %s, and computes the remaining time from both',
    async (expiresIn, text) => {
      const issuer = createIssuerWith({ expiresIn });
      const response = await issuer.issue(await readClientContent(deps, client));
      expect(response).toMatchObject({ tokenType: 'Bearer', expiresIn: text, scope: ['read', 'write'] });
      expect(issuer.secondsLeft(response)).toBe(300);
    },
  );
});

test('the expiry of the last 10,000 tokens is stored, and no more', async () => {
  let issued = 0;
  const name = (count: number) => `00000000-0000-4000-8000-${String(count).padStart(12, '0')}`;
  const current = keys.current();
  // 10,000 signatures would take most of the time of this file.
  const signer = Object.assign(Object.create(current.signer), { sign: async () => 'a token' });
  const unsigned: KeyRing = Object.assign(Object.create(keys), { current: () => ({ ...current, signer }) });
  const issuer = createIssuerWith({ keys: unsigned, random: { ...systemRandom, uuid: () => name(++issued) } });
  const content = await readClientContent(deps, client);
  await Promise.all(Array.from({ length: 10_000 }, () => issuer.issue(content)));
  expect([issuer.findExpiry(name(1)), issuer.findExpiry(name(10_000))]).toEqual([now + 300, now + 300]);
  await issuer.issue(content);
  expect([issuer.findExpiry(name(1)), issuer.findExpiry(name(2))]).toEqual([undefined, now + 300]);
});
