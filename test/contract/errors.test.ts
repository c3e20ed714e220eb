import { describe, expect, test } from 'vitest';
import type { ErrorEntry } from '../../src/contract/error-codes.ts';
import { errorTable } from '../../src/contract/error-codes.ts';
import {
  apiError,
  detailedError,
  type ErrorCode,
  IamError,
  implicitStatuses,
  resolveErrorStatus,
  retryLater,
} from '../../src/contract/errors.ts';
import { settingsTable } from '../../src/server/config/settings.ts';

const codes = Object.keys(errorTable) as ErrorCode[];

describe('the error table', () => {
  test.each(codes)('%s is an upper-case code with a status, a message and a hint', (code) => {
    const { status, message, hint } = errorTable[code];
    expect(code).toMatch(/^[A-Z][A-Z0-9_]*$/);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(message).toMatch(/^[A-Z].*\.$/);
    expect(hint).toMatch(/^[A-Z].*\.$/);
  });

  test('no two codes have the same message', () => {
    const messages = codes.map((code) => errorTable[code].message);
    expect(new Set(messages).size).toBe(messages.length);
  });
});

describe('a setting of the error table', () => {
  const settings: ReadonlySet<string> = new Set(Object.values(settingsTable).map(({ name }) => name));
  const entries = Object.entries<ErrorEntry>(errorTable).filter(([, { setting }]) => setting !== undefined);

  test.each(entries)('of %s exists on the server', (_code, { setting }) => {
    expect(settings).toContain(setting);
  });
});

describe('an error response', () => {
  test('has the message of the table by default', () => {
    expect(apiError('GROUP_NOT_FOUND').items).toEqual([{ code: 'GROUP_NOT_FOUND', message: 'Group not found.' }]);
  });

  test('names the setting that controls the code', () => {
    expect(apiError('TEST_FEATURES_OFF').items).toMatchObject([{ details: { setting: 'test-features' } }]);
  });

  test('has details if there is data, and none if all of it is empty', () => {
    const [item] = detailedError('ROLE_MISSING', { missingRoles: [], missingScopes: ['READ'] }).items;
    expect(item?.details).toEqual({ missingScopes: ['READ'] });
    expect(detailedError('ROLE_MISSING', { missingRoles: [] }).items[0]).not.toHaveProperty('details');
  });

  test('contains the wait in its details and its header', () => {
    const { items, headers } = retryLater('TOO_BUSY', 3);
    expect([items[0]?.details, headers]).toEqual([{ retryAfter: 3 }, { 'Retry-After': '3' }]);
  });

  test('lists every error as one item, and its code is that of the first', () => {
    const error = new IamError([{ code: 'FIELD_MISSING', message: 'a is missing' }, { code: 'FIELD_UNKNOWN' }]);
    expect(error.code).toBe('FIELD_MISSING');
    expect(error.items).toEqual([
      { code: 'FIELD_MISSING', message: 'a is missing' },
      { code: 'FIELD_UNKNOWN', message: errorTable.FIELD_UNKNOWN.message },
    ]);
  });

  test('contains the headers of its options', () => {
    expect(apiError('TOO_MANY_ATTEMPTS', undefined, { 'Retry-After': '30' }).headers).toEqual({ 'Retry-After': '30' });
    expect(apiError('GROUP_NOT_FOUND').headers).toEqual({});
  });
});

describe('the status on an operation', () => {
  test('is that of the code if it is documented', () => {
    expect(resolveErrorStatus('GROUP_NAME_TAKEN', [201, 400, 401, 412, 422])).toBe(412);
  });

  test.each(codes.filter((code) => implicitStatuses.includes(errorTable[code].status)))(
    '%s has the same status everywhere',
    (code) => {
      expect(resolveErrorStatus(code, [200])).toBe(errorTable[code].status);
    },
  );

  test.each([
    [[201, 401, 422], 422],
    [[201, 401, 400], 400],
    [[200, 204, 401], 200],
    [[204, 401], 401],
  ])('falls back along 422, 412, 400, 200, 401: for %j it is %i', (documented, status) => {
    expect(resolveErrorStatus('GROUP_NAME_TAKEN', documented)).toBe(status);
  });

  test('is 401 for a missing role if 403 is not documented', () => {
    expect(resolveErrorStatus('ROLE_MISSING', [200, 401, 422])).toBe(401);
    expect(resolveErrorStatus('ROLE_MISSING', [200, 401, 403])).toBe(403);
  });

  test('is 401 for ambiguous credentials if 400 is not documented', () => {
    expect(resolveErrorStatus('CREDENTIALS_AMBIGUOUS', [200, 204, 401])).toBe(401);
  });

  test('is 400 for a rejected value if 422 is not documented', () => {
    expect(resolveErrorStatus('FIELD_VALUE', [200, 400, 401, 412])).toBe(400);
  });

  test('is 403 for scope that the caller cannot give if 422 is not documented, but 403 is', () => {
    expect(resolveErrorStatus('SCOPE_EXCEEDED', [201, 400, 401, 403, 412])).toBe(403);
    expect(resolveErrorStatus('SCOPE_EXCEEDED', [201, 400, 401, 412])).toBe(412);
    expect(resolveErrorStatus('SCOPE_EXCEEDED', [201, 400, 401, 403, 422])).toBe(422);
  });
});
