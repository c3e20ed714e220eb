/** Hashes of imported users: vectors of the standards, forms of exporters, and bounds. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { describe, expect, test } from 'vitest';
import { createDummyHash, readHashCost } from '../../../../src/server/store/hash-cost.ts';
import { readHash } from '../../../../src/server/users/hashes/exporter-forms.ts';
import { findHashProblem, verifyHash } from '../../../../src/server/users/hashes/kinds.ts';

const base64 = (hex: string) => Buffer.from(hex, 'hex').toString('base64').replace(/=+$/, '');
const salt = base64('73616c74');
const tagOf = (bytes: number) => base64('ab'.repeat(bytes));
const filler = '.'.repeat(53);
/** Of RFC 7914, section 11, as scrypt and as PBKDF2. */
const passwd =
  '55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783';
const pleaseletmein =
  '7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887';

/** RFC 6070, RFC 7914, the tests of OpenBSD's bcrypt, and the README of Argon2. */
const vectors: readonly (readonly [password: string, hash: string])[] = [
  ['password', `$pbkdf2-sha1$i=1,l=20$${salt}$${base64('0c60c80f961f0e71f3a9b524af6012062fe037a6')}`],
  ['password', `$pbkdf2-sha1$i=4096$${salt}$${base64('4b007901b765489abead49d926f721d065a429c1')}`],
  ['passwd', `$pbkdf2-sha256$i=1,l=64$${salt}$${base64(passwd)}`],
  [
    'pleaseletmein',
    `$scrypt$ln=14,r=8,p=1$${Buffer.from('SodiumChloride').toString('base64').replace(/=+$/, '')}$${base64(pleaseletmein)}`,
  ],
  ['U*U', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'],
  ['~!@#$%^&*()      ~!@#$%^&*()PNBFRD', '$2a$06$fPIsBO8qRqkjj273rfaOI.HtSV9jLDpTbZn782DC6/t7qT67P6FfO'],
  ['password', '$argon2i$v=19$m=65536,t=2,p=4$c29tZXNhbHQ$RdescudvJCsgt3ub+b+dWRWJTmaaJObG'],
];

describe.each(vectors)('the hash of %j', (password, hash) => {
  test(hash.slice(0, 24), async () => {
    expect(findHashProblem(hash)).toBeUndefined();
    expect(await verifyHash(hash, password)).toBe(true);
    for (const other of [`${password} `, password.toUpperCase().slice(1), ''])
      expect(await verifyHash(hash, other)).toBe(false);
  });

  test('has a dummy that costs the same and that it does not match', async () => {
    const cost = readHashCost(hash) ?? '';
    const dummy = createDummyHash(cost);
    expect(readHashCost(dummy)).toBe(cost);
    expect(findHashProblem(dummy)).toBeUndefined();
    expect(await verifyHash(dummy, password)).toBe(false);
  });
});

describe('bcrypt', () => {
  /** Of 72 letters, whose last byte counts; further ones do not. */
  const hash = '$2b$04$abcdefghijklmnopqrstuuBzzIgyKkz7xMWYSzkIjUSnxEQFQ0WNe';

  test('matches no password of more than 72 bytes or with NUL, although the algorithm would', async () => {
    expect(await verifyHash(hash, 'a'.repeat(72))).toBe(true);
    for (const other of ['a'.repeat(73), `${'a'.repeat(72)}b`, `${'a'.repeat(72)}\0`, `${'a'.repeat(71)}\0`])
      expect(await verifyHash(hash, other)).toBe(false);
  });

  test('is compared beside the event loop', async () => {
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    expect(await verifyHash(`$2b$11$${filler}`, 'password')).toBe(false);
    delay.disable();
    expect(delay.max / 1e6).toBeLessThan(100);
  });
});

describe('a hash beyond the bounds is rejected with the value, and matches nothing', () => {
  test.each([
    [
      `$pbkdf2-sha512$i=2000001,l=64$${salt}$${tagOf(64)}`,
      'must have 1 to 2000000 iterations (PBKDF2); it has 2000001',
    ],
    [`$pbkdf2-sha512$i=0,l=64$${salt}$${tagOf(64)}`, 'must have 1 to 2000000 iterations (PBKDF2); it has 0'],
    [`$pbkdf2-sha256$i=1000,l=65$${salt}$${tagOf(65)}`, 'must have 16 to 64 bytes of tag (PBKDF2); it has 65'],
    [`$pbkdf2-sha256$i=1000,l=8$${salt}$${tagOf(8)}`, 'must have 16 to 64 bytes of tag (PBKDF2); it has 8'],
    [`$pbkdf2-sha256$i=1000,l=32$${salt}$${tagOf(64)}`, 'must have a tag of l bytes (PBKDF2); it has 64'],
    [`$pbkdf2-sha256$i=1000$$${tagOf(64)}`, 'must have 1 to 128 bytes of salt (PBKDF2); it has 0'],
    [`$2b$15$${filler}`, 'must have 4 to 14 as cost (bcrypt); it has 15'],
    [`$2b$03$${filler}`, 'must have 4 to 14 as cost (bcrypt); it has 3'],
    [`$scrypt$ln=17,r=8,p=1$${salt}$${tagOf(64)}`, 'must need at most 64 MiB (scrypt); it needs 128'],
    [`$scrypt$ln=14,r=8,p=5$${salt}$${tagOf(64)}`, 'must have 1 to 4 as p (scrypt); it has 5'],
    [`$scrypt$ln=0,r=8,p=1$${salt}$${tagOf(64)}`, 'must have 1 to 24 as ln (scrypt); it has 0'],
  ])('%s', async (hash, problem) => {
    expect(findHashProblem(hash)).toBe(problem);
    expect(await verifyHash(hash, 'password')).toBe(false);
  });

  test.each([
    `$pbkdf2-sha256$i=2000000,l=64$${salt}$${tagOf(64)}`,
    `$2y$14$${filler}`,
    `$scrypt$ln=16,r=8,p=4$${salt}$${tagOf(64)}`,
  ])('but not at the bound: %s', (hash) => {
    expect(findHashProblem(hash)).toBeUndefined();
  });
});

test.each([
  '',
  'password',
  '5f4dcc3b5aa765d61d8327deb882cf99',
  `$pbkdf2-md5$i=1000,l=16$${salt}$${tagOf(16)}`,
  `$pbkdf2-sha256$i=1000,i=5,l=64$${salt}$${tagOf(64)}`,
  `$pbkdf2-sha256$l=64$${salt}$${tagOf(64)}`,
  `$pbkdf2-sha256$i=1e3,l=64$${salt}$${tagOf(64)}`,
  `$scrypt$ln=14,r=8$${salt}$${tagOf(64)}`,
  `$2x$10$${filler}`,
  `$2b$10$${filler}.`,
  `$2b$1$${filler}`,
  `$6$rounds=5000$${salt}$${tagOf(64)}`,
])('%j is no hash that is verified', async (hash) => {
  expect(findHashProblem(hash)).toMatch(/^must be /);
  expect(await verifyHash(hash, 'password')).toBe(false);
});

describe('a hash as its exporter writes it', () => {
  const hash = `$pbkdf2-sha256$i=27500,l=64$${salt}$${tagOf(64)}`;
  const secretData = { value: Buffer.from('ab'.repeat(64), 'hex').toString('base64'), salt: 'c2FsdA==' };
  const keycloak = (data: object, secret: object = secretData) => ({
    type: 'password',
    credentialData: JSON.stringify(data),
    secretData: JSON.stringify(secret),
  });

  test.each<[string, unknown, string]>([
    ['Keycloak', keycloak({ algorithm: 'pbkdf2-sha256', hashIterations: 27_500, additionalParameters: {} }), hash],
    [
      'Keycloak, PBKDF2 with SHA-1',
      keycloak({ algorithm: 'pbkdf2', hashIterations: 9 }),
      `$pbkdf2-sha1$i=9,l=64$${salt}$${tagOf(64)}`,
    ],
    [
      'Keycloak, SHA-512',
      keycloak({ algorithm: 'pbkdf2-sha512', hashIterations: 210_000 }),
      `$pbkdf2-sha512$i=210000,l=64$${salt}$${tagOf(64)}`,
    ],
    ['Keycloak, parsed', { credentialData: { algorithm: 'pbkdf2-sha256', hashIterations: 27_500 }, secretData }, hash],
    [
      'Keycloak, Argon2',
      keycloak(
        {
          algorithm: 'argon2',
          hashIterations: 5,
          additionalParameters: {
            hashLength: ['32'],
            memory: ['7168'],
            type: ['id'],
            version: ['1.3'],
            parallelism: ['1'],
          },
        },
        { value: Buffer.from('ab'.repeat(32), 'hex').toString('base64'), salt: 'c2FsdHNhbHRzYWx0c2FsdA==' },
      ),
      `$argon2id$v=19$m=7168,t=5,p=1$c2FsdHNhbHRzYWx0c2FsdA$${tagOf(32)}`,
    ],
    [
      'an extension of Keycloak, bcrypt',
      keycloak({ algorithm: 'bcrypt', hashIterations: 10 }, { value: `$2a$10$${filler}`, salt: '' }),
      `$2a$10$${filler}`,
    ],
    [
      'Keycloak before version 8',
      {
        type: 'password',
        algorithm: 'pbkdf2-sha256',
        hashIterations: 27_500,
        salt: secretData.salt,
        hashedSaltedValue: secretData.value,
      },
      hash,
    ],
    ...[{}, { algorithm: null }, { algorithm: 'HmacSHA1' }].map((algorithm): [string, object, string] => [
      `the first versions of Keycloak, ${JSON.stringify(algorithm)}`,
      {
        type: 'password',
        ...algorithm,
        hashIterations: 1,
        salt: 'c2FsdHNhbHQ=',
        hashedSaltedValue: `${'q'.repeat(86)}==`,
      },
      `$pbkdf2-sha1$i=1,l=64$c2FsdHNhbHQ$${'q'.repeat(85)}g`,
    ]),
    ['Auth0, bcrypt', { algorithm: 'bcrypt', hash: { value: `$2b$10$${filler}` } }, `$2b$10$${filler}`],
    ['Auth0, PBKDF2', { algorithm: 'pbkdf2', hash: { value: hash, encoding: 'utf8' } }, hash],
    [
      'Auth0, scrypt',
      {
        algorithm: 'scrypt',
        hash: { value: 'ab'.repeat(64), encoding: 'hex' },
        salt: { value: '73616c74', encoding: 'hex' },
        keylen: 64,
        cost: 4096,
      },
      `$scrypt$ln=12,r=8,p=1$${salt}$${tagOf(64)}`,
    ],
    [
      'Auth0, scrypt with a salt of text',
      {
        algorithm: 'scrypt',
        hash: { value: secretData.value, encoding: 'base64' },
        salt: { value: 'salt' },
        keylen: 64,
        blockSize: 4,
        parallelization: 2,
      },
      `$scrypt$ln=14,r=4,p=2$${salt}$${tagOf(64)}`,
    ],
    ['passlib', `$pbkdf2-sha256$29000$c2F.$${tagOf(64)}`, `$pbkdf2-sha256$i=29000$c2F+$${tagOf(64)}`],
    ['passlib, SHA-1', `$pbkdf2$29000$${salt}$${tagOf(20)}`, `$pbkdf2-sha1$i=29000$${salt}$${tagOf(20)}`],
    [
      'base64 with padding',
      `$pbkdf2-sha256$i=5,l=16$${salt}==$${tagOf(16)}==`,
      `$pbkdf2-sha256$i=5,l=16$${salt}$${tagOf(16)}`,
    ],
  ])('%s', (_, value, expected) => {
    expect(readHash(value)).toEqual({ hash: expected });
  });

  test.each<[unknown, RegExp]>([
    [
      keycloak({ algorithm: 'pbkdf2-sha256', hashIterations: 2_000_001 }),
      /2000000 iterations \(PBKDF2\); it has 2000001/,
    ],
    [keycloak({ algorithm: 'legacy-md5', hashIterations: 1 }), /^is a hash of legacy-md5, which is not verified/],
    [keycloak({ algorithm: '__proto__', hashIterations: 1 }), /^is a hash of __proto__/],
    [{ credentialData: '{', secretData: '{}' }, /credentialData/],
    [{ algorithm: 'md5', hash: { value: '5f4dcc3b5aa765d61d8327deb882cf99', encoding: 'hex' } }, /^is a hash of md5/],
    [
      { algorithm: 'scrypt', hash: { value: 'abab', encoding: 'hex' }, keylen: 64 },
      /keylen bytes \(scrypt\); it has 2 instead/,
    ],
    [{ algorithm: 'scrypt', hash: { value: 'ab'.repeat(64), encoding: 'hex' }, cost: 1000 }, /power of 2 as cost/],
    [
      { algorithm: 'bcrypt', hash: { value: `$2b$10$${filler}` }, password: { encoding: 'ucs2' } },
      /not encoded as utf8/,
    ],
    [{}, /^must be a text/],
    [null, /^must be a text/],
    [42, /^must be a text/],
  ])('%j is not verified', (value, problem) => {
    expect(readHash(value).problem).toMatch(problem);
  });
});
