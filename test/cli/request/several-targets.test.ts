import type { Command } from 'commander';
import { afterAll, beforeAll, beforeEach, describe, expect } from 'vitest';
import { buildCompleteProgram } from '../../../src/cli/cli-reference.ts';
import { commandPath } from '../../../src/cli/command.ts';
import { saveProfile } from '../../../src/cli/config/profile.ts';
import { manifest } from '../../../src/contract/manifest.ts';
import { errorResponse, startFakeServer } from '../../client/fake-server.ts';
import { adminClient, startServer, type TestServer } from '../../harness.ts';
import { createScriptedPrompter } from '../prompts/scripted-prompter.ts';
import { iam, type RunOptions, test } from '../run-cli.ts';

describe('several arguments', () => {
  let server: TestServer;
  let variables: Record<string, string>;
  const run = (line: string, options: RunOptions = {}) =>
    iam(line.split(' '), { url: server.url, variables, ...options });
  const names = async () => (await run('groups list -o name')).out.split('\n').filter(Boolean);

  beforeAll(async () => {
    server = await startServer();
    const credentials = { IAM_CLIENT_ID: adminClient.clientId, IAM_CLIENT_SECRET: adminClient.clientSecret };
    const { out } = await iam(['token', 'generate'], { url: server.url, variables: credentials });
    variables = { IAM_TOKEN: out.trim() };
  });

  beforeEach(async () => {
    for (const name of ['g1', 'g2', 'g3']) await run(`groups create --group-name ${name} --role A --if-not-exists`);
  });

  afterAll(() => server[Symbol.asyncDispose]());

  test('are read in their order: an object for one, one list for several', async () => {
    expect(JSON.parse((await run('groups get g2 -o json')).out)).toMatchObject({ groupName: 'g2' });
    const several = JSON.parse((await run('groups get g2 g1 -o json')).out);
    expect(several).toMatchObject([{ groupName: 'g2' }, { groupName: 'g1' }]);
    expect((await run('groups get g2 g1 -o name')).out).toBe('g2\ng1\n');
    const rows = (await run('groups get g2 g1 -o jsonl')).out.trim().split('\n');
    expect(rows.map((row) => JSON.parse(row).groupName)).toEqual(['g2', 'g1']);
    expect((await run('groups get g2 g1 -o csv --columns groupName')).out).toBe('groupName\ng2\ng1\n');
    expect((await run('groups get g2 g1 -o json --query [].groupName')).out).toBe('[\n  "g2",\n  "g1"\n]\n');
  });

  test('that do not exist are reported by name, and the others are read', async () => {
    const outcome = await run('groups get g1 ghost g2 -o json');
    expect(outcome.code).toBe(8);
    expect(JSON.parse(outcome.out)).toMatchObject([{ groupName: 'g1' }, { groupName: 'g2' }]);
    const errors = outcome.err.trim().split('\n');
    expect(errors.map((line) => JSON.parse(line).error)).toMatchObject([
      { code: 'GROUP_NOT_FOUND', status: 404, target: 'ghost' },
      { code: 'SOME_FAILED', message: '1 of 3 failed.' },
    ]);
    expect((await run('groups get ghost g1')).err).toContain('error: ghost: Group not found.');
  });

  test('are deleted in turn, each once, with one confirmation that names them all', async () => {
    const { prompter, questions } = createScriptedPrompter(true);
    const outcome = await run('groups delete g1 g2 g1', { columns: 80, prompter });
    expect(outcome).toMatchObject({ code: 0, out: '' });
    expect(questions).toMatchObject([{ type: 'confirm', message: 'Run `groups delete` for all 2?', default: false }]);
    expect(outcome.err).toBe('  g1\n  g2\ngroups delete g1: done\ngroups delete g2: done\n');
    expect(await names()).not.toContain('g1');
    expect(await names()).toContain('g3');
  });

  test.each([
    ['without a terminal', {}, 10],
    ['after a no', { columns: 80, prompter: createScriptedPrompter(false).prompter }, 1],
  ])('are not deleted without a confirmation: %s', async (_, options, code) => {
    const before = await server.dump();
    expect((await run('groups delete g1 g2', options)).code).toBe(code);
    expect(await server.dump()).toEqual(before);
  });

  test('after a failure the others are deleted, and the exit code says that a part was done', async () => {
    expect((await run('groups delete ghost nosuch --yes')).code).toBe(3);
    const outcome = await run('groups delete g1 ghost g2 --yes');
    expect(outcome).toMatchObject({ code: 8, out: '' });
    expect(outcome.err).toContain('error: ghost: Group not found.');
    expect(outcome.err).toContain('error: 1 of 3 failed.');
    expect(await names()).not.toContain('g2');
  });

  test('that fail for different reasons exit with 8, and programs get a row for each', async () => {
    await run('groups create --group-name above --dependency g1 --if-not-exists');
    const outcome = await run('groups delete ghost g1 g2 --yes -o json -q');
    expect(outcome.code).toBe(8);
    expect(JSON.parse(outcome.out)).toEqual([
      { target: 'ghost', state: 'failed' },
      { target: 'g1', state: 'failed' },
      { target: 'g2', state: 'done' },
    ]);
    expect(await names()).toContain('g1');
    await run('groups delete above --yes');
  });

  test('--if-exists: what does not exist counts as done', async () => {
    const one = await run('groups delete ghost --yes --if-exists');
    expect(one).toEqual({ code: 0, out: '', err: 'groups delete ghost: does not exist\n' });
    expect(await run('groups delete g1 --yes --if-exists')).toMatchObject({ code: 0, err: 'groups delete g1: done\n' });
    const several = await run('groups delete ghost g2 --yes --if-exists -o jsonl -q');
    expect(several).toEqual({
      code: 0,
      out: '{"target":"ghost","state":"absent"}\n{"target":"g2","state":"done"}\n',
      err: '',
    });
  });

  test('--if-exists: a missing group is a failure if a member or a role is to be removed from it', async () => {
    expect((await run('groups remove-role g1 GHOST --if-exists')).code).toBe(0);
    expect((await run('groups users remove g1 ghost --if-exists')).code).toBe(0);
    expect((await run('groups remove-role ghost A --if-exists')).code).toBe(3);
    expect((await run('groups users remove ghost u1 u2 --if-exists')).code).toBe(3);
  });

  test('a dry run prints every request and sends none', async () => {
    const before = await server.dump();
    const { out } = await run('groups delete g1 g2 --dry-run -o json');
    expect(JSON.parse(out).map(({ method }: { method: string }) => method)).toEqual(['DELETE', 'DELETE']);
    expect(await server.dump()).toEqual(before);
  });

  test('are locked, added and removed in turn, and each line says what changed', async () => {
    for (const name of ['u1', 'u2'])
      await run(`users create --user-id ${name} --user-name ${name} --user-email ${name}@example.com`);
    await run('users lock u1 --yes');
    expect(await run('users lock u1 u2 unknown --yes')).toMatchObject({
      code: 8,
      err: expect.stringMatching(/^users lock u1: nothing to change\nusers lock u2: done\nerror: unknown: /),
    });
    expect(JSON.parse((await run('users unlock u1 u2 -o json')).out)).toEqual([
      { target: 'u1', state: 'done' },
      { target: 'u2', state: 'done' },
    ]);
    expect(await run('groups add-role g1 A B C')).toMatchObject({
      code: 0,
      err: 'g1: nothing to change\ng1: + role B\ng1: + role C\n',
    });
  });

  test('of the control plane are removed in turn, with one confirmation', async () => {
    for (const name of ['s1', 's2']) await run(`state save ${name}`);
    const { prompter, questions } = createScriptedPrompter(true);
    expect(await run('state delete s1 s2 s1', { columns: 80, prompter })).toMatchObject({
      code: 0,
      err: 'Deleted s1.\nDeleted s2.\n',
    });
    expect(questions).toMatchObject([{ message: 'Delete the snapshots s1, s2?' }]);
    expect(await run('state delete s1 s2')).toMatchObject({ code: 10 });
    const { code, out } = await run('sandbox delete x y --yes -o json');
    expect([code, JSON.parse(out)]).toEqual([
      3,
      [
        { target: 'x', state: 'failed' },
        { target: 'y', state: 'failed' },
      ],
    ]);
    expect(await run('sessions end a b --dry-run -o name')).toMatchObject({ code: 0 });
    expect(await run('sessions end a --user-id u1')).toMatchObject({ code: 2 });
  });

  test('an argument that is not valid is a usage error, and none is deleted', async () => {
    const before = await server.dump();
    expect((await run('groups delete g1 .. --yes')).code).toBe(2);
    expect((await iam(['groups', 'delete', 'g1', '', '--yes'], { url: server.url, variables })).code).toBe(2);
    expect(await server.dump()).toEqual(before);
  });
});

