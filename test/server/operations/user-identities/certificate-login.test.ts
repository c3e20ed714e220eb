import { constants, sign, X509Certificate } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { SeedDocument } from '../../../../src/server/seed/schema.ts';
import { isFullRun } from '../../../effort.ts';
import { appClientId, startServer, type TestServer } from '../../../harness.ts';
import {
  type CertificateOptions,
  createAuthority,
  createCertificate,
  der,
  generateKeyPairOnce,
  type TestCertificate,
} from '../../federation/certificates.ts';
import { catchClientError, sharedServer } from '../access.ts';
import { alice, readClaims, readRoles } from './login-fixtures.ts';

const root = createAuthority({ name: 'Root', key: 'ec' });
const leafOptions = { authority: false, keyUsage: [0], purposes: [2], emails: [alice.userEmail] } as const;
const leaf = createCertificate({ name: 'Alice', issuer: root, key: 'ec-other', ...leafOptions });
const rsaLeaf = createCertificate({ name: 'Alice with RSA', issuer: root, key: 'rsa', ...leafOptions });

/** Starts a server that trusts the root, with Alice, whose e-mail address is in the certificate. */
function start(seed: SeedDocument = {}): Promise<TestServer> {
  return startServer({
    seed: {
      users: [alice],
      providers: [{ kind: 'certificateAuthority', name: 'root', certificate: root.pem }],
      ...seed,
    },
  });
}

async function nonce(server: TestServer, clientId = appClientId): Promise<string> {
  return (await server.as().userIdentities.certificateToken({ query: { clientId } })).token;
}

function signature(text: string, { privateKey }: Pick<TestCertificate, 'privateKey'>): string {
  return sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64');
}

async function signNonce(
  server: TestServer,
  certificate: TestCertificate = leaf,
  chain: readonly TestCertificate[] = [],
) {
  const token = await nonce(server);
  return {
    token,
    certificate: certificate.pem,
    ...(chain.length === 0 ? {} : { chain: chain.map(({ pem }) => pem) }),
    signature: signature(token, certificate),
  };
}

type Body = Awaited<ReturnType<typeof signNonce>> & { algorithm?: 'RS256' | 'PS256' | 'ES256' };

function logIn(server: TestServer, body: Body, query: object = {}) {
  return server.as().userIdentities.certificateLogin({ query: { clientId: appClientId, ...query }, body });
}

/** Expects the error of an invalid credential and that only the nonce is consumed. */
async function expectRejected(server: TestServer, body: Body, query?: object): Promise<void> {
  const { tickets: _, ...before } = await server.dump();
  const failure = await catchClientError(logIn(server, body, query));
  expect({ status: failure.status, items: failure.items }).toEqual({
    status: 401,
    items: [{ code: 'PROOF_INVALID', message: 'The code, certificate or assertion is not valid or has expired.' }],
  });
  const { tickets: __, ...after } = await server.dump();
  expect(after).toEqual(before);
}

