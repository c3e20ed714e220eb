/** Errors of a response at the fields of a form. */
import { expect, test } from 'vitest';
import { errorFields } from '../../src/api/error-hints.ts';
import { splitFieldErrors } from '../../src/components/forms/field-errors.ts';

const fields = ['roles', 'userEmail'];
const findField = (path: string) => (path === 'userMobile' ? 'mobile' : fields.find((field) => field === path));

function split(...paths: (string | undefined)[]) {
  const items = paths.map((field, at) => ({
    code: 'FIELD_VALUE',
    message: `m${at}`,
    ...(field === undefined ? {} : { details: { field } }),
  }));
  return splitFieldErrors(items, findField);
}

test('an error is at the field of its path, or at the list or object around it', () => {
  expect(split('userEmail', 'roles[3]', 'roles[4].name', 'userMobile.regionCode')).toEqual({
    fields: { userEmail: 'm0', roles: 'm1 m2', mobile: 'm3' },
    others: [],
  });
});

test('what no field shows is left', () => {
  const { fields: shown, others } = split('userEmail', 'unknown.roles', undefined);
  expect(shown).toEqual({ userEmail: 'm0' });
  expect(others.map(({ message }) => message)).toEqual(['m1', 'm2']);
});

test.each([
  ['GROUP_NAME_TAKEN', 'groupName'],
  ['LOGIN_NAME_TAKEN', 'userName'],
  ['PASSWORD_TOO_SHORT', 'newPassword'],
])('%s names no field: it is at the one of its declaration, %s', (code, field) => {
  const find = (path: string) => ['groupName', 'userName', 'newPassword'].find((name) => name === path);
  expect(splitFieldErrors([{ code, message: 'm' }], find, errorFields)).toEqual({
    fields: { [field]: 'm' },
    others: [],
  });
});
