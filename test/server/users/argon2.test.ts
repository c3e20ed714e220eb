/** Hashes of passwords by the package and by Node's own crypto (24.7 and later). */
import { randomBytes } from 'node:crypto';
import { hash } from '@node-rs/argon2';
import { describe, expect, test } from 'vitest';
import {
  type Argon2,
  argon2Kind,
  argon2Rule,
  findNodeArgon2,
  importPackagedArgon2,
  loadArgon2,
  PasswordHashingError,
} from '../../../src/server/users/argon2.ts';

const cost = { memoryCost: 64, timeCost: 2, parallelism: 1 };
const phc = /^\$argon2id\$v=19\$m=64,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/;
/** Of the reference implementation: `echo -n password | argon2 somesalt -id -t 2 -k 64 -p 2 -e`. */
const reference = '$argon2id$v=19$m=64,t=2,p=2$c29tZXNhbHQ$lDh0Fd+4TtGXdGWh6GJgc630K9Turh+qHdTiOh/2hZ8';
/** Of its README: `echo -n password | argon2 somesalt -t 2 -m 16 -p 4 -l 24`. */
const argon2i = '$argon2i$v=19$m=65536,t=2,p=4$c29tZXNhbHQ$RdescudvJCsgt3ub+b+dWRWJTmaaJObG';
/** The same hash in other forms that the standard allows. */
const variants = [
  reference.replace('$v=19', ''),
  reference.replace('m=64,t=2,p=2', 't=2,m=64,p=2'),
  reference.replace('p=2', 'p=2,keyid=AAAA'),
];
const [salt, tag] = reference.split('$').slice(-2) as [string, string];
const malformed = [
  '',
  'x',
  '$argon2id$',
  `$argon2id$v=19$m=64,t=2,p=2$${salt}$`,
  `$argon2id$v=19$m=64,t=0,p=2$${salt}$${tag}`,
  `$argon2id$v=19$m=4,t=2,p=2$${salt}$${tag}`,
  `$argon2id$v=19$m=9999999999,t=2,p=2$${salt}$${tag}`,
  `$argon2id$v=19$t=2,p=2$${salt}$${tag}`,
  `$argon2id$v=19$m=64,t=2,p=2$c2FsdA$${tag}`,
  `$argon2id$v=19$m=64,t=2,p=2$${'A'.repeat(66)}$${tag}`,
  `$argon2id$v=19$m=64,t=2,p=2$${salt}$${tag}==`,
  `$argon2id$v=19$m=64,t=2,p=2$${salt}$AAAAAAAA`,
  `$argon2id$v=19$m=64,t=2,p=2$${salt}$${'A'.repeat(88)}`,
  `$argon2x$v=19$m=64,t=2,p=2$${salt}$${tag}`,
  `$argon2id$v=16$m=64,t=2,p=2$${salt}$${tag}`,
];

/** Well-formed hashes of the password, but one is more than a hash may cost. */
const costly = [
  '$argon2id$v=19$m=64,t=11,p=1$',
  '$argon2id$v=19$m=262145,t=1,p=1$',
  '$argon2id$v=19$m=4194304,t=1,p=1$',
  '$argon2id$v=19$m=8,t=4294967295,p=1$',
  '$argon2id$v=19$m=128,t=1,p=9$',
  '$argon2id$v=19$m=15,t=1,p=2$',
  '$argon2id$v=19$m=64,t=1,p=1,t=4294967295$',
  '$argon2id$v=19$m=8,m=4194304,t=1,p=1$',
].map((prefix) => `${prefix}${salt}$${tag}`);
/** Parameters that other software uses by default, and the recommendations of OWASP. */
const usual = ['m=7168,t=5,p=1', 'm=65536,t=3,p=4', 'm=65536,t=4,p=1', 'm=102400,t=2,p=8', 'm=262144,t=10,p=1'];

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

  test('verifies hashes of Argon2i and Argon2d', async () => {
    const argon2d = await hash('password', { algorithm: 0, memoryCost: 64 });
    for (const other of [argon2i, argon2d]) {
      expect(await argon2.verify(other, 'password')).toBe(true);
      expect(await argon2.verify(other, 'passwor')).toBe(false);
    }
  });

  test.each(variants)('verifies it in the form %s', async (hash) => {
    expect(await argon2.verify(hash, 'password')).toBe(true);
    expect(await argon2.verify(hash, 'passwor')).toBe(false);
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

test.each(malformed)('the malformed hash %j is not verifiable', (hash) => {
  expect(argon2Kind.findProblem(hash)).toBe(argon2Rule);
});

describe('the cost of a hash', () => {
  test.each(costly)('beyond the bounds is refused without work: %s', async (hash) => {
    expect(argon2Kind.findProblem(hash)).toBe(argon2Rule);
    for (const [, argon2] of implementations) expect(await argon2.verify(hash, 'password')).toBe(false);
  });

  test('beyond the bounds is no match, whichever implementation made the hash', async () => {
    const hash = await packaged.hash('password', { ...cost, timeCost: 11 });
    for (const [, argon2] of implementations) expect(await argon2.verify(hash, 'password')).toBe(false);
  });

  test.each(usual)('that is usual is accepted: %s', (parameters) => {
    expect(argon2Kind.findProblem(`$argon2id$v=19$${parameters}$${salt}$${tag}`)).toBeUndefined();
  });

  test('has a rule that names the bounds', () => {
    expect(argon2Rule).toMatch(/m=8 to 262144, t=1 to 10, p=1 to 8, m at least/);
  });
});

describe('an installation', () => {
  const missing = () => Promise.reject(new Error('Cannot find module'));
  const other = { ...packaged };
  const installed = { isExecutable: false, importPackage: async () => packaged, findInNode: () => other };

  test('prefers the package', async () => {
    expect(await loadArgon2(installed)).toBe(packaged);
  });

  test("without the package uses Node's own", async () => {
    expect(await loadArgon2({ ...installed, importPackage: missing })).toBe(other);
  });

  test('that is an executable imports no package where Node has its own', async () => {
    const imported: string[] = [];
    const importPackage = async () => {
      imported.push('package');
      return packaged;
    };
    const executable = { ...installed, isExecutable: true, importPackage };
    expect(await loadArgon2(executable)).toBe(other);
    expect(imported).toEqual([]);
    expect(await loadArgon2({ ...executable, findInNode: () => undefined })).toBe(packaged);
  });

  test('with neither is reported, with the next step', async () => {
    const loading = loadArgon2({ ...installed, importPackage: missing, findInNode: () => undefined });
    await expect(loading).rejects.toThrow(PasswordHashingError);
    await expect(loading).rejects.toThrow(
      /install iam-standin again, with optional dependencies, or use Node 24\.7 or later$/,
    );
  });
});
