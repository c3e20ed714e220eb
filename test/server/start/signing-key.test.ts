/** The settings signing-key and issuer: the same keys and issuer for every store, so that verifiers can be configured before the start. */
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { calculateJwkThumbprint, createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readSettings, SettingError } from '../../../src/server/config/settings.ts';
import { collectStartWarnings } from '../../../src/server/start-warnings.ts';
import { openMemoryStore } from '../../../src/server/store/memory/memory-store.ts';
import type { Store } from '../../../src/server/store/store.ts';
import { readSigningKeyFile } from '../../../src/server/tokens/signing-key-file.ts';
import { freePort } from '../../../src/testcontainers/free-port.ts';
import { startServer, type TestServer } from '../../harness.ts';
import { exportState, importState } from '../control/routes/state/state-client.ts';
import { clientToken, isAccepted, startOAuth } from '../oauth/oauth-requests.ts';
import { issueForClient } from '../tokens/issue-token.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'iam-signing-key-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const otherEc = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' });
const ed25519 = generateKeyPairSync('ed25519');
const rsa = generateKeyPairSync('rsa', { modulusLength: 3072 });
const shortRsa = generateKeyPairSync('rsa', { modulusLength: 2048 });

const pem = ({ privateKey }: { privateKey: KeyObject }, type: 'pkcs8' | 'sec1' = 'pkcs8') =>
  String(privateKey.export({ type, format: 'pem' }));
const jwk = ({ privateKey }: { privateKey: KeyObject }) => privateKey.export({ format: 'jwk' });

/** Writes a file that only its owner can read, and returns its path. */
async function fileOf(content: string | object, mode = 0o600): Promise<string> {
  const file = path.join(folder, crypto.randomUUID());
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content), { mode });
  await chmod(file, mode);
  return file;
}

async function keySet({ url }: { url: string }): Promise<JSONWebKeySet> {
  return (await (await fetch(`${url}/.well-known/jwks.json`)).json()) as JSONWebKeySet;
}

const kidsOf = ({ keys }: JSONWebKeySet) => keys.map(({ kid }) => kid);

/** A store that several servers use one after the other. */
function reusable(store: Store): () => Promise<Store> {
  return async () => ({ ...store, close: async () => {} });
}

