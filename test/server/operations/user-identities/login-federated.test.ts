import { createPublicKey } from 'node:crypto';
import { type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SeedDocument } from '../../../../src/server/seed/schema.ts';
import { appClientId, createFakeClock, startServer, type TestServer } from '../../../harness.ts';
import { send } from '../../control/control-client.ts';
import {
  audience,
  firstKey,
  generateProviderKey,
  type OpenIdProvider,
  startOpenIdProvider,
} from '../../federation/openid-provider.ts';
import { catchClientError } from '../access.ts';
import { alice, readClaims, readRoles } from './login-fixtures.ts';

const name = 'corp';
const identities = [`${name}:subject-1`];
const linked = { ...alice, identities };
/** In place of Alice, who has no link then. */
const holder = { userId: 'holder', userName: 'holder', identities };
/** Claims of a user whom the provider identifies by e-mail address only. */
const byEmail: JWTPayload = { sub: 'new', email: alice.userEmail, email_verified: true };

interface FederatedServer extends AsyncDisposable {
  readonly server: TestServer;
  readonly provider: OpenIdProvider;
}

/** Starts a server and a provider on one clock. Alice is linked to the provider's subject-1. */
async function start(seed: SeedDocument = {}, flags: Record<string, string> = {}): Promise<FederatedServer> {
  const clock = createFakeClock();
  const provider = await startOpenIdProvider(clock);
  const { issuer, jwksUri } = provider;
  const row = { kind: 'oidc' as const, name, issuer, jwksUri, clientId: audience, emailDomains: ['Example.com'] };
  const server = await startServer({ clock, flags, seed: { users: [linked], providers: [row], ...seed } });
  return {
    server,
    provider,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await provider[Symbol.asyncDispose]();
    },
  };
}

interface LoginOptions {
  readonly nonce?: string;
  readonly provider?: string;
}

function logIn({ server }: FederatedServer, idToken: string, extra: LoginOptions = {}, query: object = {}) {
  const body = { provider: name, idToken, ...extra };
  return server.as().userIdentities.loginFederated({ query: { clientId: appClientId, ...query }, body });
}

const invalid = {
  status: 401,
  items: [{ code: 'PROOF_INVALID', message: 'The code, certificate or assertion is not valid or has expired.' }],
};

/** Expects that the token is rejected, by default as an invalid assertion, and leaves the store unchanged. */
async function expectRejected(
  fixture: FederatedServer,
  idToken: string,
  extra?: LoginOptions,
  expected: object = invalid,
): Promise<void> {
  const before = await fixture.server.dump();
  const failure = await catchClientError(logIn(fixture, idToken, extra));
  expect({ status: failure.status, code: failure.code, items: failure.items }).toMatchObject(expected);
  expect(await fixture.server.dump()).toEqual(before);
}

const unknown = { status: 412, code: 'SUBJECT_UNKNOWN' };

/** For tests in which every login is rejected. */
let shared: FederatedServer;
beforeAll(async () => {
  const named = { userId: 'named', userName: 'named@example.com' };
  const mike = { userId: 'mike', userName: 'mike', userEmail: 'mike@example.com' };
  shared = await start({ users: [alice, holder, named, mike] });
  await shared.server.appContext.store.transaction(async (tx) => {
    const user = await tx.users.get('named');
    if (user) await tx.users.replace({ ...user, userEmail: 'unverified@example.com', emailVerified: false });
  });
});
afterAll(() => shared[Symbol.asyncDispose]());

const unavailable = { status: 503, code: 'PROVIDER_UNAVAILABLE' };

