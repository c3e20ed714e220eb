/** The shell script example works and is idempotent. */
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from './cli-process.ts';
import { makeRunner, type Runner, type Served } from './runner.ts';
import { startShellCommand } from './shell-command.ts';

const script = path.join(root, 'examples/provision.sh');

/** All resources that the script can change, as listed by the server. */
async function stateOf(sandbox: Runner, { variables }: Served): Promise<unknown[]> {
  const lists = ['export', 'groups list', 'users list', 'clients list', 'api-key list', 'groups members billing'];
  return Promise.all(
    lists.map(async (words) => {
      const all = words === 'export' ? [] : ['--all'];
      const { code, out, err } = await sandbox.iam([...words.split(' '), ...all, '-o', 'json'], variables);
      expect({ words, code, err: code === 0 ? '' : err }).toEqual({ words, code: 0, err: '' });
      return JSON.parse(out) as unknown;
    }),
  );
}

describe('examples/provision.sh', () => {
  test('produces the same state and output when run twice', async () => {
    await using sandbox = await makeRunner();
    const served = await sandbox.serve();
    const secrets = sandbox.file('secrets');
    await using iam = await startShellCommand(sandbox.file('iam'));
    const run = () => sandbox.start('bash', [script], { ...served.variables, IAM: iam.file, SECRETS: secrets }).done;
    const first = await run();
    expect(first).toMatchObject({ code: 0, err: '' });
    expect(first.out).toContain('yes: alice has REFUND through billing');
    expect(first.out).toContain('yes: invoices-service has VIEW through billing > viewers');
    const [state, files] = [await stateOf(sandbox, served), await filesOf(secrets)];
    expect(files.map(([name]) => name)).toEqual(['api-key', 'client-secret']);
    const second = await run();
    expect(second).toMatchObject({ code: 0, err: '' });
    expect(await stateOf(sandbox, served)).toEqual(state);
    expect(await filesOf(secrets)).toEqual(files);
  });

  test('stops at the first failed request', async () => {
    await using sandbox = await makeRunner();
    const served = await sandbox.serve();
    await using iam = await startShellCommand(sandbox.file('iam'));
    const own = { IAM_CLIENT_SECRET: 'wrong', IAM: iam.file, SECRETS: sandbox.file('secrets') };
    const outcome = await sandbox.start('bash', [script], { ...served.variables, ...own }).done;
    expect(outcome).toMatchObject({ code: 4, out: '' });
    expect(outcome.err.match(/error:/g)).toHaveLength(1);
  });

  test('has fewer than 40 lines', async () => {
    expect((await readFile(script, 'utf8')).split('\n').length).toBeLessThan(40);
  });
});

async function filesOf(folder: string): Promise<[name: string, text: string, mode: number][]> {
  const names = (await readdir(folder)).sort();
  return Promise.all(
    names.map(async (name) => {
      const file = path.join(folder, name);
      return [name, await readFile(file, 'utf8'), (await stat(file)).mode & 0o777];
    }),
  );
}