describe('a valid certificate and signature', () => {
  test('log the user with a verified e-mail address of the certificate in with MFA', async () => {
    await using server = await start();
    const token = await logIn(server, await signNonce(server));
    expect(readClaims(token)).toMatchObject({ sub: alice.userId, client_id: appClientId });
    expect(readRoles(token)).toEqual(expect.arrayContaining(['AUTH-BASIC', 'AUTH-IDENTIFIED', 'AUTH-MFA']));
    expect(token.refreshToken).toBeUndefined();
    expect(await server.appContext.store.tickets.count()).toBe(0);
  });

  test('return a refresh token with remember-me', async () => {
    await using server = await start();
    const token = await logIn(server, await signNonce(server), { 'remember-me': true });
    expect(token).toMatchObject({ refreshToken: expect.any(String), expiresIn: '600' });
  });

  const salted = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
  test.each([
    ['RS256, from the key type', rsaLeaf, undefined, {}],
    ['RS256', rsaLeaf, 'RS256', {}],
    ['PS256', rsaLeaf, 'PS256', salted],
    ['ES256, from the key type', leaf, undefined, { dsaEncoding: 'ieee-p1363' }],
    ['ES256', leaf, 'ES256', { dsaEncoding: 'ieee-p1363' }],
    ['ES256 in DER', leaf, 'ES256', { dsaEncoding: 'der' }],
  ] as const)('accept a signature with %s', async (_, certificate, algorithm, how) => {
    await using server = await start();
    const token = await nonce(server);
    const created = sign('sha256', Buffer.from(token), { key: certificate.privateKey, ...how }).toString('base64');
    const body = { token, certificate: certificate.pem, signature: created, ...(algorithm ? { algorithm } : {}) };
    await expect(logIn(server, body)).resolves.toMatchObject({ tokenType: 'Bearer' });
  });

  test('accept certificate and authorities as base64 of DER', async () => {
    const providers = [
      { kind: 'certificateAuthority', name: 'root', certificate: root.der.toString('base64') },
    ] as const;
    await using server = await start({ providers: [...providers] });
    const body = { ...(await signNonce(server)), certificate: leaf.der.toString('base64') };
    await expect(logIn(server, body)).resolves.toBeDefined();
  });
});

describe('the user', () => {
  const bare = createCertificate({ name: 'No address', issuer: root, key: 'ec-other', authority: false });

  test.each([bare.fingerprint, bare.fingerprint.toUpperCase()])('is found by a registered fingerprint', async (hex) => {
    await using server = await start({ users: [{ ...alice, certificates: [hex] }] });
    expect(readClaims(await logIn(server, await signNonce(server, bare)))).toMatchObject({ sub: alice.userId });
  });

  test('is found by a fingerprint that an administrator added', async () => {
    await using server = await start();
    await server.admin.userIdentities.addIdentity({
      params: { id: alice.userId },
      body: { identity: `x5t#S256:${bare.fingerprint}` },
    });
    expect(readClaims(await logIn(server, await signNonce(server, bare)))).toMatchObject({ sub: alice.userId });
  });

  test.each(['ADMIN', 'IAM_ADMIN_READ_ONLY'])('with %s is not found by an e-mail address', async (role) => {
    const groups = [{ groupName: 'g', roles: [role], users: [alice.userId] }];
    await using server = await start({ groups });
    await expectRejected(server, await signNonce(server));
    const id = alice.userId;
    await server.admin.userIdentities.addIdentity({
      params: { id },
      body: { identity: `x5t#S256:${leaf.fingerprint}` },
    });
    expect(readClaims(await logIn(server, await signNonce(server)))).toMatchObject({ sub: id });
  });

  test('with the fingerprint takes precedence over the one with the e-mail address', async () => {
    const bob = { userId: 'bob', userName: 'Bob', certificates: [leaf.fingerprint] };
    await using server = await start({ users: [alice, bob] });
    expect(readClaims(await logIn(server, await signNonce(server)))).toMatchObject({ sub: 'bob' });
  });

  test('is not found by a name that equals the fingerprint', async () => {
    await using server = await start({ users: [{ userId: 'x', userName: `x5t#S256:${bare.fingerprint}` }] });
    await expectRejected(server, await signNonce(server, bare));
  });

  test('is not found by an unverified e-mail address', async () => {
    await using server = await start();
    await server.appContext.store.transaction(async (tx) => {
      const user = await tx.users.get(alice.userId);
      if (user) await tx.users.replace({ ...user, emailVerified: false });
    });
    await expectRejected(server, await signNonce(server));
  });

  test('is not found by a user name or identifier that equals the address', async () => {
    await using server = await start({
      users: [{ userId: 'named', userName: 'a@example.org', identities: ['b@example.org'] }],
    });
    for (const email of ['a@example.org', 'b@example.org']) {
      const certificate = createCertificate({ issuer: root, ...leafOptions, emails: [email] });
      await expectRejected(server, await signNonce(server, certificate));
    }
  });

  test('is not found if addresses of the certificate belong to two users, or contain a NUL', async () => {
    await using server = await start({ users: [alice, { userId: 'bob', userEmail: 'bob@example.com' }] });
    for (const emails of [
      [alice.userEmail, 'bob@example.com'],
      [`${alice.userEmail}\0.example.org`],
      ['unknown@example.com'],
      [],
    ]) {
      const certificate = createCertificate({ issuer: root, ...leafOptions, emails });
      await expectRejected(server, await signNonce(server, certificate));
    }
  });

  test('is rejected while locked', async () => {
    await using server = await start({ users: [{ ...alice, locked: true }] });
    await expectRejected(server, await signNonce(server));
  });
});