describe('a valid token', () => {
  test('logs the linked user in with the level of a password', async () => {
    await using fixture = await start();
    const token = await logIn(fixture, await fixture.provider.token());
    expect(readClaims(token)).toMatchObject({ sub: alice.userId, client_id: appClientId });
    expect(readRoles(token)).toContain('AUTH-BASIC');
    expect(readRoles(token)).not.toContain('AUTH-MFA');
    expect(token.refreshToken).toBeUndefined();
  });

  test('returns a refresh token with remember-me', async () => {
    await using fixture = await start();
    const token = await logIn(fixture, await fixture.provider.token(), {}, { 'remember-me': true });
    expect(token).toMatchObject({ refreshToken: expect.any(String), expiresIn: '600' });
  });

  test.each(['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA'])('is accepted with a signature by %s', async (alg) => {
    await using fixture = await start();
    const key = await generateProviderKey('another', alg);
    fixture.provider.keys = [firstKey.publicJwk, key.publicJwk];
    await expect(logIn(fixture, await fixture.provider.token({}, { key }))).resolves.toBeDefined();
  });

  test('may have several audiences if azp names this server', async () => {
    await using fixture = await start();
    const aud = ['another', audience];
    await expectRejected(fixture, await fixture.provider.token({ aud }));
    await expectRejected(fixture, await fixture.provider.token({ aud, azp: 'another' }));
    await expectRejected(fixture, await fixture.provider.token({ azp: 'another' }));
    await expect(logIn(fixture, await fixture.provider.token({ aud, azp: audience }))).resolves.toBeDefined();
  });

  test('requires the nonce of the token and of the request to match, or neither', async () => {
    await using fixture = await start();
    const { provider } = fixture;
    await expectRejected(fixture, await provider.token({ nonce: 'one' }));
    await expectRejected(fixture, await provider.token({ nonce: 'one' }), { nonce: 'two' });
    await expectRejected(fixture, await provider.token(), { nonce: 'one' });
    await expectRejected(fixture, await provider.token({ nonce: 1 }), { nonce: '1' });
    await expect(logIn(fixture, await provider.token({ nonce: 'one' }), { nonce: 'one' })).resolves.toBeDefined();
  });
});

describe('a token is accepted once', () => {
  test('in sequence', async () => {
    await using fixture = await start();
    const token = await fixture.provider.token();
    await logIn(fixture, token);
    await expectRejected(fixture, token);
    fixture.server.clock.advance(299);
    await expectRejected(fixture, token);
  });

  test('in 100 concurrent requests', async () => {
    await using fixture = await start({ users: [alice] });
    const token = await fixture.provider.token(byEmail);
    const requests = await Promise.allSettled(Array.from({ length: 100 }, () => logIn(fixture, token)));
    expect(requests.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await fixture.server.appContext.store.sessions.count()).toBe(1);
    expect(fixture.provider.fetches).toBe(1);
  });

  test('also with another encoding of its signature', async () => {
    await using fixture = await start();
    const token = await fixture.provider.token();
    await logIn(fixture, token);
    const [header, payload, signature = ''] = token.split('.');
    const bytes = Buffer.from(signature, 'base64url');
    const order = BigInt('0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551');
    const s = order - BigInt(`0x${bytes.subarray(32).toString('hex')}`);
    const other = Buffer.concat([bytes.subarray(0, 32), Buffer.from(s.toString(16).padStart(64, '0'), 'hex')]);
    await expectRejected(fixture, `${header}.${payload}.${other.toString('base64url')}`);
  });

  test('and is deleted from the store when it expires', async () => {
    await using fixture = await start();
    for (let round = 0; round < 20; round += 1) {
      await logIn(fixture, await fixture.provider.token());
      fixture.server.clock.advance(301);
    }
    expect(await fixture.server.appContext.store.usedProofs.count()).toBeLessThan(5);
  });

  test('but is not consumed if its subject is unknown', async () => {
    await using fixture = await start();
    const token = await fixture.provider.token({ sub: 'unlinked subject' });
    await expectRejected(fixture, token, {}, unknown);
    await fixture.server.admin.userIdentities.addIdentity({
      params: { id: alice.userId },
      body: { identity: `${name}:unlinked subject` },
    });
    await expect(logIn(fixture, token)).resolves.toBeDefined();
  });
});

