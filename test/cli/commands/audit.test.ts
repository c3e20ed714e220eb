import { afterAll, beforeAll, expect, test } from 'vitest';
import { startServer, type TestServer } from '../../harness.ts';
import { iam } from '../run-cli.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ seed: { users: [{ userId: 'ann', userName: 'ann' }], groups: [{ groupName: 'ops' }] } });
  await server.admin.groups.addRole({ params: { groupId: 'ops' }, body: { roleName: 'DEPLOY' } });
  await server.admin.userAccesses.addUser({ params: { groupName: 'ops' }, body: { userId: 'ann' } });
  await server.admin.groups.remove({ params: { groupId: 'ops' } });
});
afterAll(() => server[Symbol.asyncDispose]());

const run = (...args: readonly string[]) => iam(['audit', ...args], { url: server.url });

test('lists who changed what, with names and values', async () => {
  const { code, out, err } = await run('--event', 'administration');
  expect([code, err]).toEqual([0, 'Only the last events of this run: this server has no files of its audit log.\n']);
  expect(out.split('\n').map((line) => line.replaceAll(/ {2,}/g, ' | '))).toEqual([
    'TIME | ACTOR | OPERATION | OBJECTS | CHANGES | RESULT',
    expect.stringMatching(/Z \| iam-admin \| groups\.remove \| group ops.* \| .*group deleted.* \| granted/),
    expect.stringMatching(/ \| user-accesses\.add-user \| group ops, user ann \| membership created \| granted/),
    expect.stringMatching(/ \| groups\.add-role \| group ops \| roles: \+DEPLOY \| granted/),
    '',
  ]);
});

test('says at 80 columns what was changed, and what was refused', async () => {
  await expect(server.admin.groups.addRole({ params: { groupId: 'none' }, body: { roleName: 'A' } })).rejects.toThrow();
  const { out } = await iam(['audit', '--operation', 'groups add-role'], { url: server.url, columns: 80 });
  expect(out.split('\n').map((line) => line.replaceAll(/ {2,}/g, ' | '))).toEqual([
    'TIME | ACTOR | OPERATION | OBJECTS | CHANGES',
    expect.stringMatching(/ \| groups\.add-role \| group none \| refused: GROUP_NO…$/),
    expect.stringMatching(/ \| groups\.add-role \| group ops \| roles: \+DEPLOY$/),
    '',
  ]);
});

test('finds the events of one object, also of one that is deleted, and of a caller', async () => {
  const operations = async (...args: readonly string[]) => {
    const { out } = await run(...args, '-o', 'jsonl');
    return out
      .split('\n')
      .flatMap((line) => (line === '' ? [] : (JSON.parse(line) as { operation: string }).operation));
  };
  expect(await operations('--user', 'ann')).toEqual(['groups.remove', 'user-accesses.add-user']);
  expect(await operations('--group', 'ops')).toEqual(['groups.remove', 'user-accesses.add-user', 'groups.add-role']);
  expect(await operations('--group', 'ops', '--operation', 'groups remove')).toEqual(['groups.remove']);
  expect(await operations('--group', 'ops', '--changed', '--limit', '1')).toEqual(['groups.remove']);
  expect(await operations('--caller', 'ann')).toEqual([]);
  expect(await run('--user', 'ann', '--group', 'ops')).toMatchObject({ code: 2 });
});

test('follows new events that match', async () => {
  const following = run('--follow', '--limit', '1', '--operation', 'groups.create', '-o', 'jsonl');
  let count = 0;
  // The stream contains only what happens after its start.
  const noise = setInterval(() => {
    count += 1;
    void server.admin.groups.create({ body: { groupName: `new-${count}` } });
  }, 20);
  const { code, out } = await following;
  clearInterval(noise);
  expect([code, JSON.parse(out)]).toMatchObject([0, { operation: 'groups.create', changes: [{ action: 'created' }] }]);
});
