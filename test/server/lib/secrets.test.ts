/** Secrets: only the right one matches, at any length, and generated and stored values do not reveal it. */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { digestApiKey, generateApiKey } from '../../../src/server/directory/api-keys.ts';
import { generateSecret, systemRandom } from '../../../src/server/lib/random.ts';
import { hashSecret, secretMatches } from '../../../src/server/lib/secrets.ts';
import { hashPassword, verifyPasswordHash } from '../../../src/server/users/passwords.ts';
import { startServer } from '../../harness.ts';

describe('a secret', () => {
  test('matches its own hash and no other', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (secret, other) => {
        expect(secretMatches(secret, hashSecret(secret))).toBe(true);
        expect(secretMatches(other, hashSecret(secret))).toBe(other === secret);
      }),
    );
  });

  test('never matches where no hash is stored, not even the input of the dummy hash', () => {
    for (const secret of ['', 'undefined', 'no secret has this hash on purpose'])
      expect(secretMatches(secret, undefined)).toBe(false);
  });

  test('never matches a malformed hash of any length', () => {
    const digest = createHash('sha256').update('s').digest('hex');
    for (const stored of [
      '',
      's',
      digest,
      `sha256:${digest}0`,
      `sha256:${digest.slice(1)}`,
      `SHA256:${digest}`,
      `sha256:${digest.toUpperCase().replace(/[0-9]/g, 'a')}`,
      'é'.repeat(35),
    ])
      expect(secretMatches('s', stored)).toBe(false);
    expect(secretMatches('s', `sha256:${digest}`)).toBe(true);
  });

  test('has at least 128 random bits and is never generated twice', () => {
    const generated = Array.from({ length: 2000 }, () => [
      generateSecret(systemRandom),
      generateApiKey(systemRandom),
    ]).flat();
    expect(new Set(generated).size).toBe(4000);
    for (const secret of generated)
      expect(Buffer.from(secret, secret.endsWith('=') ? 'base64' : 'base64url')).toHaveLength(32);
  });

  test('is stored as a hash only: the store contains none that was returned', async () => {
    await using server = await startServer();
    const created = await server.admin.clientIdentities.create({ body: { appId: 'test' } });
    const key = await server.admin.apiKey.create({ body: { appId: 'test', clientId: created.clientId } });
    const everything = JSON.stringify(await server.dump());
    expect(everything).toContain(hashSecret(created.clientSecret));
    expect(everything).toContain(digestApiKey(String(key.apiKey)).keyHash);
    for (const secret of [
      created.clientSecret,
      String(key.apiKey),
      'secret-of-the-test-administrator',
      'correct horse battery staple',
    ])
      expect(everything).not.toContain(secret);
  });

  test('the hint of a key contains four of its characters', () => {
    expect(digestApiKey('AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAwxyz=').hint).toBe('wxyz');
  });
});

describe('a password', () => {
  test('is stored as Argon2id with the configured cost and a separate salt', async () => {
    const hashes = await Promise.all([hashPassword('correct horse'), hashPassword('correct horse')]);
    expect(new Set(hashes).size).toBe(2);
    for (const hash of hashes) {
      expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22,}\$[A-Za-z0-9+/]{43}$/);
      expect(await verifyPasswordHash('correct horse', hash)).toBe(true);
      for (const other of ['correct hors', 'correct horse ', 'Correct horse', 'correct horse\0', ''])
        expect(await verifyPasswordHash(other, hash)).toBe(false);
    }
  });

  test('does not match a malformed hash', async () => {
    for (const stored of ['', 'x', '$argon2id$', '$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$', hashSecret('x')])
      expect(await verifyPasswordHash('x', stored)).toBe(false);
  });
});