describe('the time', () => {
  test('is that of the server clock', async () => {
    await using fixture = await start();
    const token = await fixture.provider.token();
    fixture.server.clock.advance(300);
    await expectRejected(fixture, token);
  });

  test('may be up to one minute ahead at the provider', async () => {
    await using fixture = await start();
    const now = Math.floor(fixture.server.clock.now().getTime() / 1000);
    for (const claims of [{ nbf: now + 61 }, { iat: now + 61 }, { exp: now }, { exp: now - 1 }])
      await expectRejected(fixture, await fixture.provider.token(claims));
    const ahead = { nbf: now + 60, iat: now + 60 };
    await expect(logIn(fixture, await fixture.provider.token(ahead))).resolves.toBeDefined();
  });

  test.each<JWTPayload>([
    { exp: undefined as never },
    { iat: undefined as never },
    { exp: '9999999999' as never },
    { exp: -1 },
    { exp: 1e308 },
    { iat: 'now' as never },
    { nbf: '0' as never },
  ])('is rejected in %j', async (claims) => {
    await expectRejected(shared, await shared.provider.token(claims));
  });
});

describe('the claims', () => {
  test.each<JWTPayload>([
    { iss: 'https://other.example.com' },
    { iss: undefined as never },
    { aud: 'another' },
    { aud: [] },
    { aud: undefined as never },
    { sub: undefined as never },
    { sub: '' },
    { sub: 7 as never },
    { sub: 'subject-1\n' },
    { sub: 'x'.repeat(256) },
  ])('are rejected with %j', async (claims) => {
    await expectRejected(shared, await shared.provider.token(claims));
  });
});

test('rejects tokens of the provider with another purpose', async () => {
  await using fixture = await start();
  const { provider } = fixture;
  for (const typ of ['at+jwt', 'logout+jwt', 'application/at+jwt'])
    await expectRejected(fixture, await provider.token({}, { header: { typ } }));
  const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
  await expectRejected(fixture, await provider.token({ events }));
  await expect(logIn(fixture, await provider.token({}, { header: { typ: 'JWT' } }))).resolves.toBeDefined();
});

describe('the signature', () => {
  test('must be created with a key of the provider', async () => {
    await using fixture = await start();
    const stranger = await generateProviderKey('first');
    await expectRejected(fixture, await fixture.provider.token({}, { key: stranger }));
    await expectRejected(fixture, await fixture.provider.token({}, { key: await generateProviderKey('unknown') }));
  });

  test('must cover the claims', async () => {
    await using fixture = await start();
    const [header, , signature] = (await fixture.provider.token({ sub: 'other' })).split('.');
    const [, payload] = (await fixture.provider.token()).split('.');
    await expectRejected(fixture, `${header}.${payload}.${signature}`);
    await expectRejected(fixture, `${header}.${payload}.`);
    await expectRejected(fixture, 'no.token.atall');
    await expectRejected(fixture, 'nothing');
  });

  test('cannot be forged with public information', async () => {
    await using fixture = await start();
    const now = Math.floor(fixture.server.clock.now().getTime() / 1000);
    const claims = { iss: fixture.provider.issuer, aud: audience, sub: 'subject-1', iat: now, exp: now + 300 };
    await expectRejected(fixture, new UnsecuredJWT(claims).encode());
    const rsa = await generateProviderKey('rsa', 'RS256');
    const { alg: _, ...anyAlgorithm } = rsa.publicJwk;
    fixture.provider.keys = [anyAlgorithm];
    const key = createPublicKey({ key: rsa.publicJwk as never, format: 'jwk' });
    const secrets = [
      Buffer.from(key.export({ type: 'spki', format: 'pem' })),
      key.export({ type: 'spki', format: 'der' }),
      Buffer.from(JSON.stringify(anyAlgorithm)),
    ];
    for (const secret of secrets)
      await expectRejected(
        fixture,
        await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'rsa' }).sign(secret),
      );
    const shared = { kty: 'oct', kid: 'shared', k: Buffer.alloc(32, 1).toString('base64url') };
    fixture.provider.keys = [shared];
    fixture.server.clock.advance(31);
    await expectRejected(
      fixture,
      await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'shared' }).sign(Buffer.alloc(32, 1)),
    );
  });

  test('must be created with a published key, not with a key in the token', async () => {
    await using fixture = await start();
    await using stranger = await startOpenIdProvider(fixture.server.clock);
    const key = await generateProviderKey('own');
    stranger.keys = [key.publicJwk];
    for (const header of [{ jwk: key.publicJwk }, { jku: stranger.jwksUri }, { x5u: stranger.jwksUri }])
      await expectRejected(fixture, await fixture.provider.token({}, { key, header }));
    expect(stranger.fetches).toBe(0);
  });

  test('must not be created with a key of another use or algorithm', async () => {
    await using fixture = await start();
    fixture.provider.keys = [{ ...firstKey.publicJwk, use: 'enc' }];
    await expectRejected(fixture, await fixture.provider.token());
    fixture.server.clock.advance(31);
    fixture.provider.keys = [{ ...firstKey.publicJwk, alg: 'ES384' }];
    await expectRejected(fixture, await fixture.provider.token());
  });

  test('is rejected if the header has an unknown critical parameter', async () => {
    await using fixture = await start();
    const token = await fixture.provider.token();
    const [header = '', payload, signature] = token.split('.');
    const fields = JSON.parse(Buffer.from(header, 'base64url').toString()) as object;
    const tampered = Buffer.from(JSON.stringify({ ...fields, crit: ['new'], new: 1 })).toString('base64url');
    await expectRejected(fixture, `${tampered}.${payload}.${signature}`);
  });
});

