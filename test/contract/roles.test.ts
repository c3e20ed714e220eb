import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type CallerAuthorities,
  describeMissing,
  findMissingAuthorities,
  formatRoles,
  isAllowed,
  isReservedRole,
  knownRoles,
  listMissingAlternatives,
  parseRoles,
  type RoleExpression,
  stripRolePrefix,
} from '../../src/contract/roles.ts';

function granted(roles: readonly string[], scope: readonly string[] = []): CallerAuthorities {
  return { roles: new Set(roles), scope: new Set(scope) };
}

const scopes = ['account_lock', 'account_unlock'];
const role = fc.constantFrom(...knownRoles).map((name): RoleExpression => ({ kind: 'role', name }));
const scope = fc.constantFrom(...scopes).map((name): RoleExpression => ({ kind: 'scope', name }));
const { expression } = fc.letrec<{ expression: RoleExpression }>((tie) => {
  const parts = fc.array(tie('expression'), { minLength: 2, maxLength: 3 });
  return {
    expression: fc.oneof(
      { maxDepth: 4 },
      role,
      scope,
      tie('expression').map((of): RoleExpression => ({ kind: 'not', of })),
      fc
        .tuple(fc.constantFrom('all' as const, 'any' as const), parts)
        .map(([kind, of]): RoleExpression => ({ kind, of })),
    ),
  };
});
const caller = fc
  .record({ roles: fc.subarray([...knownRoles]), scope: fc.subarray(scopes) })
  .map(({ roles, scope }) => granted(roles, scope));

describe('parsing a role expression', () => {
  test('binds and tighter than or', () => {
    expect(parseRoles('ADMIN or USER and BUSINESS')).toEqual({
      kind: 'any',
      of: [
        { kind: 'role', name: 'ADMIN' },
        {
          kind: 'all',
          of: [
            { kind: 'role', name: 'USER' },
            { kind: 'role', name: 'BUSINESS' },
          ],
        },
      ],
    });
  });

  test('follows parentheses', () => {
    const parsed = parseRoles('(ADMIN or USER) and not BUSINESS');
    expect(isAllowed(parsed, granted(['ADMIN']))).toBe(true);
    expect(isAllowed(parsed, granted(['ADMIN', 'BUSINESS']))).toBe(false);
  });

  test('accepts role names with and without the prefix ROLE_', () => {
    expect(parseRoles('ROLE_ADMIN')).toEqual(parseRoles('ADMIN'));
    expect(stripRolePrefix('ROLE_ADMIN')).toBe('ADMIN');
  });

  test('parses none as public', () => {
    expect(parseRoles('none')).toEqual({ kind: 'public' });
  });

  test.each([
    ['', 'expected a name'],
    ['ADMIN and', 'expected a name'],
    ['(ADMIN', 'missing )'],
    ['ADMIN USER', 'unexpected token'],
    ['ADMIN)', 'unexpected token'],
    ['ADMIN or none', 'expected a name'],
    ['none or ADMIN', 'expected a name at "none"'],
    ['scope', 'expected a name at "end"'],
    ['scope and', 'expected a name at "and"'],
    ['scope or', 'expected a name at "or"'],
    ['scope not', 'expected a name at "not"'],
    ['scope scope', 'expected a name at "scope"'],
    ['scope (', 'expected a name at "("'],
    ['scope )', 'expected a name at ")"'],
    ['ADMINN', 'unknown role ADMINN'],
    ['admin', 'unknown role admin'],
  ])('rejects %j', (text, reason) => {
    expect(() => parseRoles(text)).toThrow(reason);
  });

  test('parses the output of describeRoles', () => {
    fc.assert(
      fc.property(expression, (value) => {
        expect(parseRoles(formatRoles(value))).toEqual(value);
      }),
    );
  });
});

test.each([
  'none',
  'ADMIN or USER and not BUSINESS',
  '(ADMIN or USER) and scope account_lock',
  'not (ADMIN or USER) or (PERSON or BUSINESS)',
])('%s is formatted as parsed, without redundant parentheses', (text) => {
  expect(formatRoles(parseRoles(text))).toBe(text);
});

