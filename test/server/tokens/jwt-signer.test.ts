/** Signatures of access tokens, verified by node:crypto. */
import { generateKeyPairSync, verify } from 'node:crypto';
import { expect, test } from 'vitest';
import { createJwtSigner } from '../../../src/server/tokens/jwt-signer.ts';

/** Of r or s, one in 256 begins with a zero byte: without one of each in so many signatures, something is wrong. */
const maxSignatures = 10_000;

test('ES256 is r and s of 32 bytes each, also where one of them is shorter', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const row = { kid: 'k', alg: 'ES256', privateJwk: privateKey.export({ format: 'jwk' }) };
  const { sign, measure } = createJwtSigner(row as unknown as Parameters<typeof createJwtSigner>[0]);
  const short = { r: 0, s: 0 };
  for (let count = 0; count < maxSignatures && (short.r === 0 || short.s === 0); count += 1) {
    const [header, claims, text = ''] = (await sign({ count })).split('.');
    const signature = Buffer.from(text, 'base64url');
    expect(measure({ count })).toBe(`${header}.${claims}.${text}`.length);
    expect(signature).toHaveLength(64);
    const signed = Buffer.from(`${header}.${claims}`);
    expect(verify('sha256', signed, { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature)).toBe(true);
    if (signature[0] === 0) short.r += 1;
    if (signature[32] === 0) short.s += 1;
  }
  expect(short.r).toBeGreaterThan(0);
  expect(short.s).toBeGreaterThan(0);
});
