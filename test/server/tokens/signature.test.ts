/** Rejects every signature except the original one, including near variants. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TokenVerifier } from '../../../src/server/tokens/verify.ts';
import { rounds } from '../../effort.ts';
import { startServer, type TestServer } from '../../harness.ts';
import { callWithToken, forgeToken, rejectedToken } from './forge.ts';

let server: TestServer;
let verifier: TokenVerifier;
let signed: string;
let signature: Buffer;

beforeAll(async () => {
  server = await startServer();
  verifier = server.appContext.verifier;
  const token = await forgeToken(server);
  signed = token.slice(0, token.lastIndexOf('.'));
  signature = Buffer.from(token.slice(token.lastIndexOf('.') + 1), 'base64url');
});
afterAll(() => server[Symbol.asyncDispose]());

async function isAccepted(text: string): Promise<boolean> {
  return (await verifier.verify(`${signed}.${text}`)) !== undefined;
}

function flipped(bytes: Buffer, bit: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return copy;
}

test('accepts the signature itself', async () => {
  expect(signature).toHaveLength(64);
  expect(await isAccepted(signature.toString('base64url'))).toBe(true);
  expect((await callWithToken(server, `${signed}.${signature.toString('base64url')}`)).status).toBe(200);
});

test('rejects a change of any bit of the signature', async () => {
  const passed: number[] = [];
  for (let bit = 0; bit < signature.length * 8; bit += 1)
    if (await isAccepted(flipped(signature, bit).toString('base64url'))) passed.push(bit);
  expect(passed).toEqual([]);
});

test('rejects a change of any bit of the signed text', async () => {
  const text = Buffer.from(`${signed}.${signature.toString('base64url')}`);
  await fc.assert(
    fc.asyncProperty(fc.nat(signed.length * 8 - 1), async (bit) => {
      expect(await verifier.verify(flipped(text, bit).toString('latin1'))).toBeUndefined();
    }),
    { numRuns: rounds(500) },
  );
});

const zero = Buffer.alloc(32);
const order = Buffer.from('ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551', 'hex');

test('rejects zero, the order of the curve, and numbers of a wrong length', async () => {
  const [r, s] = [signature.subarray(0, 32), signature.subarray(32)];
  const odd = [
    Buffer.concat([zero, zero]),
    Buffer.concat([r, zero]),
    Buffer.concat([zero, s]),
    Buffer.concat([order, order]),
    Buffer.concat([s, r]),
    signature.subarray(0, 63),
    Buffer.concat([signature, Buffer.alloc(1)]),
    Buffer.concat([Buffer.alloc(1), signature]),
    Buffer.concat([signature, signature]),
    Buffer.alloc(0),
  ];
  for (const bytes of odd)
    expect([bytes.toString('hex'), await isAccepted(bytes.toString('base64url'))]).toEqual([
      bytes.toString('hex'),
      false,
    ]);
});

test('rejects the DER form of the signature', async () => {
  const integer = (bytes: Buffer) => Buffer.concat([Buffer.from([2, 33, 0]), bytes]);
  const body = Buffer.concat([integer(signature.subarray(0, 32)), integer(signature.subarray(32))]);
  expect(await isAccepted(Buffer.concat([Buffer.from([0x30, body.length]), body]).toString('base64url'))).toBe(false);
});

test('rejects other encodings of the same bytes: each token has one text', async () => {
  const text = signature.toString('base64url');
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const last = alphabet.indexOf(text.at(-1) ?? '');
  const trailing = Array.from({ length: 15 }, (_, more) => text.slice(0, -1) + alphabet[last + more + 1]);
  const odd = [`${text}=`, `${text}==`, `${text}A`, `${text} `, ` ${text}`, `${text.slice(0, 40)} ${text.slice(40)}`];
  const plain = text.replaceAll('-', '+').replaceAll('_', '/');
  for (const other of [...trailing, ...odd, ...(plain === text ? [] : [plain])])
    expect([other, await isAccepted(other)]).toEqual([other, false]);
  expect(await callWithToken(server, `${signed}.${trailing[0]}`)).toEqual(rejectedToken);
  expect(await callWithToken(server, `${signed}.${text.slice(0, 40)} ${text.slice(40)}`)).toEqual(rejectedToken);
});

test('rejects random text', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(fc.uint8Array({ minLength: 64, maxLength: 64 }), fc.uint8Array({ maxLength: 200 })),
      async (bytes) => {
        expect(await isAccepted(Buffer.from(bytes).toString('base64url'))).toBe(false);
      },
    ),
    { numRuns: rounds(800) },
  );
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 100 }), async (text) => {
      expect(await isAccepted(text)).toBe(false);
    }),
    { numRuns: rounds(300) },
  );
});