describe('evaluating', () => {
  test('a public expression allows everyone, including unauthenticated callers', () => {
    expect(isAllowed(parseRoles('none'), undefined)).toBe(true);
    expect(isAllowed(parseRoles('none'), granted([]))).toBe(true);
  });

  test('roles and scopes do not replace each other', () => {
    expect(isAllowed(parseRoles('scope account_lock'), granted(['account_lock']))).toBe(false);
    expect(isAllowed(parseRoles('scope account_lock'), granted([], ['account_lock']))).toBe(true);
    expect(isAllowed(parseRoles('ADMIN'), granted([], ['ADMIN']))).toBe(false);
  });

  test('not rejects callers with the role, and never allows unauthenticated callers', () => {
    const expression = parseRoles('not BUSINESS');
    expect(isAllowed(expression, granted(['PERSON']))).toBe(true);
    expect(isAllowed(expression, granted(['BUSINESS']))).toBe(false);
    expect(isAllowed(expression, undefined)).toBe(false);
  });

  test('an empty conjunction allows no caller', () => {
    expect(isAllowed({ kind: 'all', of: [] }, granted(['ADMIN']))).toBe(false);
  });

  test('only a public expression allows unauthenticated callers', () => {
    fc.assert(
      fc.property(expression, (value) => {
        expect(isAllowed(value, undefined)).toBe(false);
      }),
    );
  });
});

describe('the nearest missing roles', () => {
  test('contain the roles and scopes to gain', () => {
    const needed = parseRoles('CLI-1STPARTY and AUTH-BASIC and ADMIN or CLI-1STPARTY and scope account_lock');
    expect(findMissingAuthorities(needed, granted(['CLI-1STPARTY', 'AUTH-BASIC']))).toMatchObject({
      missingRoles: ['ADMIN'],
      missingScopes: [],
    });
    expect(findMissingAuthorities(needed, granted(['CLI-1STPARTY']))).toMatchObject({
      missingRoles: [],
      missingScopes: ['account_lock'],
    });
  });

  test('contain the roles that exclude the caller', () => {
    const miss = findMissingAuthorities(parseRoles('PERSON and not BUSINESS'), granted(['PERSON', 'BUSINESS']));
    expect(miss).toEqual({ missingRoles: [], missingScopes: [], forbidden: ['BUSINESS'] });
  });

  test('minimize the roles to gain and to lose together', () => {
    const needed = parseRoles('ADMIN and not BUSINESS or AUTH-MFA');
    expect(findMissingAuthorities(needed, granted(['BUSINESS']))).toMatchObject({
      missingRoles: ['AUTH-MFA'],
      forbidden: [],
    });
  });

  test('have alternatives, the least powerful first', () => {
    const needed = parseRoles('CLI-1STPARTY and (ADMIN or IAM_ADMIN_READ_ONLY or AUTH-MFA and USER)');
    expect(listMissingAlternatives(needed, granted([])).map(describeMissing)).toEqual([
      ['CLI-1STPARTY', 'IAM_ADMIN_READ_ONLY'],
      ['CLI-1STPARTY', 'ADMIN'],
    ]);
  });

  test('are empty exactly if the caller is allowed', () => {
    fc.assert(
      fc.property(expression, caller, (value, subject) => {
        const miss = findMissingAuthorities(value, subject);
        expect(describeMissing(miss).length + miss.forbidden.length === 0).toBe(isAllowed(value, subject));
      }),
    );
  });
});

test('a role is reserved if only the service grants it', () => {
  const reserved = knownRoles.filter(isReservedRole);
  expect(reserved).toEqual(knownRoles.filter((name) => /^(CLI|AUTH)-|^(USER|PERSON|BUSINESS)$/.test(name)));
  expect(isReservedRole('BUSINESSOWNER')).toBe(false);
  expect(isReservedRole('CLI-ANYTHING')).toBe(true);
  expect(isReservedRole('MY-CLI-TOOLS')).toBe(false);
});
