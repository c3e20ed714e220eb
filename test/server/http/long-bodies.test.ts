import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { safeParseInSlices } from '../../../src/server/http/request-validation.ts';
import { SeedDocument } from '../../../src/server/seed/schema.ts';

const groups = (length: number) =>
  Array.from({ length }, (_, at) => ({ groupName: `group-${at}`, roles: [`READ_${at}`] }));
const users = (length: number) => Array.from({ length }, (_, at) => ({ userId: `user-${at}` }));

const changed = (at: number, group: object) => groups(250).map((one, number) => (number === at ? group : one));

const bodies: [string, unknown][] = [
  ['no object', 'text'],
  ['null', null],
  ['a list', [{}]],
  ['an empty object', {}],
  ['short lists', { groups: groups(3), users: users(3) }],
  ['long lists', { users: users(101), groups: groups(250), $schema: 'https://example.com' }],
  ['a list that is none', { groups: { length: 200 }, users: users(150) }],
  ['a wrong element in the first slice', { groups: changed(7, { groupName: 7 }) }],
  [
    'wrong elements in later slices',
    { groups: changed(249, { roles: ['a b'], other: 1 }), users: [...users(120), 1, null] },
  ],
  ['a wrong element and an unknown field', { other: 1, groups: changed(120, {}), clients: [{}] }],
];

/** That of the object is shown without the long lists. */
const withoutInput = ({ input: _, ...issue }: z.core.$ZodIssue) => issue;

describe('validation in slices has the result of that of the whole', () => {
  test.each(bodies)('for %s', async (_, body) => {
    const whole = await SeedDocument.safeParseAsync(body, { reportInput: true });
    const sliced = await safeParseInSlices(SeedDocument, body, { reportInput: true });
    expect(sliced.success).toBe(whole.success);
    expect(sliced.data).toEqual(whole.data);
    expect(sliced.error?.issues.map(withoutInput)).toEqual(whole.error?.issues.map(withoutInput));
  });

  test('for a list with checks of its own', async () => {
    const schema = z.strictObject({ list: z.array(z.int()).max(150) });
    const list = Array.from({ length: 200 }, () => 1);
    expect((await safeParseInSlices(schema, { list }, {})).error?.issues).toMatchObject([{ code: 'too_big' }]);
  });
});

test('each slice has a turn of the event loop', async () => {
  let turns = 0;
  let isRunning = true;
  const parsed = safeParseInSlices(SeedDocument, { groups: groups(5_000) }, {}).finally(() => {
    isRunning = false;
  });
  while (isRunning) {
    turns += 1;
    await new Promise(setImmediate);
  }
  expect((await parsed).success).toBe(true);
  expect(turns).toBeGreaterThanOrEqual(49);
});
