import { describe, expect, test } from 'vitest';
import { manifest } from '../../../src/contract/manifest.ts';
import { startFakeServer } from '../../client/fake-server.ts';
import { iam } from '../run-cli.ts';

const commands = manifest.operations.filter(
  ({ command, params, body }) =>
    command !== undefined && (params.length > 0 || body?.type === 'array' || body?.required),
);

describe('values that are missing where nobody can be asked', () => {
  test('are wanted by most commands', () => {
    expect(commands.length).toBeGreaterThan(40);
  });

  test.each(commands)(
    'of $command end it with 10, named, and nothing is sent',
    async ({ command = '', params, body }) => {
      await using server = await startFakeServer(() => ({ json: {} }));
      const outcome = await iam([...command.split(' '), '--no-input', '-o', 'json'], { ...server, columns: 80 });
      expect(outcome).toMatchObject({ code: 10, out: '' });
      const { error } = JSON.parse(outcome.err) as { error: { code: string; message: string; hint: string } };
      expect(error.code).toBe('INPUT_NEEDED');
      const wanted = params.length + (body?.required?.length ?? (body?.type === 'array' ? 1 : 0));
      expect(error.message.match(/<[a-z-]+>|--[a-z.-]+/g)?.length).toBeGreaterThanOrEqual(wanted);
      expect(error.hint).toContain(`\`iam ${command} `);
      expect(server.received).toEqual([]);
    },
  );

  test.each([
    [['groups', 'tree', '--no-input'], 0],
    [['groups', 'members', '--no-input'], 10],
    [['groups', 'update', '--add-role', 'A', '--no-input'], 10],
    [['can', 'u1', '--no-input'], 10],
    [['bulk', 'run', '--no-input'], 10],
    [['sandbox', 'delete', '--no-input'], 10],
    [['call', '--no-input'], 10],
    [['config', 'set', 'timeout', '--no-input'], 10],
  ])('of %j, which is written by hand, end it with %d', async (words, code) => {
    await using server = await startFakeServer(() => ({ json: [] }));
    const outcome = await iam(words, { ...server, columns: 80 });
    expect(outcome.code).toBe(code);
    if (code === 10) expect(server.received).toEqual([]);
  });

  test('are told with what they are, how they are given, and an example', async () => {
    const outcome = await iam(['groups', 'get', '--no-input']);
    expect(outcome).toEqual({
      code: 10,
      out: '',
      err: [
        'error: <group> is missing (Id or name of the group). Nobody can be asked here, and nothing was sent.',
        '  next     Give it on the command line, as in `iam groups get ops -o json`.\n',
      ].join('\n'),
    });
  });

  test.each([
    ['it is no terminal', {}, []],
    ['of CI', { columns: 80, variables: { IAM_TOKEN: 't', CI: '1' } }, []],
    ['standard input is the data', { columns: 80, stdin: '{}' }, ['-f', '-']],
    ['of a dry run, which never asks', { columns: 80 }, ['--dry-run']],
  ])('are not asked for where %s', async (_why, given, more) => {
    await using server = await startFakeServer(() => ({ json: {} }));
    const prompter = () => Promise.reject(new Error('asked'));
    const variables = { IAM_TOKEN: 't', ...('variables' in given ? given.variables : {}), IAM_BASE_URL: server.url };
    const outcome = await iam(['groups', 'create', ...more], { ...given, prompter, variables });
    expect(outcome).toMatchObject({ code: 10, err: expect.stringContaining('--group-name is missing') });
    expect(server.received).toEqual([]);
  });

  test.each([
    [['groups', 'get', 'a', 'b'], 'too many arguments'],
    [['groups', 'get', '--nonsense'], 'unknown option'],
    [['groups', 'list', '--limit', 'x'], 'whole number'],
  ])('are told apart from what is wrong: %j ends with 2', async (words, message) => {
    expect(await iam([...words, '--no-input'])).toMatchObject({ code: 2, err: expect.stringContaining(message) });
  });
});
