/** The rules for new passwords. The tests of each operation check that it applies them. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { IamError } from '../../../src/contract/errors.ts';
import { commonPasswords } from '../../../src/server/users/common-passwords.ts';
import { assertPasswordPolicy, findViolations } from '../../../src/server/users/password-policy.ts';
import { isFullRun } from '../../effort.ts';
import { measureCost } from '../../security/measure-cost.ts';

const owner = { userName: 'Alice.Smith', userEmail: 'asmith@example.com' };
const broken = (password: string, of: object = owner) => findViolations(password, of);

describe('length', () => {
  test('counts code points, from 8 to 128', async () => {
    for (const character of ['\u{1f511}', 'é', 'q', ' ']) {
      expect(await broken(character.repeat(7)), character).toContain('PASSWORD_TOO_SHORT');
      for (const length of [8, 9, 64, 128]) expect(await broken(`${character.repeat(length - 1)}~`)).toEqual([]);
      expect(await broken(`${character.repeat(128)}~`)).toEqual(['PASSWORD_TOO_LONG']);
    }
    expect(await broken('')).toEqual(['PASSWORD_TOO_SHORT']);
  });

  test('counts a decomposed letter once, as its composed form', async () => {
    for (const letter of ['\u00e9', 'e\u0301']) {
      expect(await broken(letter.repeat(7))).toEqual(['PASSWORD_TOO_SHORT']);
      expect(await broken(letter.repeat(8))).toEqual([]);
    }
  });
});

test('requires no kinds of characters, and accepts blanks and emoji', async () => {
  for (const password of [
    'aaaaaaaaaaaaaaaaaa bbbb',
    '        ~',
    '🐎🔋📎🐎🔋📎🐎🔋',
    '日本語のパスワード',
    '7'.repeat(40),
    '\0'.repeat(8),
  ])
    expect(await broken(password), password).toEqual([]);
});

describe('common passwords', () => {
  test('are many, and each is rejected in any case', async () => {
    expect(commonPasswords.size).toBeGreaterThan(3000);
    for (const password of [...commonPasswords].filter((_, at) => isFullRun || at % 5 === 0)) {
      const rules = await broken(password, {});
      expect(rules.includes('PASSWORD_COMMON') ? '' : password).toBe('');
    }
    for (const password of ['PASSWORD1', 'iLoveYou', 'Baseball1', 'QWERTYUIOP'])
      expect(await broken(password), password).toEqual(['PASSWORD_COMMON']);
  });

  test('do not include similar ones', async () => {
    for (const password of ['password1 and more of it', ' password1', 'correct horse battery staple'])
      expect(await broken(password), password).toEqual([]);
  });
});

describe('data of the account', () => {
  test('is rejected anywhere in the password, in any case and normalization', async () => {
    for (const password of ['alice.smith', 'xxALICE.SMITHxx', '12asmith34', 'my-iam-standin-1', 'IAM-Standin!'])
      expect(await broken(password), password).toEqual(['PASSWORD_CONTEXT']);
    expect(await broken('1234-Rene\u0301-77', { userName: 'ren\u00e9' })).toEqual(['PASSWORD_CONTEXT']);
    expect(await broken('it is bob.jones', { userName: 'bob.jones@example.com' })).toEqual(['PASSWORD_CONTEXT']);
  });

  test('includes the local part of the e-mail, not its domain, and no text of one or two letters', async () => {
    for (const password of ['a day at example.com', 'some smith or other']) expect(await broken(password)).toEqual([]);
    expect(await broken('jo and the others', { userName: 'jo', userEmail: 'j@x.example' })).toEqual([]);
    expect(await broken('bob and the others', { userName: 'bob' })).toEqual(['PASSWORD_CONTEXT']);
  });

  test('is checked for any names', async () => {
    const name = fc.stringMatching(/^[a-zA-Z0-9._-]{3,30}$/);
    const around = fc.string({ maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(name, name, around, around, fc.boolean(), async (userName, local, before, after, upper) => {
        const of = { userName, userEmail: `${local}@example.com` };
        for (const word of [userName, local])
          expect(await broken(before + (upper ? word.toUpperCase() : word) + after, of)).toContain('PASSWORD_CONTEXT');
      }),
    );
  });
});

test('reports every broken rule, and does not contain the password', async () => {
  expect(await broken('shadow', { userName: 'shadow' })).toEqual([
    'PASSWORD_TOO_SHORT',
    'PASSWORD_COMMON',
    'PASSWORD_CONTEXT',
  ]);
  const failure = await assertPasswordPolicy('shadow', { userName: 'shadow' }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(IamError);
  const { items } = failure as IamError;
  expect(items.map(({ code }) => code)).toEqual(await broken('shadow', { userName: 'shadow' }));
  expect(JSON.stringify(items)).not.toContain('shadow');
});

test('checks very long passwords in little time', async () => {
  const check = async () => {
    for (const password of ['a'.repeat(100_000), '\u{1f511}'.repeat(50_000)])
      expect(await broken(password)).toEqual(['PASSWORD_TOO_LONG']);
  };
  expect(await measureCost(check, { enough: 200 })).toBeLessThan(200);
});
