import { describe, expect, test } from 'vitest';
import { startFakeServer } from '../../client/fake-server.ts';
import { iam } from '../run-cli.ts';

const groups = [
  { groupId: 'g1', groupName: 'ops, "night"', roles: ['A', 'B'], dependencies: [{ groupName: 'leads' }] },
  { groupId: 'g2', groupName: 'leads', roles: [], dependencies: [] },
];
const heading = 'groupId,groupName,organizationId,businessUnitId,roles,dependencies';

describe('csv', () => {
  test('has a header of all columns, and quotes values if needed', async () => {
    await using server = await startFakeServer(() => ({ json: groups }));
    expect((await iam(['groups', 'list', '-o', 'csv'], server)).out).toBe(
      `${heading}\ng1,"ops, ""night""",,,A;B,leads\ng2,leads,,,,\n`,
    );
  });

  test('has a header also without entries', async () => {
    await using server = await startFakeServer(() => ({ json: [] }));
    expect((await iam(['groups', 'list', '-o', 'csv', '-q'], server)).out).toBe(`${heading}\n`);
  });

  test('of one entity is a header and a line', async () => {
    await using server = await startFakeServer(() => ({
      json: { groupId: 'g1', roles: [{ a: 1, b: 2 }], none: null },
    }));
    expect((await iam(['groups', 'get', 'x', '-o', 'csv'], server)).out).toBe(
      'groupId,roles,none\ng1,"[{""a"":1,""b"":2}]",\n',
    );
  });

  test('of a list value has the columns of all rows', async () => {
    await using server = await startFakeServer(() => ({ json: [{ role: 'A' }, { role: 'B', groupNames: ['ops'] }] }));
    expect((await iam(['users', 'roles', 'u1', '-o', 'csv'], server)).out).toBe('role,groupNames\nA,\nB,ops\n');
  });
});

test.each(['csv', 'jsonl'])('%s is written page by page', async (format) => {
  await using server = await startFakeServer(({ path }) =>
    path.includes('after=')
      ? { hangUp: true }
      : { status: 206, json: groups, headers: { link: '</x?after=1>; rel="next"' } },
  );
  const outcome = await iam(['groups', 'list', '--all', '-o', format], server);
  expect(outcome.code).toBe(75);
  expect(outcome.out).toContain('leads');
});

test('wide is a table that is never truncated', async () => {
  const json = [{ groupId: 'g1', groupName: 'n'.repeat(90), roles: ['R'.repeat(90)] }];
  await using server = await startFakeServer(() => ({ json }));
  const { out } = await iam(['groups', 'list', '-o', 'wide'], { ...server, columns: 80 });
  expect(out).toContain(`${'n'.repeat(90)}  ${'R'.repeat(90)}\n`);
});