describe('the keys', () => {
  test('are fetched once, and again after ten minutes', async () => {
    await using fixture = await start();
    for (const seconds of [0, 1, 300, 298]) {
      fixture.server.clock.advance(seconds);
      await logIn(fixture, await fixture.provider.token());
    }
    expect(fixture.provider.fetches).toBe(1);
    fixture.server.clock.advance(1);
    await logIn(fixture, await fixture.provider.token());
    expect(fixture.provider.fetches).toBe(2);
  });

  test('are fetched for an unknown key id', async () => {
    await using fixture = await start();
    await logIn(fixture, await fixture.provider.token());
    const key = await generateProviderKey('second');
    fixture.provider.keys = [firstKey.publicJwk, key.publicJwk];
    await expect(logIn(fixture, await fixture.provider.token({}, { key }))).resolves.toBeDefined();
    expect(fixture.provider.fetches).toBe(2);
  });

  test('are not fetched for each unknown key id, until a fetch brings a new key', async () => {
    await using fixture = await start();
    const { provider, server } = fixture;
    await logIn(fixture, await provider.token());
    const tokens = await Promise.all(
      Array.from({ length: 100 }, (_, at) => provider.token({}, { header: { kid: `unknown-${at}` } })),
    );
    const [token = ''] = tokens;
    await Promise.all(tokens.map((each) => catchClientError(logIn(fixture, each))));
    expect(provider.fetches).toBe(2);
    let fetches = 2;
    for (const pause of [1, 2, 4, 8, 16, 30, 30]) {
      server.clock.advance(pause - 1);
      await expectRejected(fixture, token);
      expect(provider.fetches).toBe(fetches);
      server.clock.advance(1);
      await expectRejected(fixture, token);
      fetches += 1;
      expect(provider.fetches).toBe(fetches);
    }
    server.clock.advance(30);
    const [second, third] = [await generateProviderKey('second'), await generateProviderKey('third')];
    for (const key of [second, third]) {
      provider.keys = [...provider.keys, key.publicJwk];
      await expect(logIn(fixture, await provider.token({}, { key }))).resolves.toBeDefined();
    }
  });

  test('may have no id, or the same: four are tried', async () => {
    await using fixture = await start();
    const { provider } = fixture;
    const keys = await Promise.all(Array.from({ length: 5 }, () => generateProviderKey('same')));
    const unnamed = keys.map(({ publicJwk: { kid: _, ...jwk } }) => jwk);
    let jti = 0;
    const send = async (at: number, kid: string | undefined) => {
      jti += 1;
      const [key = firstKey] = keys.slice(at);
      const header = kid === undefined ? { kid: undefined as never } : { kid };
      return logIn(fixture, await provider.token({ jti: `${jti}` }, { key, header }));
    };
    for (const [published, kid] of [
      [keys.map(({ publicJwk }) => publicJwk), 'same'],
      [keys.map(({ publicJwk }) => publicJwk), undefined],
      [unnamed, undefined],
      [unnamed, 'other'],
    ] as const) {
      provider.keys = published;
      fixture.server.clock.advance(600);
      for (const at of [0, 1, 3]) await expect(send(at, kid)).resolves.toBeDefined();
      await expect(catchClientError(send(4, kid))).resolves.toMatchObject(invalid);
    }
  });

  test('are found beside entries that are none, or of a kind that is not known', async () => {
    await using fixture = await start();
    const { provider } = fixture;
    const { publicJwk } = firstKey;
    const others = [null, 7, [], {}, { kty: 'new', kid: 'first' }, { ...publicJwk, kty: 'OKP' }, { kid: 7, kty: 'EC' }];
    provider.keys = [...(others as (typeof publicJwk)[]), { ...publicJwk, x: '!' }, publicJwk];
    await expect(logIn(fixture, await provider.token())).resolves.toBeDefined();
  });

  test('may have members that are null or not known, and a byte order mark', async () => {
    await using fixture = await start();
    const { provider } = fixture;
    const { publicJwk } = firstKey;
    let jti = 0;
    const send = async (keys: readonly object[], header: object = {}, claims: object = {}, start = '') => {
      jti += 1;
      fixture.server.clock.advance(600);
      provider.respond = (_, response) => response.end(`${start}${JSON.stringify({ keys, more: null })}`);
      return logIn(fixture, await provider.token({ jti: `${jti}`, ...claims }, { header }));
    };
    for (const members of [
      { use: null },
      { alg: null },
      { key_ops: null },
      { key_ops: [] },
      { key_ops: ['verify', 'sign'] },
      { d: null, ext: null, x5c: null, x5t: null, crv2: null },
      { ext: 'true', x5t: 7, 'vendor:use': ['enc'] },
      { kid: null },
    ])
      await expect(send([{ ...publicJwk, ...members }]), JSON.stringify(members)).resolves.toBeDefined();
    const pair = [(await generateProviderKey('other')).publicJwk, publicJwk];
    await expect(send(pair, { kid: null, typ: null })).resolves.toBeDefined();
    await expect(send(pair, {}, { nonce: null, azp: null, events: null })).resolves.toBeDefined();
    await expect(send(pair, {}, {}, '\ufeff')).resolves.toBeDefined();
    for (const members of [{ use: 'enc' }, { key_ops: ['encrypt'] }, { key_ops: 'encrypt' }, { alg: 'ES384' }])
      await expect(
        catchClientError(send([{ ...publicJwk, ...members }])),
        JSON.stringify(members),
      ).resolves.toMatchObject(invalid);
  });

  test('are rejected ten minutes after their removal', async () => {
    await using fixture = await start();
    await logIn(fixture, await fixture.provider.token());
    fixture.provider.keys = [];
    fixture.server.clock.advance(600);
    await expectRejected(fixture, await fixture.provider.token());
  });

  test('are rejected after their removal and a reset of the clock, as those that were fetched in the future', async () => {
    await using fixture = await start();
    const { clock } = fixture.server.appContext;
    const yearMs = 365 * 86_400_000;
    clock.advance(yearMs);
    const exp = clock.now().getTime() / 1000 + 300;
    const token = (kid: string) => fixture.provider.token({ exp, iat: exp - 300 }, { header: { kid } });
    await logIn(fixture, await token('first'));
    await expectRejected(fixture, await token('unknown'));
    clock.resetToStart();
    const key = await generateProviderKey('second');
    fixture.provider.keys = [key.publicJwk];
    await expect(logIn(fixture, await fixture.provider.token({}, { key }))).resolves.toBeDefined();
    await expectRejected(fixture, await fixture.provider.token());
  });

  test('are required: returns 503 while the provider is unavailable', async () => {
    await using fixture = await start();
    const token = await fixture.provider.token();
    await fixture.provider.close();
    await expectRejected(fixture, token, {}, unavailable);
    await expectRejected(fixture, 'nothing', {}, unavailable);
  });

  test('are fetched by the next request after a failure', async () => {
    await using fixture = await start();
    fixture.provider.respond = (_, response) => response.writeHead(500).end();
    const token = await fixture.provider.token();
    await expectRejected(fixture, token, {}, unavailable);
    fixture.provider.respond = undefined;
    await expect(logIn(fixture, token)).resolves.toBeDefined();
  });

  test('are cached for a day while the provider is unavailable', async () => {
    await using fixture = await start();
    await logIn(fixture, await fixture.provider.token());
    const created = await fixture.provider.token({}, { header: { kid: 'unknown' } });
    fixture.provider.respond = (_, response) => response.writeHead(500).end();
    await expectRejected(fixture, created, {}, unavailable);
    await expectRejected(fixture, created, {}, unavailable);
    expect(fixture.provider.fetches).toBe(2);
    fixture.server.clock.advance(23 * 3600);
    await logIn(fixture, await fixture.provider.token());
    await logIn(fixture, await fixture.provider.token({ jti: 'other' }));
    expect(fixture.provider.fetches).toBe(3);
    fixture.server.clock.advance(3600);
    await expectRejected(fixture, await fixture.provider.token(), {}, unavailable);
  });

  test('with repeated members are unavailable, as readers take different ones', async () => {
    await using fixture = await start();
    const { provider, server } = fixture;
    const key = JSON.stringify(firstKey.publicJwk);
    for (const text of [
      `{"keys":[],"keys":[${key}]}`,
      `{"keys":[${key}],"keys":[${key}]}`,
      `{"keys":[],"\\u006beys":[${key}]}`,
      `{"keys":[${key.replace('{', '{"kid":"other",')}]}`,
      `{"keys":[${key.replace('{', '{"x":"",')}]}`,
      `{"keys":[${key.replace('{', '{"more":{"a":1,"a":1},')}]}`,
    ]) {
      server.clock.advance(600);
      provider.respond = (_, response) => response.end(text);
      await expectRejected(fixture, await provider.token(), {}, unavailable);
    }
    server.clock.advance(600);
    provider.respond = (_, response) => response.end(`{"keys":[${key}]}`);
    await expect(logIn(fixture, await provider.token())).resolves.toBeDefined();
  });

  test.each<[string, NonNullable<OpenIdProvider['respond']>]>([
    ['an error status', (_, response) => response.writeHead(404).end('{"keys":[]}')],
    ['a redirect', (_, response) => response.writeHead(302, { location: '/keys' }).end()],
    ['a response that is not JSON', (_, response) => response.end('keys')],
    ['no keys', (_, response) => response.end('{"keys":7}')],
    [
      'a response that is too large',
      (_, response) => response.end(JSON.stringify({ keys: [], more: 'x'.repeat(300_000) })),
    ],
    ['a truncated response', (request, response) => response.write('{"keys":', () => request.destroy())],
    ['a timeout of the response', () => undefined],
    ['a timeout of the body', (_, response) => void response.write('{"keys":')],
  ])('are unavailable after %s', async (_, response) => {
    await using fixture = await start({}, { 'port-timeout': '200' });
    fixture.provider.respond = response;
    await expectRejected(fixture, await fixture.provider.token(), {}, unavailable);
  });
});

