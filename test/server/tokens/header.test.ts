/** The header of an access token: the server accepts only what it issues. */
import { createHmac, createPublicKey, generateKeyPairSync, type JsonWebKey, sign } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SigningKey } from '../../../src/server/store/tables.ts';
import { startServer, type TestServer } from '../../harness.ts';
import {
  callWithToken,
  createEs256Signer,
  createValidClaims,
  encodePart,
  forgeToken,
  readCurrentKey,
  rejectedToken,
} from './forge.ts';

let server: TestServer;
let key: SigningKey;

beforeAll(async () => {
  server = await startServer();
  key = await readCurrentKey(server);
});
afterAll(() => server[Symbol.asyncDispose]());

const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' });

test('accepts a forged token without changes, so that each rejection below has one reason', async () => {
  expect((await callWithToken(server, await forgeToken(server))).status).toBe(200);
});

describe('the algorithm', () => {
  test.each(['none', 'None', 'NONE', 'nOnE', ''])('rejects alg %j without a signature', async (alg) => {
    const header = { alg, kid: key.kid, typ: 'at+jwt' };
    expect(await callWithToken(server, await forgeToken(server, { header, signature: () => '' }))).toEqual(
      rejectedToken,
    );
    expect(await callWithToken(server, await forgeToken(server, { header }))).toEqual(rejectedToken);
  });

  const forms: [string, (key: SigningKey) => string | Buffer][] = [
    ['PEM', (row) => publicKey(row).export({ type: 'spki', format: 'pem' })],
    ['DER', (row) => publicKey(row).export({ type: 'spki', format: 'der' })],
    ['JWK', (row) => JSON.stringify(row.publicJwk)],
    ['x coordinate', (row) => Buffer.from(String(row.publicJwk.x), 'base64url')],
    ['an empty text', () => ''],
  ];
  test.each(forms)('rejects HS256 with the public key as secret: %s', async (_form, secret) => {
    const header = { alg: 'HS256', kid: key.kid, typ: 'at+jwt' };
    const signature = (signed: string) => createHmac('sha256', secret(key)).update(signed).digest();
    expect(await callWithToken(server, await forgeToken(server, { header, signature }))).toEqual(rejectedToken);
  });

  test.each(['ES384', 'ES512', 'ES256K', 'RS256', 'PS256', 'EdDSA', 'HS256', 'es256'])(
    'rejects a correct ES256 signature with alg %s',
    async (alg) => {
      expect(
        await callWithToken(server, await forgeToken(server, { header: { alg, kid: key.kid, typ: 'at+jwt' } })),
      ).toEqual(rejectedToken);
    },
  );

  test('rejects an RSA signature where the key is an EC key', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const header = { alg: 'RS256', kid: key.kid, typ: 'at+jwt' };
    const signature = (signed: string) => sign('sha256', Buffer.from(signed), privateKey);
    expect(await callWithToken(server, await forgeToken(server, { header, signature }))).toEqual(rejectedToken);
  });

  function publicKey(row: SigningKey) {
    return createPublicKey({ key: row.publicJwk as JsonWebKey, format: 'jwk' });
  }
});

