/** Errors of a response at the fields of a form. */
import { expect, test } from 'vitest';
import { RequestError } from '../../src/api/errors.ts';
import { splitFieldErrors } from '../../src/components/forms/field-errors.ts';

const fields = ['roles', 'userEmail'];
const findField = (path: string) => (path === 'userMobile' ? 'mobile' : fields.find((field) => field === path));

function split(...paths: (string | undefined)[]) {
  const items = paths.map((field, at) => ({
    code: 'FIELD_VALUE',
    message: `m${at}`,
    ...(field === undefined ? {} : { details: { field } }),
  }));
  return splitFieldErrors(new RequestError(400, items, 'r1'), findField);
}

test('an error is at the field of its path, or at the list or object around it', () => {
  expect(split('userEmail', 'roles[3]', 'roles[4].name', 'userMobile.regionCode')).toEqual({
    fields: { userEmail: 'm0', roles: 'm1 m2', mobile: 'm3' },
    rest: undefined,
  });
});

test('what no field shows is left, with the request id', () => {
  const { fields: shown, rest } = split('userEmail', 'unknown.roles', undefined);
  expect(shown).toEqual({ userEmail: 'm0' });
  expect(rest).toMatchObject({ status: 400, requestId: 'r1', items: [{ message: 'm1' }, { message: 'm2' }] });
  const failure = new Error('no response');
  expect(splitFieldErrors(failure, findField)).toEqual({ fields: {}, rest: failure });
});