describe('the user', () => {
  test.each([true, 'true'])(
    'is found by its verified (%j) e-mail address once, and then by its link',
    async (verified) => {
      await using fixture = await start({ users: [{ ...alice, identities: ['other:subject-1'] }] });
      await logIn(fixture, await fixture.provider.token({ ...byEmail, email_verified: verified }));
      expect(await fixture.server.appContext.store.users.get(alice.userId)).toMatchObject({
        identities: ['other:subject-1', `${name}:new`],
      });
      expect(readClaims(await logIn(fixture, await fixture.provider.token({ sub: 'new' })))).toMatchObject({
        sub: alice.userId,
      });
    },
  );

  // At the provider, the address can belong to another person now.
  test('is not found by its e-mail address once it has a link to the provider', async () => {
    await using fixture = await start();
    await expectRejected(fixture, await fixture.provider.token(byEmail), {}, unknown);
  });

  test.each<[string, JWTPayload]>([
    ['the provider did not verify', { ...byEmail, email_verified: false }],
    ['has no email_verified claim', { ...byEmail, email_verified: undefined }],
    ...['false', 'TRUE', ' true', '1', '', 1, 0, null, [true], { value: true }].map(
      (verified): [string, JWTPayload] => [
        `has ${JSON.stringify(verified)} as email_verified`,
        { ...byEmail, email_verified: verified },
      ],
    ),
    ['is of another domain', { ...byEmail, email: 'alice@sub.example.com' }],
    ['is of a domain with the same ending', { ...byEmail, email: 'alice@notexample.com' }],
    ['is unknown', { ...byEmail, email: 'unknown@example.com' }],
    ['is the name of a user', { ...byEmail, email: 'named@example.com' }],
    ['is not verified', { ...byEmail, email: 'unverified@example.com' }],
    ['equals that of a user only after case folding', { ...byEmail, email: 'mi\u212Ae@example.com' }],
    ['has a local part in full width', { ...byEmail, email: 'ａｌｉｃｅ@example.com' }],
    ['is quoted', { ...byEmail, email: '"alice"@example.com' }],
    ['ends with a dot', { ...byEmail, email: 'alice@example.com.' }],
    ['has two domains', { ...byEmail, email: 'alice@evil.example@example.com' }],
    ['has an invisible character', { ...byEmail, email: 'ali\u00adce@example.com' }],
    ['is not a string', { ...byEmail, email: ['alice@example.com'] }],
  ])('is not found by an e-mail address that %s', async (_, claims) => {
    await expectRejected(shared, await shared.provider.token(claims), {}, unknown);
  });

  test.each(['ADMIN', 'IAM_ADMIN_READ_ONLY'])(
    'is not linked by an e-mail address with the role %s: same response as for an unknown user',
    async (role) => {
      const groups = [{ groupName: 'g', roles: [role], users: [alice.userId] }];
      await using fixture = await start({ users: [alice], groups });
      const token = await fixture.provider.token({ ...byEmail, sub: 'subject-1' });
      await expectRejected(fixture, token, {}, unknown);
      const link = { params: { id: alice.userId }, body: { identity: `${name}:subject-1` } };
      await fixture.server.admin.userIdentities.addIdentity(link);
      await logIn(fixture, token);
    },
  );

  test.each(['bücher.de', 'xn--bcher-kva.de', 'BÜCHER.DE', 'bu\u0308cher.de', 'bücher。de'])(
    'is found by every form of its address, for a provider of the domain %s',
    async (domain) => {
      const users = [{ ...alice, userEmail: 'jürgen@xn--bcher-kva.de' }];
      const clock = createFakeClock();
      await using provider = await startOpenIdProvider(clock);
      const { issuer, jwksUri } = provider;
      const row = { kind: 'oidc' as const, name, issuer, jwksUri, clientId: audience, emailDomains: [domain] };
      await using server = await startServer({ clock, seed: { users, providers: [row] } });
      const emails = [
        'jürgen@bücher.de',
        'JU\u0308RGEN@bücher.de',
        'jürgen@XN--bcher-kva.DE',
        'jürgen@bu\u0308cher。de',
      ];
      for (const [at, email] of emails.entries()) {
        const idToken = await provider.token({ sub: `s${at}`, jti: `t${at}`, email, email_verified: true });
        const query = { clientId: appClientId };
        const token = await server.as().userIdentities.loginFederated({ query, body: { provider: name, idToken } });
        expect(readClaims(token)).toMatchObject({ sub: alice.userId });
        const link = { id: alice.userId, identity: `${name}:s${at}` };
        await server.admin.userIdentities.removeIdentity({ params: link });
      }
    },
  );

  test('receives a notice of the new link at its verified e-mail address', async () => {
    await using fixture = await start({ users: [alice] });
    await logIn(fixture, await fixture.provider.token(byEmail));
    await logIn(fixture, await fixture.provider.token({ sub: 'new', jti: 'second' }));
    const messages = await fixture.server.appContext.store.messages.list();
    expect(messages).toMatchObject([{ to: alice.userEmail, purpose: 'login-changed' }]);
    expect(messages[0]?.text).toContain(`added to your account: ${name}:new.`);
  });

  test('is not found by a link that differs in case', async () => {
    await using fixture = await start({ users: [alice, holder] });
    for (const sub of ['SUBJECT-1', 'Subject-1'])
      for (const claims of [{ sub }, { ...byEmail, sub }])
        await expectRejected(fixture, await fixture.provider.token(claims), {}, unknown);
  });

  test('is not found by a link to another provider', async () => {
    await using other = await startOpenIdProvider(createFakeClock());
    const { issuer, jwksUri } = other;
    await using fixture = await start();
    await fixture.server.appContext.store.transaction((tx) =>
      tx.providers.insert({ kind: 'oidc', name: 'other', issuer, jwksUri, clientId: audience, emailDomains: [] }),
    );
    await expectRejected(fixture, await other.token(), { provider: 'other' }, unknown);
    await expectRejected(fixture, await other.token());
    await expectRejected(fixture, await fixture.provider.token(), { provider: 'other' });
  });

  test('is rejected while locked, by link and by e-mail address', async () => {
    const users = [alice, holder].map((user) => ({ ...user, locked: true }));
    await using fixture = await start({ users });
    await expectRejected(fixture, await fixture.provider.token());
    await expectRejected(fixture, await fixture.provider.token(byEmail));
  });
});

