import { constants, sign, X509Certificate } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { SeedDocument } from '../../../../src/server/seed/schema.ts';
import { appClientId, startServer, type TestServer } from '../../../harness.ts';
import {
  type CertificateOptions,
  createAuthority,
  createCertificate,
  der,
  generateKeyPairOnce,
  type TestCertificate,
} from '../../integrations/providers/certificates.ts';
import { catchClientError } from '../access.ts';
import { alice, postJson, readClaims, readRoles } from './login-fixtures.ts';

const root = createAuthority({ name: 'Root', key: 'ec' });
const leafOptions = { authority: false, keyUsage: [0], purposes: [2], emails: [alice.userEmail] } as const;
const leaf = createCertificate({ name: 'Alice', issuer: root, key: 'ec-other', ...leafOptions });
const rsaLeaf = createCertificate({ name: 'Alice by RSA', issuer: root, key: 'rsa', ...leafOptions });

/** A server that trusts the root, with Alice, who is found by her e-mail. */
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

async function signProof(
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

type Body = Awaited<ReturnType<typeof signProof>> & { algorithm?: 'RS256' | 'PS256' | 'ES256' };

function logIn(server: TestServer, body: Body, query: object = {}) {
  return server.as().userIdentities.certificateLogin({ query: { clientId: appClientId, ...query }, body });
}

/** The call is refused as every wrong proof is, and nothing but the nonce is gone. */
async function expectRefused(server: TestServer, body: Body, query?: object): Promise<void> {
  const { tickets: _, ...before } = await server.dump();
  const failure = await catchClientError(logIn(server, body, query));
  expect({ status: failure.status, items: failure.items }).toEqual({
    status: 401,
    items: [{ code: 'PROOF_INVALID', message: 'The code, certificate or assertion is not valid or has expired.' }],
  });
  const { tickets: __, ...after } = await server.dump();
  expect(after).toEqual(before);
}

describe('a right proof', () => {
  test('logs the user in with a second proof, whom a verified e-mail of the certificate names', async () => {
    await using server = await start();
    const token = await logIn(server, await signProof(server));
    expect(readClaims(token)).toMatchObject({ sub: alice.userId, client_id: appClientId });
    expect(readRoles(token)).toEqual(expect.arrayContaining(['AUTH-BASIC', 'AUTH-IDENTIFIED', 'AUTH-MFA']));
    expect(token.refreshToken).toBeUndefined();
    expect(await server.appContext.store.tickets.count()).toBe(0);
  });

  test('gives a refresh token to who wants to be remembered', async () => {
    await using server = await start();
    const token = await logIn(server, await signProof(server), { 'remember-me': true });
    expect(token).toMatchObject({ refreshToken: expect.any(String), expiresIn: '600' });
  });

  const salted = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
  test.each([
    ['RS256, since the key is so', rsaLeaf, undefined, {}],
    ['RS256', rsaLeaf, 'RS256', {}],
    ['PS256', rsaLeaf, 'PS256', salted],
    ['ES256, since the key is so', leaf, undefined, { dsaEncoding: 'ieee-p1363' }],
    ['ES256', leaf, 'ES256', { dsaEncoding: 'ieee-p1363' }],
    ['ES256 in DER', leaf, 'ES256', { dsaEncoding: 'der' }],
  ] as const)('may be signed by %s', async (_, certificate, algorithm, how) => {
    await using server = await start();
    const token = await nonce(server);
    const made = sign('sha256', Buffer.from(token), { key: certificate.privateKey, ...how }).toString('base64');
    const body = { token, certificate: certificate.pem, signature: made, ...(algorithm ? { algorithm } : {}) };
    await expect(logIn(server, body)).resolves.toMatchObject({ tokenType: 'Bearer' });
  });

  test('may hold certificate and authority in base64 of DER', async () => {
    const providers = [
      { kind: 'certificateAuthority', name: 'root', certificate: root.der.toString('base64') },
    ] as const;
    await using server = await start({ providers: [...providers] });
    const body = { ...(await signProof(server)), certificate: leaf.der.toString('base64') };
    await expect(logIn(server, body)).resolves.toBeDefined();
  });
});

describe('the user', () => {
  const bare = createCertificate({ name: 'No address', issuer: root, key: 'ec-other', authority: false });

  test.each([bare.fingerprint, bare.fingerprint.toUpperCase()])('is found by a registered fingerprint', async (hex) => {
    await using server = await start({ users: [{ ...alice, certificates: [hex] }] });
    expect(readClaims(await logIn(server, await signProof(server, bare)))).toMatchObject({ sub: alice.userId });
  });

  test('is found by a fingerprint that an administrator added', async () => {
    await using server = await start();
    await server.admin.userIdentities.addIdentity({
      params: { id: alice.userId },
      body: { identity: `x5t#S256:${bare.fingerprint}` },
    });
    expect(readClaims(await logIn(server, await signProof(server, bare)))).toMatchObject({ sub: alice.userId });
  });

  test.each(['ADMIN', 'IAM_ADMIN_READ_ONLY'])('who holds %s is not found by an e-mail', async (role) => {
    const groups = [{ groupName: 'g', roles: [role], users: [alice.userId] }];
    await using server = await start({ groups });
    await expectRefused(server, await signProof(server));
    const id = alice.userId;
    await server.admin.userIdentities.addIdentity({
      params: { id },
      body: { identity: `x5t#S256:${leaf.fingerprint}` },
    });
    expect(readClaims(await logIn(server, await signProof(server)))).toMatchObject({ sub: id });
  });

  test('of the fingerprint comes before that of the e-mail', async () => {
    const bob = { userId: 'bob', userName: 'Bob', certificates: [leaf.fingerprint] };
    await using server = await start({ users: [alice, bob] });
    expect(readClaims(await logIn(server, await signProof(server)))).toMatchObject({ sub: 'bob' });
  });

  test('is not the one whose name reads like the fingerprint', async () => {
    await using server = await start({ users: [{ userId: 'x', userName: `x5t#S256:${bare.fingerprint}` }] });
    await expectRefused(server, await signProof(server, bare));
  });

  test('is not the one whose e-mail nobody proved', async () => {
    await using server = await start();
    await server.appContext.store.transaction(async (tx) => {
      const user = await tx.users.get(alice.userId);
      if (user) await tx.users.replace({ ...user, emailVerified: false });
    });
    await expectRefused(server, await signProof(server));
  });

  test('is not the one whose user name or identifier is the address', async () => {
    await using server = await start({
      users: [{ userId: 'named', userName: 'a@example.org', identities: ['b@example.org'] }],
    });
    for (const email of ['a@example.org', 'b@example.org']) {
      const certificate = createCertificate({ issuer: root, ...leafOptions, emails: [email] });
      await expectRefused(server, await signProof(server, certificate));
    }
  });

  test('is nobody where two users have addresses of the certificate, or an address goes on after its end', async () => {
    await using server = await start({ users: [alice, { userId: 'bob', userEmail: 'bob@example.com' }] });
    for (const emails of [
      [alice.userEmail, 'bob@example.com'],
      [`${alice.userEmail}\0.example.org`],
      ['nobody@example.com'],
      [],
    ]) {
      const certificate = createCertificate({ issuer: root, ...leafOptions, emails });
      await expectRefused(server, await signProof(server, certificate));
    }
  });

  test('is refused while locked', async () => {
    await using server = await start({ users: [{ ...alice, locked: true }] });
    await expectRefused(server, await signProof(server));
  });
});

describe('the nonce', () => {
  test('is used up by a right proof', async () => {
    await using server = await start();
    const body = await signProof(server);
    await logIn(server, body);
    await expectRefused(server, body);
  });

  test('is used up by a wrong one', async () => {
    await using server = await start();
    const body = await signProof(server);
    await expectRefused(server, { ...body, signature: signature('another text', leaf) });
    await expectRefused(server, body);
  });

  test('counts once among 100 calls at once', async () => {
    await using server = await start();
    const body = await signProof(server);
    const calls = await Promise.allSettled(Array.from({ length: 100 }, () => logIn(server, body)));
    expect(calls.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await server.appContext.store.sessions.count()).toBe(1);
  });

  test('is good for 120 seconds', async () => {
    await using server = await start();
    const [inTime, late] = [await signProof(server), await signProof(server)];
    server.clock.advance(119);
    await expect(logIn(server, inTime)).resolves.toBeDefined();
    server.clock.advance(1);
    await expectRefused(server, late);
  });

  test('belongs to the client that asked for it', async () => {
    await using server = await start();
    const { clientId } = await server.makeClient();
    await expectRefused(server, await signProof(server), { clientId });
  });

  test('is none that was made for something else, or by somebody else', async () => {
    await using server = await start();
    for (const token of ['', 'made up', alice.userId])
      await expectRefused(server, { token, certificate: leaf.pem, signature: signature(token, leaf) });
  });
});

describe('the signature', () => {
  test('is by the key of the certificate, over the text of the nonce', async () => {
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
      await expectRefused(server, { token, certificate: leaf.pem, signature: wrong(token) });
    }
  });

  test('is by an algorithm that the key is for', async () => {
    await using server = await start();
    for (const algorithm of ['RS256', 'PS256'] as const)
      await expectRefused(server, { ...(await signProof(server)), algorithm });
    for (const algorithm of ['PS256', 'ES256'] as const)
      await expectRefused(server, { ...(await signProof(server, rsaLeaf)), algorithm });
  });
});