test('are accepted by every command whose path ends in the entity that it reads or deletes', async () => {
  const deletes = manifest.operations.filter(({ method, command }) => method === 'DELETE' && command !== undefined);
  for (const { command = '' } of deletes) {
    const { out } = await iam([...command.split(' '), '--help']);
    const [usage] = out.split('\n\n');
    expect(usage, command).toMatch(/\.\.\.>$/);
    expect(out, command).toContain('--if-exists');
  }
  expect((await iam(['users', 'roles', '--help'])).out).toContain('<user-id>');
});

test('are accepted by every command that removes, ends, locks, or adds a value', async () => {
  const list = (command: Command): Command[] => [command, ...command.commands.flatMap(list)];
  const changing = list(await buildCompleteProgram(process.stdout)).filter((command) =>
    /^(delete|remove|end|lock|unlock|add-|remove-)/.test(command.name()),
  );
  expect(changing.length).toBeGreaterThan(20);
  const single = changing.filter(({ registeredArguments }) => registeredArguments.at(-1)?.variadic !== true);
  expect(single.map(commandPath)).toEqual([]);
});

test('a failed sign-in or connection ends the command: the rest is not sent', async () => {
  await using server = await startFakeServer(({ path }) =>
    path.endsWith('a')
      ? { status: 204 }
      : path.endsWith('b')
        ? { hangUp: true }
        : errorResponse(404, 'GROUP_NOT_FOUND'),
  );
  const outcome = await iam(['groups', 'delete', 'a', 'b', 'c', '--yes', '-o', 'jsonl', '-q'], server);
  expect(outcome.code).toBe(76);
  expect(outcome.out).toBe(
    '{"target":"a","state":"done"}\n{"target":"b","state":"unknown"}\n{"target":"c","state":"unsent"}\n',
  );
  expect(outcome.err).toContain('1 of 3 failed, 1 not sent.');
  expect(server.received).toHaveLength(2);
});