describe('a signing key from a file', () => {
  const keys: [string, string, string | object, { publicKey: KeyObject }][] = [
    ['PEM (PKCS #8)', 'ES256', pem(ec), ec],
    ['PEM (SEC 1)', 'ES256', pem(ec, 'sec1'), ec],
    ['JWK', 'ES256', { ...jwk(ec), kid: 'another-id', use: 'sig', alg: 'ES256' }, ec],
    ['JWK Set', 'ES256', { keys: [jwk(ec)] }, ec],
    ['PEM', 'EdDSA', pem(ed25519), ed25519],
    ['JWK', 'EdDSA', jwk(ed25519), ed25519],
    ['PEM', 'RS256', pem(rsa), rsa],
    ['JWK', 'RS512', jwk(rsa), rsa],
    ['PEM', 'PS256', pem(rsa), rsa],
  ];
  test.each(keys)('as %s signs with %s; fresh stores publish the same key', async (_format, alg, content, pair) => {
    const flags = { 'signing-key': await fileOf(content), 'signing-alg': alg };
    await using first = await startOAuth({ flags });
    await using second = await startOAuth({ flags });
    const published = await keySet(first);
    expect(await keySet(second)).toEqual(published);
    const publicJwk = pair.publicKey.export({ format: 'jwk' });
    const kid = `iam-standin-${await calculateJwkThumbprint(publicJwk as never)}`;
    expect(published).toEqual({ keys: [{ ...publicJwk, kid, alg, use: 'sig' }] });
    const token = await clientToken(second, 'web');
    const options = { issuer: second.url, currentDate: second.clock.now() };
    const { protectedHeader } = await jwtVerify(token, createLocalJWKSet(published), options);
    expect(protectedHeader).toEqual({ alg, kid, typ: 'at+jwt' });
    expect(await isAccepted(second, token)).toBe(true);
  });

  test('is not a key of sandboxes, whose tokens the server does not accept', async () => {
    await using server = await startOAuth({ flags: { 'signing-key': await fileOf(pem(ec)) } });
    const sandbox = { ...server, url: `${server.url}/s/one` };
    const [own, shared] = [kidsOf(await keySet(sandbox)), kidsOf(await keySet(server))];
    expect([own.length, shared.length, own[0] === shared[0]]).toEqual([1, 1, false]);
    expect(await isAccepted(server, await clientToken(sandbox, 'web'))).toBe(false);
  });

  test('replaces the key of an existing store, whose tokens stay valid; later starts keep it', async () => {
    const store = openMemoryStore();
    const start = (flags: Record<string, string>) =>
      startOAuth({ flags: { 'base-url': 'https://iam.example', ...flags }, openStore: reusable(store) });
    const kids: (string | undefined)[][] = [];
    const accepted = async (server: TestServer, token: string) =>
      (await server.appContext.verifier.verify(token)) !== undefined;
    let token = '';
    {
      await using server = await start({});
      const client = await store.clients.get('web');
      if (client) token = (await issueForClient(server.appContext, client)).accessToken;
      kids.push(server.appContext.keys.publicKeys().map(({ kid }) => kid));
    }
    const file = await fileOf(pem(ec));
    for (const flags of [{ 'signing-key': file }, { 'signing-key': file }, {}]) {
      await using server = await start(flags);
      expect(await accepted(server, token)).toBe(true);
      kids.push(server.appContext.keys.publicKeys().map(({ kid }) => kid));
    }
    const [[generated] = [], ...later] = kids;
    const configured = `iam-standin-${await calculateJwkThumbprint(ec.publicKey.export({ format: 'jwk' }) as never)}`;
    expect(later).toEqual([
      [configured, generated],
      [configured, generated],
      [configured, generated],
    ]);
  });

  test('is rotated to a generated key, and signs again after the next start', async () => {
    const openStore = reusable(openMemoryStore());
    const port = String(await freePort());
    const flags = { 'signing-key': await fileOf(pem(ec)), port };
    let [configured, rotated, token]: (string | undefined)[] = [];
    {
      await using server = await startOAuth({ flags, openStore });
      [configured] = kidsOf(await keySet(server));
      await server.as().raw('POST', '/_iam/keys/rotate');
      [rotated] = kidsOf(await keySet(server));
      expect(rotated).not.toBe(configured);
      token = await clientToken(server, 'web');
    }
    await using server = await startOAuth({ flags, openStore });
    expect(kidsOf(await keySet(server))).toEqual([configured, rotated]);
    expect(await isAccepted(server, token)).toBe(true);
    expect(await isAccepted(server, await clientToken(server, 'web'))).toBe(true);
    server.clock.advance(2 * 86_400);
    expect(kidsOf(await keySet(server))).toEqual([configured]);
  });

  test('stays current after an import of another state', async () => {
    await using other = await startServer();
    await using server = await startServer({ flags: { 'signing-key': await fileOf(pem(ec)) } });
    const [configured] = kidsOf(await keySet(server));
    expect(await importState(server, await exportState(other))).toMatchObject({ status: 204 });
    expect(await keySet(server)).toMatchObject({ keys: [{ kid: configured }, {}] });
  });

  test('is never part of a response or a log', async () => {
    await using server = await startOAuth({ flags: { 'signing-key': await fileOf(pem(ec)) } });
    const { d = '' } = jwk(ec);
    const settings = await fetch(`${server.url}/_iam/settings`);
    expect(JSON.stringify([await settings.text(), await keySet(server), server.log])).not.toContain(d);
  });
});

test.skipIf(process.platform === 'win32').each([
  [0o600, 0],
  [0o640, 0],
  [0o644, 1],
  [0o604, 1],
])('a file with mode %o starts with %i warnings', async (mode, warnings) => {
  const settings = readSettings({ 'signing-key': await fileOf(pem(ec), mode) }, {});
  const signingKey = await readSigningKeyFile(settings);
  const found = collectStartWarnings({ settings, baseUrl: 'http://127.0.0.1:1', seed: undefined, signingKey });
  expect(found).toHaveLength(warnings);
  for (const warning of found) expect(warning).toMatch(/signing key .*chmod 600/);
});