describe('the nonce', () => {
  test('is consumed by a valid signature', async () => {
    await using server = await start();
    const body = await signNonce(server);
    await logIn(server, body);
    await expectRejected(server, body);
  });

  test('is consumed by an invalid signature', async () => {
    await using server = await start();
    const body = await signNonce(server);
    await expectRejected(server, { ...body, signature: signature('another text', leaf) });
    await expectRejected(server, body);
  });

  test('is accepted once in 100 concurrent requests', async () => {
    await using server = await start();
    const body = await signNonce(server);
    const requests = await Promise.allSettled(Array.from({ length: 100 }, () => logIn(server, body)));
    expect(requests.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await server.appContext.store.sessions.count()).toBe(1);
  });

  test('is valid for 120 seconds', async () => {
    await using server = await start();
    const [inTime, late] = [await signNonce(server), await signNonce(server)];
    server.clock.advance(119);
    await expect(logIn(server, inTime)).resolves.toBeDefined();
    server.clock.advance(1);
    await expectRejected(server, late);
  });

  test('is valid only for the client that requested it', async () => {
    await using server = await start();
    const { clientId } = await server.makeClient();
    await expectRejected(server, await signNonce(server), { clientId });
  });

  test('is rejected if it was issued for another purpose or forged', async () => {
    await using server = await start();
    for (const token of ['', 'forged', alice.userId])
      await expectRejected(server, { token, certificate: leaf.pem, signature: signature(token, leaf) });
  });
});

describe('the signature', () => {
  test('must be created with the key of the certificate over the text of the nonce', async () => {
    await using server = await start();
    const other = { privateKey: generateKeyPairOnce('ec').privateKey };
    for (const wrong of [
      (token: string) => signature(token, other),
      (token: string) => signature(`${token} `, leaf),
      (token: string) => signature(token, rsaLeaf),
      () => Buffer.alloc(64).toString('base64'),
      () => Buffer.alloc(72).toString('base64'),
      () => '',
      () => 'not base64!',
    ]) {
      const token = await nonce(server);
      await expectRejected(server, { token, certificate: leaf.pem, signature: wrong(token) });
    }
  });

  test('must use an algorithm of the key type', async () => {
    await using server = await start();
    for (const algorithm of ['RS256', 'PS256'] as const)
      await expectRejected(server, { ...(await signNonce(server)), algorithm });
    for (const algorithm of ['PS256', 'ES256'] as const)
      await expectRejected(server, { ...(await signNonce(server, rsaLeaf)), algorithm });
  });
});