describe('the path', () => {
  const middle = createAuthority({ name: 'Middle', issuer: root, key: 'ec-384' });
  const lower = createAuthority({ name: 'Lower', issuer: middle, key: 'rsa-other' });
  const below = (issuer: TestCertificate, more: CertificateOptions = {}) =>
    createCertificate({ name: 'Below', issuer, key: 'ec-other', ...leafOptions, ...more });

  test('may go over authorities that are sent along, in any order, the root among them', async () => {
    await using server = await start();
    const deep = below(lower);
    for (const chain of [
      [lower, middle],
      [middle, lower],
      [root, middle, lower, middle, rsaLeaf],
    ])
      await expect(logIn(server, await signProof(server, deep, chain))).resolves.toBeDefined();
    for (const chain of [[], [lower], [middle]]) await expectRefused(server, await signProof(server, deep, chain));
  });

  test('may end at an authority that another one certified', async () => {
    await using server = await start({
      providers: [{ kind: 'certificateAuthority', name: 'middle', certificate: middle.pem }],
    });
    await expect(logIn(server, await signProof(server, below(middle)))).resolves.toBeDefined();
    await expectRefused(server, await signProof(server, leaf));
  });

  test('is no longer one when the authority was taken out of the store', async () => {
    await using server = await start();
    const body = await signProof(server);
    await server.appContext.store.transaction((tx) => tx.providers.delete('root'));
    await expectRefused(server, body);
  });

  test('in circles leads nowhere', async () => {
    await using server = await start();
    const circle = Array.from({ length: 5 }, () => createAuthority({ name: 'Circle', key: 'ec-384' }));
    const [first = root] = circle;
    await expectRefused(server, await signProof(server, below(first), circle));
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

  test.each<[string, TestCertificate, TestCertificate[]]>([
    ['of a leaf that signed itself', createCertificate({ ...leafOptions, key: 'ec-other' }), []],
    ['to another authority of the same name', below(stranger), [stranger]],
    ['of a leaf that another key signed', below(root, { signedBy: generateKeyPairOnce('rsa').privateKey }), []],
    ['of a leaf that is over', below(root, past), []],
    ['of a leaf that has not begun', below(root, future), []],
    [
      'of a leaf that is an authority',
      createAuthority({ issuer: root, key: 'ec-other', emails: [alice.userEmail] }),
      [],
    ],
    ['of a leaf that may not sign', below(root, { keyUsage: [2] }), []],
    ['of a leaf that is for servers', below(root, { purposes: [1] }), []],
    ['of a leaf with a signature by SHA-1', below(root, { hash: 'sha1' }), []],
    ['of a leaf with a weak key', below(root, { key: 'rsa-weak' }), []],
    ['of a leaf with a key by another curve', below(root, { key: 'ec-koblitz' }), []],
    [
      'of a leaf with a critical rule that nobody knows',
      below(root, { extensions: [['1.2.3.4', true, der(0x30)]] }),
      [],
    ],
    ['of a leaf with a rule twice', below(root, { extensions: [['2.5.29.19', false, der(0x30)]] }), []],
    ['over more authorities than allowed', below(beyond), [beyond, limited]],
    ['over an authority that is over', below(expired), [expired]],
    ['over a certificate that is no authority', below(noAuthority), [noAuthority]],
    ['over a certificate that does not say that it is one', below(without), [without]],
    ['over a certificate of a person', below(leaf), [leaf]],
    ['over an authority that may not sign certificates', below(noSigner), [noSigner]],
    ['over an authority with a signature by SHA-1', below(sha1Middle), [sha1Middle]],
    ['over an authority with a weak key', below(weakMiddle), [weakMiddle]],
    ['over an authority with constraints on names', below(constrained), [constrained]],
  ])('is refused %s', async (_, certificate, chain) => {
    await using server = await start();
    await expectRefused(server, await signProof(server, certificate, chain));
  });

  test('up to the length that an authority allows is taken', async () => {
    await using server = await start();
    await expect(logIn(server, await signProof(server, below(limited), [limited]))).resolves.toBeDefined();
  });

  test.each<[string, CertificateOptions]>([
    ['is over', past],
    ['has not begun', future],
    ['is no authority', { authority: false }],
    ['may not sign certificates', { keyUsage: [0] }],
  ])('is refused to a trusted authority that %s', async (_, more) => {
    const wrong = createAuthority({ name: 'Wrong', key: 'ec', ...more });
    await using server = await start({
      providers: [{ kind: 'certificateAuthority', name: 'wrong', certificate: wrong.pem }],
    });
    await expectRefused(server, await signProof(server, below(wrong)));
  });

  test('goes by the clock of the server', async () => {
    await using server = await start();
    server.clock.advance(10 * 365 * 86_400);
    await expectRefused(server, await signProof(server));
  });
});

test('a trusted authority logs nobody in by itself', async () => {
  await using server = await start();
  await expectRefused(server, await signProof(server, root));
});

describe('what is no certificate', () => {
  test('is refused alike', async () => {
    await using server = await start();
    const twice = leaf.pem + leaf.pem;
    const longer = Buffer.concat([leaf.der, root.der]).toString('base64');
    for (const certificate of ['', 'nothing', '-----BEGIN CERTIFICATE-----', twice, longer]) {
      await expectRefused(server, { ...(await signProof(server)), certificate });
      await expectRefused(server, { ...(await signProof(server)), chain: [certificate] });
    }
  });

  test('is refused whatever bytes it is made of', async () => {
    await using server = await start();
    for (let at = 0; at < leaf.der.length; at += 7) {
      const spoilt = Buffer.from(leaf.der);
      spoilt.writeUInt8(spoilt.readUInt8(at) ^ 0xff, at);
      await expectRefused(server, { ...(await signProof(server)), certificate: spoilt.toString('base64') });
    }
  });
});

describe('between the steps', () => {
  test.each(['lock', 'removal', 'other e-mail', 'authority gone'])('a %s stops the login', async (event) => {
    await using server = await start();
    const { store, providers } = server.appContext;
    const { verifyCertificate: certificate } = providers;
    Object.assign(server.appContext, {
      providers: {
        ...providers,
        verifyCertificate: async (proof: Parameters<typeof certificate>[0]) => {
          const proven = await certificate(proof);
          if (event === 'lock') await server.admin.userIdentities.lock({ body: { userId: alice.userId } });
          if (event === 'removal') await server.admin.userIdentities.remove({ params: { id: alice.userId } });
          await store.transaction(async (tx) => {
            const user = await tx.users.get(alice.userId);
            if (event === 'other e-mail' && user) await tx.users.replace({ ...user, userEmail: 'other@example.com' });
            if (event === 'authority gone') await tx.providers.delete('root');
          });
          return proven;
        },
      },
    });
    const failure = await catchClientError(logIn(server, await signProof(server)));
    expect(failure).toMatchObject({ status: 401, code: 'PROOF_INVALID' });
    expect(await store.sessions.count()).toBe(0);
  });
});

describe('the call', () => {
  const path = `/user-identities/digital-certificate/login?clientId=${appClientId}`;

  test('is refused as malformed without what it needs, or with more, and uses no nonce up', async () => {
    await using server = await start();
    const body = await signProof(server);
    const { token: _, ...without } = body;
    for (const wrong of [
      {},
      without,
      { ...body, more: 1 },
      { ...body, certificate: 7 },
      { ...body, chain: leaf.pem },
      { ...body, chain: Array.from({ length: 6 }, () => root.pem) },
      { ...body, certificate: 'x'.repeat(16_001) },
      { ...body, algorithm: 'none' },
      { ...body, algorithm: 'HS256' },
    ])
      expect(await postJson(server, path, wrong), JSON.stringify(wrong).slice(0, 80)).toMatchObject({ status: 400 });
    await expect(logIn(server, body)).resolves.toBeDefined();
  });

  test('is refused as nobody, as a client of a third party, and while the store takes no writes', async () => {
    await using server = await start();
    const body = await signProof(server);
    const { clientId } = await server.makeClient({ party: '3RDPARTY' });
    const call = (query: { clientId?: string }) =>
      catchClientError(server.as().userIdentities.certificateLogin({ query, body }));
    expect(await call({})).toMatchObject({ status: 401, code: 'CREDENTIALS_MISSING' });
    expect(await call({ clientId: 'unknown' })).toMatchObject({ status: 401, code: 'CREDENTIALS_INVALID' });
    expect(await call({ clientId })).toMatchObject({ status: 401, code: 'ROLE_MISSING' });
    server.stopWrites();
    expect(await call({ clientId: appClientId })).toMatchObject({ status: 503, code: 'STORE_UNAVAILABLE' });
  });
});

test('the certificates of these tests are what they are meant to be', () => {
  const parsed = new X509Certificate(leaf.der);
  expect(parsed.checkIssued(new X509Certificate(root.der))).toBe(true);
  expect(new X509Certificate(root.der).ca).toBe(true);
  expect(parsed.ca).toBe(false);
});
