import { expect } from 'vitest';
import { dumpDirectory, test } from '../../plan/plan-fixture.ts';
import { everything } from '../../plan/sample-documents.ts';

test('diff exits with 1 and prints differences, exits with 0 without any, and writes nothing', async ({ fixture }) => {
  const file = await fixture.write('iam.yaml', everything);
  const before = await dumpDirectory(fixture.server);
  const differs = await fixture.iam(['diff', '-f', file]);
  expect(differs).toMatchObject({ code: 1, err: '', out: expect.stringContaining('+ group ops') });
  expect(JSON.parse((await fixture.iam(['diff', '-f', file, '-o', 'json'])).out)).toHaveLength(7);
  expect(await dumpDirectory(fixture.server)).toEqual(before);
  await fixture.iam(['apply', '-f', file, '--yes']);
  expect(await fixture.iam(['diff', '-f', file])).toEqual({ code: 0, out: '', err: '' });
});

test('the order of roles or members is not a difference', async ({ fixture }) => {
  await fixture.iam([
    'apply',
    '-f',
    await fixture.write('a.yaml', 'groups:\n  - {groupName: a, roles: [A, B], users: [u1, u2]}\n'),
    '--yes',
  ]);
  const file = await fixture.write('b.yaml', 'groups:\n  - {groupName: a, roles: [ROLE_B, A], users: [u2, u1]}\n');
  expect((await fixture.iam(['diff', '-f', file])).code).toBe(0);
});

test('an invalid document is not a difference: exits with 2', async ({ fixture }) => {
  expect((await fixture.iam(['diff', '-f', '-'], { stdin: 'groups: 3' })).code).toBe(2);
});
