/** Hashes of passwords by the package and by Node's own crypto (24.7 and later). */
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  type Argon2,
  findNodeArgon2,
  importPackagedArgon2,
  loadArgon2,
  PasswordHashingError,
} from '../../../src/server/users/argon2.ts';

const cost = { memoryCost: 64, timeCost: 2, parallelism: 1 };
const phc = /^\$argon2id\$v=19\$m=64,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/;
/** Of the reference implementation: `echo -n password | argon2 somesalt -id -t 2 -k 64 -p 2 -e`. */
const reference = '$argon2id$v=19$m=64,t=2,p=2$c29tZXNhbHQ$lDh0Fd+4TtGXdGWh6GJgc630K9Turh+qHdTiOh/2hZ8';
const malformed = [
  '',
  'x',
  '$argon2id$',
  '$argon2id$v=19$m=64,t=2,p=1$c2FsdA$',
  '$argon2id$v=19$m=64,t=0,p=1$c29tZXNhbHQ$lDh0Fd+4TtGXdGWh6GJgc630K9Turh+qHdTiOh/2hZ8',
  '$argon2id$v=19$m=4,t=2,p=1$c29tZXNhbHQ$lDh0Fd+4TtGXdGWh6GJgc630K9Turh+qHdTiOh/2hZ8',
  '$argon2id$v=19$m=9999999999,t=2,p=1$c29tZXNhbHQ$lDh0Fd+4TtGXdGWh6GJgc630K9Turh+qHdTiOh/2hZ8',
  '$argon2id$v=19$m=64,t=2,p=1$c2FsdA$lDh0Fd+4TtGXdGWh6GJgc630K9Turh+qHdTiOh/2hZ8',
];

const packaged = await importPackagedArgon2();
const own = findNodeArgon2();
const implementations: [string, Argon2][] = [['the package', packaged]];
if (own) implementations.push(["Node's own", own]);

describe.each(implementations)('%s', (_, argon2) => {
  test('verifies a hash of the reference implementation, and no other password', async () => {
    expect(await argon2.verify(reference, 'password')).toBe(true);
    for (const other of ['Password', 'password ', 'passwor', ''])
      expect(await argon2.verify(reference, other)).toBe(false);
  });

  test('makes hashes with a salt each, which all implementations verify', async () => {
    const passwords = ['', 'correct horse', 'ünïcödé ☂', 'nul\0', randomBytes(300).toString('base64')];
    for (const password of passwords) {
      const hashes = [await argon2.hash(password, cost), await argon2.hash(password, cost)];
      expect(new Set(hashes).size).toBe(2);
      for (const hash of hashes) {
        expect(hash).toMatch(phc);
        for (const [, other] of implementations) {
          expect(await other.verify(hash, password)).toBe(true);
          expect(await other.verify(hash, `${password}.`)).toBe(false);
        }
      }
    }
  });

  test.each(malformed)('matches nothing with the malformed hash %j', async (hash) => {
    expect(await argon2.verify(hash, 'password')).toBe(false);
  });
});

describe('an installation', () => {
  const missing = () => Promise.reject(new Error('Cannot find module'));

  test('prefers the package', async () => {
    const [importPackage, findInNode] = [() => Promise.resolve(packaged), () => ({ ...packaged })];
    expect(await loadArgon2({ importPackage, findInNode })).toBe(packaged);
  });

  test("without the package uses Node's own", async () => {
    const other = { ...packaged };
    expect(await loadArgon2({ importPackage: missing, findInNode: () => other })).toBe(other);
  });

  test('with neither is reported, with the next step', async () => {
    const loading = loadArgon2({ importPackage: missing, findInNode: () => undefined });
    await expect(loading).rejects.toThrow(PasswordHashingError);
    await expect(loading).rejects.toThrow(
      /install iam-standin again, with optional dependencies, or use Node 24\.7 or later$/,
    );
  });
});
