/** The kind of standard output does not change the output. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { isFullRun } from '../effort.ts';
import { type ProcessResult, Sandbox, shellCommand } from './cli-process.ts';
import { makeRunner } from './runner.ts';

/** Runs a line of sh in which `iam` is the built command. */
function shell(sandbox: Pick<Sandbox, 'start'>, line: string, variables = {}): Promise<ProcessResult> {
  const iam = `iam() { ${shellCommand} "$@"; }; ${line}`;
  return sandbox.start('sh', ['-c', iam], variables).done;
}

/** The version has a way of its own to the output; the other texts have one in common, and the first is the longest. */
const texts = [
  '--help',
  '--version',
  ...(isFullRun ? ['groups update --help', 'help exit-codes', 'completion bash'] : []),
];

describe.each(texts)('iam %s', (words) => {
  test('is identical for this process, for a late reader of a pipe, and appended to a file', async () => {
    await using sandbox = await Sandbox.make();
    const direct = await sandbox.iam(words.split(' '));
    const late = await shell(sandbox, `iam ${words} | (read -r first; echo "$first"; cat)`);
    expect(direct).toMatchObject({ code: 0, err: '' });
    expect(direct.out.length).toBeGreaterThan(3);
    expect(late.out).toBe(direct.out);
    await shell(sandbox, `echo before > out; iam ${words} >> out`);
    expect(await readFile(sandbox.file('out'), 'utf8')).toBe(`before\n${direct.out}`);
  });

  test('succeeds if the reader has closed the pipe or output is discarded', async () => {
    await using sandbox = await Sandbox.make();
    const piped = await shell(sandbox, `{ iam ${words}; echo "code $?" >&2; } | true`);
    expect(piped.err).toBe('code 0\n');
    expect(await shell(sandbox, `iam ${words} > /dev/null`)).toEqual({ code: 0, out: '', err: '' });
  });
});

test('a list in a pipe and in a file is complete', async () => {
  await using sandbox = await makeRunner();
  const { url: baseUrl, variables } = await sandbox.serve();
  const credentials = { clientId: variables.IAM_CLIENT_ID ?? '', clientSecret: variables.IAM_CLIENT_SECRET ?? '' };
  const client = createClient({ baseUrl, credentials });
  await Promise.all(
    Array.from({ length: 250 }, (_, at) => client.groups.create({ body: { groupName: `many-${at}`, roles: [] } })),
  );
  await client.close();
  const lines = [
    'iam groups list -o name | grep -c ^many-',
    'iam groups list > list; grep -c many- list',
    'iam groups list --query "[].[groupName, groupId]" -o csv | grep -c ^many-',
    'iam groups list -o name --all --limit 120 2> err | grep -c ""',
  ];
  const { out } = await shell(sandbox, lines.join('\n'), variables);
  expect(out).toBe('250\n250\n250\n120\n');
});

describe.skipIf(!existsSync('/dev/full'))('on a full disk', () => {
  test.each(['--version', 'config explain', ...(isFullRun ? ['--help', 'help output'] : [])])(
    'iam %s fails in one line',
    async (words) => {
      await using sandbox = await Sandbox.make();
      const { code, err } = await shell(sandbox, `iam ${words} > /dev/full`);
      expect([code, err]).toEqual([70, 'error: Cannot write the output: no space left on the device.\n']);
    },
  );
});

test('output that a program discards is no error', async () => {
  await using sandbox = await Sandbox.make();
  // The null device for reading and writing, as Python and Node pass it.
  expect(await shell(sandbox, 'iam config explain 1<>/dev/null')).toMatchObject({ code: 0, err: '' });
});

test.skipIf(!existsSync('/dev/full'))('output that was lost before the end of the command is an error', async () => {
  await using sandbox = await makeRunner();
  const { variables } = await sandbox.serve();
  const document = 'groups: [{groupName: lost, roles: [A]}]';
  const line = `echo '${document}' | iam apply -f - --yes > /dev/full`;
  const { code, err } = await shell(sandbox, line, variables);
  expect([code, err]).toEqual([
    70,
    expect.stringContaining('The command took effect: 1 change was made. Cannot write'),
  ]);
});