test('a delete of unknown outcome is no failed one, and its exit code precedes that of others', async () => {
  await using server = await startFakeServer(({ path }) =>
    path.endsWith('a') ? errorResponse(404, 'GROUP_NOT_FOUND') : errorResponse(503, 'OUTCOME_UNKNOWN'),
  );
  const { code, out } = await iam(['groups', 'delete', 'a', 'b', '--yes', '-o', 'jsonl', '-q'], server);
  expect([code, out]).toEqual([76, '{"target":"a","state":"failed"}\n{"target":"b","state":"unknown"}\n']);
});

test('a protected profile requires its name for several deletes, and max-changes counts them', async ({ home }) => {
  await using server = await startFakeServer(() => ({ status: 204 }));
  await saveProfile('careful', { baseUrl: server.url, token: 't', protected: true }, home.variables);
  const words = ['groups', 'delete', 'a', 'b', '--profile', 'careful'];
  expect((await home.iam([...words, '--yes'])).code).toBe(10);
  await saveProfile('small', { baseUrl: server.url, token: 't', maxChanges: 1 }, home.variables);
  expect((await home.iam(['groups', 'delete', 'a', 'b', '--yes', '--profile', 'small'])).code).toBe(2);
  expect(server.received).toEqual([]);
  expect((await home.iam([...words, '--confirm', 'careful'])).code).toBe(0);
  expect(server.received).toHaveLength(2);
});