test.each(['lock', 'removal', 'changed link', 'change of the provider'])(
  'a %s during the request stops the login',
  async (event) => {
    await using fixture = await start();
    const { store, providers } = fixture.server.appContext;
    const { verifyIdToken: idToken } = providers;
    const meanwhile: typeof idToken = async (...args) => {
      const identity = await idToken(...args);
      if (event === 'lock') await fixture.server.admin.userIdentities.lock({ body: { userId: alice.userId } });
      if (event === 'removal') await fixture.server.admin.userIdentities.remove({ params: { id: alice.userId } });
      await store.transaction(async (tx) => {
        const user = await tx.users.get(alice.userId);
        if (event === 'changed link' && user) await tx.users.replace({ ...user, identities: [] });
        const provider = await tx.providers.get(name);
        if (event === 'change of the provider' && provider?.kind === 'oidc')
          await tx.providers.replace({ ...provider, clientId: 'another' });
      });
      return identity;
    };
    Object.assign(fixture.server.appContext, { providers: { ...providers, verifyIdToken: meanwhile } });
    const failure = await catchClientError(logIn(fixture, await fixture.provider.token()));
    expect(failure.status).toBe(event === 'removal' || event === 'changed link' ? 412 : 401);
    expect(await store.sessions.count()).toBe(0);
  },
);

describe('the provider', () => {
  test.each(['authority', 'Corp', 'constructor', '__proto__'])('%s does not exist', async (provider) => {
    await using fixture = await start();
    await expectRejected(
      fixture,
      await fixture.provider.token(),
      { provider },
      { status: 404, code: 'PROVIDER_NOT_FOUND' },
    );
  });
});

test('the reason for operators quotes the subject, which a shell must not run', async () => {
  const groups = [{ groupName: 'iam-administrators', users: [alice.userId] }];
  await using fixture = await start({ users: [alice], groups });
  const { requestId } = await catchClientError(
    logIn(fixture, await fixture.provider.token({ ...byEmail, sub: "x'; reboot" })),
  );
  const { body } = await send(fixture.server, `/_iam/requests/${requestId}/why`);
  expect(body).toMatchObject({ rule: expect.stringContaining("add-identity alice-id 'corp:x'\\''; reboot'") });
});
