/** Walks all commands that add a value to a list or remove one by name: no question, and the lines of `update`. */
import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changesValues, valueChanges } from '../../../src/cli/commands/update/value-changes.ts';
import { manifest } from '../../../src/contract/manifest.ts';
import { Home } from '../run-cli.ts';
import { ExampleRunner } from './example-runner.ts';

interface ValueCase {
  readonly add: string;
  readonly remove: string;
  /** The owner, and what is added and removed. */
  readonly printed: readonly [owner: string, value: string];
}

const cases: readonly ValueCase[] = [
  {
    add: 'groups add-role ops RESTART',
    remove: 'groups remove-role ops RESTART',
    printed: ['ops', 'role RESTART'],
  },
  {
    add: 'groups add-dependency ops base',
    remove: 'groups remove-dependency ops base',
    printed: ['ops', 'dependency base'],
  },
  {
    add: 'groups users add ops bob',
    remove: 'groups users remove ops ANOTHER_USER_ID',
    printed: ['ops', 'user ANOTHER_USER_ID (bob)'],
  },
  {
    add: 'groups businesses add ops acme',
    remove: 'groups businesses remove ops acme',
    printed: ['ops', 'business acme'],
  },
  {
    add: 'groups business-users add ops acme alice',
    remove: 'groups business-users remove ops acme alice',
    printed: ['ops', 'business user USER_ID (alice) of acme'],
  },
  {
    add: 'groups services add ops billing-service',
    remove: 'groups services remove ops billing-service',
    printed: ['ops', 'service billing-service'],
  },
  {
    add: 'users add-identity alice --identity alice.smith',
    remove: 'users remove-identity alice alice.smith',
    printed: ['USER_ID (alice)', 'login name alice.smith'],
  },
];

const commandOf = (line: string) =>
  manifest.operations.find(({ command }) => command !== undefined && line.startsWith(`${command} `));

test('every delete that asks nothing, and its counterpart, is in the table and has a case', () => {
  const mild = manifest.operations.filter(({ method, effect }) => method === 'DELETE' && effect === 'write');
  const walked = cases.flatMap(({ add, remove }) => [commandOf(add)?.id, commandOf(remove)?.id]);
  expect(walked.sort()).toEqual(Object.keys(valueChanges).sort());
  const removals = manifest.operations.filter((one) => changesValues(one) && one.method === 'DELETE');
  expect(mild.map(({ id }) => id)).toEqual(removals.map(({ id }) => id));
});

let runner: ExampleRunner;
beforeAll(async () => {
  runner = await ExampleRunner.create();
  await runner.run('groups create --group-name base', 'administrator');
});
afterAll(() => runner[Symbol.asyncDispose]());

describe.each(cases)('$add and $remove', ({ add, remove, printed: [owner, value] }) => {
  const run = (line: string) => runner.run(line, 'administrator');
  const readTables = async () => {
    const { groups, memberships, users } = await runner.server.dump();
    return { groups, memberships, users };
  };

  test('ask nothing, and print what changed', async () => {
    const before = await readTables();
    expect(await run(add)).toEqual({ code: 0, out: '', err: `${owner}: + ${value}\n` });
    expect(await run(add)).toMatchObject({ code: 0, err: `${owner}: nothing to change\n` });
    expect(await run(remove)).toEqual({ code: 0, out: '', err: `${owner}: - ${value}\n` });
    expect(await readTables()).toEqual(before);
    expect(await run(remove)).toMatchObject({ code: 3 });
    expect(await run(`${remove} --if-exists`)).toMatchObject({
      code: 0,
      err: expect.stringContaining('does not exist'),
    });
    expect((await run(`${remove.split(' ').slice(0, -1).join(' ')} --help`)).out).not.toContain('--yes');
  });
});

test('of several values those that are new are printed, and none is claimed as new if that is not known', async () => {
  const add = (users: string) => runner.run(`groups users add base ${users}`, 'administrator');
  expect(await add('bob')).toMatchObject({ err: 'base: + user ANOTHER_USER_ID (bob)\n' });
  expect(await add('bob id:USER_ID')).toMatchObject({ err: 'base: + user USER_ID (alice)\n' });
  const addIdentity = (name: string) => runner.run(`users add-identity alice --identity ${name}`, 'administrator');
  expect(await addIdentity('a.smith@example.com')).toMatchObject({ err: expect.stringContaining(': + login name') });
  expect(await addIdentity('A.Smith@example.com')).toMatchObject({
    err: expect.stringContaining(': has login name A.Smith@example.com'),
  });
  expect(await addIdentity('smith')).toMatchObject({ err: expect.stringContaining(': + login name smith') });
});

test('a row of a bulk run and a call of the operation ask nothing either', async () => {
  await using home = await Home.make();
  const rows = home.file('rows.csv');
  await writeFile(rows, 'groupId,roleName\nops,DEPLOY\nops,ROLLBACK\n');
  expect(await runner.run(`bulk run ${rows} --operation groups.remove-role`, 'administrator')).toMatchObject({
    code: 0,
  });
  await runner.run('groups add-role ops DEPLOY', 'administrator');
  const call = 'call groups.remove-role -p groupId=ops -p roleName=DEPLOY';
  expect(await runner.run(call, 'administrator')).toMatchObject({ code: 0 });
});

test('a lock and an unlock that change nothing say so, and so do the roles of a locked user', async () => {
  const run = (line: string) => runner.run(`users ${line}`, 'administrator');
  const lock = 'lock bob --yes';
  expect((await run('roles bob')).err).not.toContain('locked');
  expect(await run(lock)).toMatchObject({ code: 0, err: expect.stringContaining(': done\n') });
  expect(await run(lock)).toMatchObject({ code: 0, err: expect.stringContaining(': nothing to change\n') });
  expect((await run('roles bob')).err).toContain('The user is locked');
  expect(await run(`${lock} --reason moved`)).toMatchObject({ code: 0, err: expect.stringContaining(': done\n') });
  expect(await run('unlock bob')).toMatchObject({ code: 0, err: expect.stringContaining(': done\n') });
  expect(await run('unlock bob')).toMatchObject({ code: 0, err: expect.stringContaining(': not locked') });
});