describe('a file is rejected at the start', () => {
  const encrypted = String(
    ec.privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'demo-only' }),
  );
  const cases: [string, string | object, string, RegExp][] = [
    ['of another type', pem(rsa), 'ES256', /type rsa with 3072 bits; --signing-alg ES256 needs an EC key .*P-256/],
    ['of another curve', pem(p384), 'ES256', /type ec \(secp384r1\); --signing-alg ES256 needs/],
    [
      'with too few bits',
      pem(shortRsa),
      'RS256',
      /type rsa with 2048 bits; --signing-alg RS256 needs .*3072 to 8192 bits/,
    ],
    ['of an algorithm that is not set', pem(ed25519), 'RS256', /type ed25519; --signing-alg RS256 needs/],
    ['with another "alg"', { ...jwk(rsa), alg: 'PS256' }, 'RS256', /another algorithm than --signing-alg RS256/],
    ['for encryption', { ...jwk(ec), use: 'enc' }, 'ES256', /"use": "sig"/],
    ['that is public (PEM)', String(ec.publicKey.export({ type: 'spki', format: 'pem' })), 'ES256', /one private key/],
    ['that is public (JWK)', ec.publicKey.export({ format: 'jwk' }), 'ES256', /a public or symmetric one/],
    ['that is symmetric', { kty: 'oct', k: 'c2VjcmV0' }, 'ES256', /a public or symmetric one/],
    ['with a wrong public part', { ...jwk(ec), x: jwk(otherEc).x, y: jwk(otherEc).y }, 'ES256', /JWK|belong/],
    ['that is encrypted', encrypted, 'ES256', /is encrypted; decrypt it with openssl pkcs8/],
    ['with several keys', { keys: [jwk(ec), jwk(otherEc)] }, 'ES256', /one key; its JWK Set has 2/],
    ['with no key', { keys: [] }, 'ES256', /one key; its JWK Set has 0/],
    ['with broken JSON', '{"kty": "EC", "d": demo', 'ES256', /not valid JSON \(line 1, column 20: expected a value\)$/],
    ['that is empty', '', 'ES256', /must contain one private key/],
    ['that is text', 'demo', 'ES256', /must contain one private key/],
    ['with incomplete members', { kty: 'EC', crv: 'P-256', d: 'x' }, 'ES256', /valid JWK/],
  ];
  test.each(cases)('with a key %s', async (_what, content, alg, message) => {
    const file = await fileOf(content);
    const store = openMemoryStore();
    const flags = { 'signing-key': file, 'signing-alg': alg };
    const error: unknown = await startServer({ flags, openStore: reusable(store) }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(SettingError);
    const text = (error as Error).message;
    expect(text).toMatch(message);
    expect(text.startsWith(`--signing-key ${file} `)).toBe(true);
    expect(text).not.toMatch(/\n|demo/);
    expect(await store.clients.count()).toBe(0);
  });

  test('that does not exist', async () => {
    const flags = { 'signing-key': path.join(folder, 'missing.pem') };
    await expect(startServer({ flags })).rejects.toThrow(/^--signing-key must name a readable file: ENOENT/);
  });
});

describe('an issuer', () => {
  const issuer = 'https://login.example/tenant/';

  test('is the issuer and audience of tokens and in the metadata, exactly as given', async () => {
    const flags = { 'signing-key': await fileOf(pem(ec)), issuer };
    await using server = await startOAuth({ flags });
    const token = await clientToken(server, 'web');
    const { payload } = await jwtVerify(token, createLocalJWKSet(await keySet(server)), {
      issuer,
      audience: issuer,
      currentDate: server.clock.now(),
    });
    expect(payload).toMatchObject({ iss: issuer, aud: issuer });
    expect(await isAccepted(server, token)).toBe(true);
    for (const name of ['oauth-authorization-server', 'openid-configuration'])
      for (const at of [`${server.url}/.well-known/${name}`, `${server.url}/.well-known/${name}/tenant`])
        expect(await (await fetch(at)).json()).toMatchObject({
          issuer,
          jwks_uri: `${server.url}/.well-known/jwks.json`,
        });
  });

  test('has an issuer below it for each sandbox, whose tokens the server rejects', async () => {
    await using server = await startOAuth({ flags: { issuer, 'signing-key': await fileOf(pem(ec)) } });
    const sandbox = { ...server, url: `${server.url}/s/one` };
    const metadata = await fetch(`${sandbox.url}/.well-known/openid-configuration`);
    expect(await metadata.json()).toMatchObject({ issuer: 'https://login.example/tenant/s/one' });
    expect(await isAccepted(server, await clientToken(sandbox, 'web'))).toBe(false);
  });

  test('other than that of a token makes the server reject it, and explain why', async () => {
    await using server = await startOAuth({ flags: { issuer, 'signing-key': await fileOf(pem(ec)) } });
    await using other = await startOAuth({ flags: { 'signing-key': await fileOf(pem(ec)) } });
    const token = await clientToken(other, 'web');
    expect(await isAccepted(server, token)).toBe(false);
    expect(server.appContext.verifier.explain(token)).toBe(`It was issued by an issuer other than ${issuer}.`);
  });

  test.each(['login.example', 'ftp://login.example', 'https://login.example/?a=b', 'https://u:p@login.example'])(
    '%s is rejected',
    async (value) => {
      await expect(startServer({ flags: { issuer: value } })).rejects.toThrow(/--issuer must/);
    },
  );
});