describe('the path', () => {
  const middle = createAuthority({ name: 'Middle', issuer: root, key: 'ec-384' });
  const lower = createAuthority({ name: 'Lower', issuer: middle, key: 'rsa-other' });
  const below = (issuer: TestCertificate, more: CertificateOptions = {}) =>
    createCertificate({ name: 'Below', issuer, key: 'ec-other', ...leafOptions, ...more });

  test('may contain the sent authorities in any order, including the root', async () => {
    await using server = await start();
    const deep = below(lower);
    for (const chain of [
      [lower, middle],
      [middle, lower],
      [root, middle, lower, middle, rsaLeaf],
    ])
      await expect(logIn(server, await signNonce(server, deep, chain))).resolves.toBeDefined();
    for (const chain of [[], [lower], [middle]]) await expectRejected(server, await signNonce(server, deep, chain));
  });

  test('may end at an authority that is cross-certified by another', async () => {
    await using server = await start({
      providers: [{ kind: 'certificateAuthority', name: 'middle', certificate: middle.pem }],
    });
    await expect(logIn(server, await signNonce(server, below(middle)))).resolves.toBeDefined();
    await expectRejected(server, await signNonce(server, leaf));
  });

  test('is invalid once the authority is removed from the store', async () => {
    await using server = await start();
    const body = await signNonce(server);
    await server.appContext.store.transaction((tx) => tx.providers.delete('root'));
    await expectRejected(server, body);
  });

  test('is invalid if the certificates form a cycle', async () => {
    await using server = await start();
    const cycle = Array.from({ length: 5 }, () => createAuthority({ name: 'Circle', key: 'ec-384' }));
    const [first = root] = cycle;
    await expectRejected(server, await signNonce(server, below(first), cycle));
  });

  const stranger = createAuthority({ name: 'Root', key: 'ec-384' });
  const past = { from: '2020-01-01', until: '2026-03-01' };
  const future = { from: '2026-03-02' };
  const limited = createAuthority({ name: 'Limited', issuer: root, key: 'ec-384', pathLength: 0 });
  const beyond = createAuthority({ name: 'Beyond', issuer: limited, key: 'rsa-other' });
  const expired = createAuthority({ name: 'Expired', issuer: root, key: 'ec-384', ...past });
  const noAuthority = createAuthority({ name: 'No authority', issuer: root, key: 'ec-384', authority: false });
  const without = createCertificate({ name: 'Without', issuer: root, key: 'ec-384', keyUsage: [5] });
  const noSigner = createAuthority({ name: 'No signer', issuer: root, key: 'ec-384', keyUsage: [0] });
  const sha1Middle = createAuthority({ name: 'SHA-1', issuer: root, key: 'ec-384', hash: 'sha1' });
  const weakMiddle = createAuthority({ name: 'Weak', issuer: root, key: 'rsa-weak' });
  const constrained = createAuthority({
    name: 'Constrained',
    issuer: root,
    key: 'ec-384',
    extensions: [['2.5.29.30', false, der(0x30)]],
  });

  const shared = sharedServer(start);

  test.each<[string, TestCertificate, TestCertificate[]]>([
    ['of a self-signed leaf', createCertificate({ ...leafOptions, key: 'ec-other' }), []],
    ['to another authority of the same name', below(stranger), [stranger]],
    ['of a leaf signed by another key', below(root, { signedBy: generateKeyPairOnce('rsa').privateKey }), []],
    ['of an expired leaf', below(root, past), []],
    ['of a leaf that is not yet valid', below(root, future), []],
    [
      'of a leaf that is an authority',
      createAuthority({ issuer: root, key: 'ec-other', emails: [alice.userEmail] }),
      [],
    ],
    ['of a leaf without digitalSignature', below(root, { keyUsage: [2] }), []],
    ['of a leaf for server authentication', below(root, { purposes: [1] }), []],
    ['of a leaf with a SHA-1 signature', below(root, { hash: 'sha1' }), []],
    ['of a leaf with a weak key', below(root, { key: 'rsa-weak' }), []],
    ['of a leaf with a key on another curve', below(root, { key: 'ec-koblitz' }), []],
    ['of a leaf with an unknown critical extension', below(root, { extensions: [['1.2.3.4', true, der(0x30)]] }), []],
    ['of a leaf with a duplicate extension', below(root, { extensions: [['2.5.29.19', false, der(0x30)]] }), []],
    ['over more authorities than allowed', below(beyond), [beyond, limited]],
    ['over an expired authority', below(expired), [expired]],
    ['over a certificate that is not an authority', below(noAuthority), [noAuthority]],
    ['over a certificate without basic constraints', below(without), [without]],
    ['over a certificate of a person', below(leaf), [leaf]],
    ['over an authority that may not sign certificates', below(noSigner), [noSigner]],
    ['over an authority with a SHA-1 signature', below(sha1Middle), [sha1Middle]],
    ['over an authority with a weak key', below(weakMiddle), [weakMiddle]],
    ['over an authority with name constraints', below(constrained), [constrained]],
  ])('is rejected %s', async (_, certificate, chain) => {
    const server = shared();
    await expectRejected(server, await signNonce(server, certificate, chain));
  });

  test('is accepted up to the path length of an authority', async () => {
    await using server = await start();
    await expect(logIn(server, await signNonce(server, below(limited), [limited]))).resolves.toBeDefined();
  });

  test.each<[string, CertificateOptions]>([
    ['has expired', past],
    ['is not yet valid', future],
    ['is not an authority', { authority: false }],
    ['may not sign certificates', { keyUsage: [0] }],
  ])('is rejected if the trusted authority %s', async (_, more) => {
    const wrong = createAuthority({ name: 'Wrong', key: 'ec', ...more });
    await using server = await start({
      providers: [{ kind: 'certificateAuthority', name: 'wrong', certificate: wrong.pem }],
    });
    await expectRejected(server, await signNonce(server, below(wrong)));
  });

  test('is validated at the time of the server clock', async () => {
    await using server = await start();
    server.clock.advance(10 * 365 * 86_400);
    await expectRejected(server, await signNonce(server));
  });
});