test('ignores a key that the token contains or points to', async () => {
  const requested: (string | undefined)[] = [];
  const listener = createServer((request, response) => {
    requested.push(request.url);
    response.end(
      JSON.stringify({ keys: [{ ...stranger.publicKey.export({ format: 'jwk' }), kid: 'mine', alg: 'ES256' }] }),
    );
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/`;
  const own = stranger.publicKey.export({ format: 'jwk' });
  const x5c = [stranger.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')];
  for (const kid of ['mine', key.kid, address])
    for (const lure of [
      { jwk: own },
      { jku: address },
      { x5u: address },
      { x5c },
      { jwk: { ...own, kid: key.kid }, jku: address },
    ])
      expect(
        await callWithToken(
          server,
          await forgeToken(server, {
            header: { alg: 'ES256', kid, typ: 'at+jwt', ...lure },
            signature: createEs256Signer(stranger.privateKey),
          }),
        ),
      ).toEqual(rejectedToken);
  await new Promise((resolve) => listener.close(resolve));
  expect(requested).toEqual([]);
});

describe('the key id', () => {
  const odd: [string, unknown][] = [
    ['unknown', 'no-such-key'],
    ['missing', undefined],
    ['empty', ''],
    ['null', null],
    ['a number', 7],
    ['a path', '../../../../etc/passwd'],
    ['an absolute path', '/dev/null'],
    ['SQL', "' OR '1'='1"],
    ['a prototype member', '__proto__'],
    ['another prototype member', 'constructor'],
    ['huge', 'k'.repeat(9_000)],
    ['an object', { $ne: '' }],
  ];
  test.each(odd)('rejects a kid that is %s, with a correct signature', async (_what, kid) => {
    expect(
      await callWithToken(server, await forgeToken(server, { header: { alg: 'ES256', kid, typ: 'at+jwt' } })),
    ).toEqual(rejectedToken);
  });

  test('rejects a kid in an array', async () => {
    const header = { alg: 'ES256', kid: [key.kid], typ: 'at+jwt' };
    expect(await callWithToken(server, await forgeToken(server, { header }))).toEqual(rejectedToken);
  });
});

describe('critical and unknown parameters', () => {
  test.each([
    ['an unknown extension', { crit: ['exp'], exp: 1 }],
    ['an unknown extension with a URN', { crit: ['urn:example:x'], 'urn:example:x': true }],
    ['an extension without its parameter', { crit: ['b64'] }],
    ['an empty list', { crit: [] }],
    ['not a list', { crit: 'exp' }],
    ['a payload that is not encoded', { b64: false, crit: ['b64'] }],
    ['an unencoded payload without crit', { b64: false }],
  ])('rejects %s', async (_what, more) => {
    const header = { alg: 'ES256', kid: key.kid, typ: 'at+jwt', ...more };
    expect(await callWithToken(server, await forgeToken(server, { header }))).toEqual(rejectedToken);
  });

  test.each(['JWT', 'jwt', 'at', 'refresh+jwt', 'at+jwt+x', '', null, 5])('rejects typ %j', async (typ) => {
    expect(
      await callWithToken(server, await forgeToken(server, { header: { alg: 'ES256', kid: key.kid, typ } })),
    ).toEqual(rejectedToken);
  });

  test('rejects a missing typ', async () => {
    expect(await callWithToken(server, await forgeToken(server, { header: { alg: 'ES256', kid: key.kid } }))).toEqual(
      rejectedToken,
    );
  });
});

describe('the serialization', () => {
  test('rejects the JSON serialization, flattened and general', async () => {
    const [header, payload, signature] = (await forgeToken(server)).split('.');
    const flattened = JSON.stringify({ payload, protected: header, signature });
    const general = JSON.stringify({ payload, signatures: [{ protected: header, signature }] });
    for (const text of [flattened, general, encodePart(flattened), encodePart(general)])
      expect(await callWithToken(server, text)).toEqual(rejectedToken);
  });

  test('rejects missing, extra and empty parts', async () => {
    const token = await forgeToken(server);
    const [header, payload, signature] = token.split('.');
    const odd = ['x', '.', '..', '....', `${header}.${payload}`, `${header}.${payload}.`, `.${payload}.${signature}`];
    const more = [`${header}..${signature}`, `${token}.`, `.${token}`, `${token}.${signature}`, `${token},${token}`];
    for (const text of [...odd, ...more]) expect(await callWithToken(server, text)).toEqual(rejectedToken);
  });

  test('rejects a header or payload that is not a JSON object', async () => {
    for (const part of ['', 'null', '[]', '"x"', '{', '7', '{"alg":"ES256"'])
      for (const forgery of [{ header: part }, { payload: part }])
        expect(await callWithToken(server, await forgeToken(server, forgery))).toEqual(rejectedToken);
  });

  test('rejects authorities that are not a list', async () => {
    const payload = { ...createValidClaims(server), authorities: 'ROLE_ADMIN' };
    expect(await callWithToken(server, await forgeToken(server, { payload }))).toEqual(rejectedToken);
  });
});
