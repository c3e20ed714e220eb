/** Operations are found by id and by command. */
import { describe, expect, test } from 'vitest';
import { commandOfOperation, findOperations, resolveOperation } from '../../../src/cli/request/operation-names.ts';
import { manifest } from '../../../src/contract/manifest.ts';
import { startFakeServer } from '../../client/fake-server.ts';
import { Home, iam } from '../run-cli.ts';

const ids = (name: string) => findOperations(manifest, name).map(({ id }) => id);

describe.each(manifest.operations.map((operation) => ({ id: operation.id, command: commandOfOperation(operation) })))(
  '$id',
  ({ id, command }) => {
    test('is found by its id, and by each spelling of its command', () => {
      expect(ids(id)).toEqual([id]);
      if (command === undefined) return;
      for (const spelling of [command, `iam ${command}`, command.replaceAll(' ', '.')])
        if (command === 'login') expect(ids(spelling)).toContain(id);
        else expect([spelling, ids(spelling)]).toEqual([spelling, [id]]);
    });
  },
);

test.each([
  ['group create', 'groups.create'],
  ['users rm', 'user-identities.remove'],
  ['api-keys ls', 'api-key.list'],
  ['groups user delete', 'user-accesses.remove-user'],
])('%s is %s, as in the commands', (name, id) => {
  expect(ids(name)).toEqual([id]);
});

test.each([
  ['users.creat', 'Did you mean users create (user-identities.create)?'],
  ['groups.creat', 'Did you mean groups create (groups.create)?'],
  ['user-identites.retrieve', 'Did you mean user-identities.retrieve?'],
  ['lock', 'Did you mean users lock (user-identities.lock)?'],
  ['login', 'client-identities.login, user-identities.login'],
  ['', 'Operation "" not found'],
])('%s is rejected with the nearest names', (name, message) => {
  expect(() => resolveOperation(manifest, name)).toThrow(message);
});

describe('a command that takes an operation', () => {
  test.each([['users.create'], ['users create'], ['user-identities.create']])('accepts %s', async (name) => {
    await using server = await startFakeServer(() => ({ json: {} }));
    await using home = await Home.make();
    const call = await iam(['call', ...name.split(' '), '--dry-run', '-o', 'json'], server);
    expect(call).toMatchObject({ code: 0 });
    expect(JSON.parse(call.out)).toMatchObject({
      method: 'POST',
      url: `${server.url}/security/iam/v1/user-identities`,
    });
    const fault = await iam(['faults', 'add', '--operation', name, '--fail', '503', '--dry-run', '-o', 'json'], server);
    expect(JSON.parse(fault.out).body).toMatchObject({ operation: 'user-identities.create' });
    const rows = ['bulk', 'run', '-', '--operation', name, '--dry-run', '-o', 'jsonl'];
    const bulk = await home.iam(rows, { ...server, stdin: 'userName\nalice\n' });
    expect([bulk.code, bulk.err]).toEqual([2, expect.stringContaining('userEmail is missing')]);
    await iam(['requests', 'list', '--operation', name], server);
    expect(server.received.map(({ path }) => path)).toEqual([
      expect.stringContaining('/_iam/requests?operation=user-identities.create'),
    ]);
  });

  test.each([
    [['groups.get', 'ops'], 'Use `iam call groups.get --param groupId=ops`.'],
    [['groups', 'get', 'ops'], 'Use `iam call groups.get --param groupId=ops`.'],
    [['groups.get', "o'ps", 'x'], "Use `iam call groups.get --param 'groupId=o'\\''ps'`."],
    [['groups.list', 'ops'], 'See `iam call groups.list --help`.'],
  ])('call %j shows how to pass the values', async (words, hint) => {
    expect(await iam(['call', ...words])).toMatchObject({ code: 2, err: expect.stringContaining(hint) });
  });

  test.each([
    [['call', 'users.creat']],
    [['bulk', 'run', '-', '--operation', 'users.creat']],
    [['faults', 'add', '--operation', 'users.creat', '--fail', '503']],
    [['requests', 'list', '--operation', 'users.creat']],
    [['requests', 'wait', '--operation', 'users.creat']],
  ])('%j rejects an unknown one before any request', async (words) => {
    await using server = await startFakeServer(() => ({ json: [] }));
    const { code, err } = await iam(words, { ...server, stdin: '' });
    expect([code, err]).toEqual([2, expect.stringContaining('Did you mean users create (user-identities.create)?')]);
    expect(server.received).toEqual([]);
  });
});