test('rejects a trusted authority as the certificate of a user', async () => {
  await using server = await start();
  await expectRejected(server, await signNonce(server, root));
});

describe('an invalid certificate', () => {
  test('is always rejected with the same error', async () => {
    await using server = await start();
    const twice = leaf.pem + leaf.pem;
    const longer = Buffer.concat([leaf.der, root.der]).toString('base64');
    for (const certificate of ['', 'nothing', '-----BEGIN CERTIFICATE-----', twice, longer]) {
      await expectRejected(server, { ...(await signNonce(server)), certificate });
      await expectRejected(server, { ...(await signNonce(server)), chain: [certificate] });
    }
  });

  test('is rejected for any bytes', async () => {
    await using server = await start();
    for (let at = 0; at < leaf.der.length; at += isFullRun ? 7 : 61) {
      const tampered = Buffer.from(leaf.der);
      tampered.writeUInt8(tampered.readUInt8(at) ^ 0xff, at);
      await expectRejected(server, { ...(await signNonce(server)), certificate: tampered.toString('base64') });
    }
  });
});

describe('between the steps', () => {
  test.each(['lock', 'removal', 'new e-mail', 'removal of the authority'])('a %s stops the login', async (event) => {
    await using server = await start();
    const { store, providers } = server.appContext;
    const { verifyCertificate: certificate } = providers;
    Object.assign(server.appContext, {
      providers: {
        ...providers,
        verifyCertificate: async (request: Parameters<typeof certificate>[0]) => {
          const authenticated = await certificate(request);
          if (event === 'lock') await server.admin.userIdentities.lock({ body: { userId: alice.userId } });
          if (event === 'removal') await server.admin.userIdentities.remove({ params: { id: alice.userId } });
          await store.transaction(async (tx) => {
            const user = await tx.users.get(alice.userId);
            if (event === 'new e-mail' && user) await tx.users.replace({ ...user, userEmail: 'other@example.com' });
            if (event === 'removal of the authority') await tx.providers.delete('root');
          });
          return authenticated;
        },
      },
    });
    const failure = await catchClientError(logIn(server, await signNonce(server)));
    expect(failure).toMatchObject({ status: 401, code: 'PROOF_INVALID' });
    expect(await store.sessions.count()).toBe(0);
  });
});

test('the test certificates have the expected properties', () => {
  const parsed = new X509Certificate(leaf.der);
  expect(parsed.checkIssued(new X509Certificate(root.der))).toBe(true);
  expect(new X509Certificate(root.der).ca).toBe(true);
  expect(parsed.ca).toBe(false);
});
