import { describe, expect, test } from 'vitest';
import { findUpdatableResource } from '../../../src/cli/commands/update/resources.ts';
import { manifest } from '../../../src/contract/manifest.ts';
import { startFakeServer } from '../../client/fake-server.ts';
import { iam } from '../run-cli.ts';

const commands = manifest.operations.filter(
  ({ command, params, body }) =>
    command !== undefined && (params.length > 0 || body?.type === 'array' || body?.required),
);

describe('missing values in non-interactive mode', () => {
  test('affect most commands', () => {
    expect(commands.length).toBeGreaterThan(40);
  });

  test.each(commands)('of $command are reported with exit code 10, and nothing is sent', async (operation) => {
    const { command = '', params, body } = operation;
    // An update changes what is named: no field is required.
    const isUpdate = findUpdatableResource(operation) !== undefined;
    await using server = await startFakeServer(() => ({ json: {} }));
    const outcome = await iam([...command.split(' '), '--no-input', '-o', 'json'], { ...server, columns: 80 });
    expect(outcome).toMatchObject({ code: 10, out: '' });
    const { error } = JSON.parse(outcome.err) as { error: { code: string; message: string; hint: string } };
    expect(error.code).toBe('INPUT_NEEDED');
    const fields = isUpdate ? 0 : (body?.required?.length ?? (body?.type === 'array' ? 1 : 0));
    const required = params.length + fields;
    expect(error.message.match(/<[a-z-]+>|--[a-z.-]+/g)?.length).toBeGreaterThanOrEqual(required);
    expect(error.hint).toContain(`\`iam ${command} `);
    expect(server.received).toEqual([]);
  });

  test.each([
    [['groups', 'tree', '--no-input'], 0],
    [['groups', 'members', '--no-input'], 10],
    [['groups', 'update', '--add-role', 'A', '--no-input'], 10],
    [['can', 'u1', '--no-input'], 10],
    [['bulk', 'run', '--no-input'], 10],
    [['sandbox', 'delete', '--no-input'], 10],
    [['call', '--no-input'], 10],
    [['config', 'set', 'timeout', '--no-input'], 10],
  ])('of the custom command %j exit with %d', async (words, code) => {
    await using server = await startFakeServer(() => ({ json: [] }));
    const outcome = await iam(words, { ...server, columns: 80 });
    expect(outcome.code).toBe(code);
    if (code === 10) expect(server.received).toEqual([]);
  });

  test('are reported with a description, their notation and an example', async () => {
    const outcome = await iam(['groups', 'get', '--no-input']);
    expect(outcome).toEqual({
      code: 10,
      out: '',
      err: [
        'error: <group> is missing (Id or name of the group). Cannot prompt in non-interactive mode; nothing was sent.',
        '  hint     Pass it on the command line, as in `iam groups get ops -o json`.\n',
      ].join('\n'),
    });
  });

  test.each([
    ['there is no terminal', {}, []],
    ['CI is set', { columns: 80, variables: { IAM_TOKEN: 't', CI: '1' } }, []],
    ['standard input is data', { columns: 80, stdin: '{}' }, ['-f', '-']],
    ['it is a dry run', { columns: 80 }, ['--dry-run']],
  ])('are not prompted for if %s', async (_why, runOptions, more) => {
    await using server = await startFakeServer(() => ({ json: {} }));
    const prompter = () => Promise.reject(new Error('prompted'));
    const variables = {
      IAM_TOKEN: 't',
      ...('variables' in runOptions ? runOptions.variables : {}),
      IAM_BASE_URL: server.url,
    };
    const outcome = await iam(['groups', 'create', ...more], { ...runOptions, prompter, variables });
    expect(outcome).toMatchObject({ code: 10, err: expect.stringContaining('--group-name is missing') });
    expect(server.received).toEqual([]);
  });

  test.each([
    [['whoami', 'a'], 'too many arguments'],
    [['groups', 'get', '--nonsense'], 'unknown option'],
    [['groups', 'list', '--limit', 'x'], 'whole number'],
  ])('differ from usage errors: %j exits with 2', async (words, message) => {
    expect(await iam([...words, '--no-input'])).toMatchObject({ code: 2, err: expect.stringContaining(message) });
  });
});
