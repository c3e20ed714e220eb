/** `action.yml`: its step that starts the service is run as a runner runs it, with the built command on the PATH. */
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { bin, root, Sandbox } from '../cli-process.ts';

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: {
    readonly steps: readonly {
      readonly id?: string;
      readonly run: string;
      readonly env: Readonly<Record<string, string>>;
    }[];
  };
}

const action = parse(await readFile(path.join(root, 'action.yml'), 'utf8')) as Action;

/** Runs the step with inputs. @returns what it prints, and the variables and outputs of later steps */
async function start(sandbox: Sandbox, inputs: Readonly<Record<string, string>>) {
  const step = action.runs.steps.find(({ id }) => id === 'start');
  if (!step) throw new Error('no such step');
  const values = { ...Object.fromEntries(Object.entries(action.inputs).map(([name, input]) => [name, input.default])) };
  const fill = (text: string) =>
    text.replaceAll(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_, name: string) => inputs[name] ?? values[name] ?? '');
  await mkdir(sandbox.file('programs'));
  await symlink(bin, sandbox.file('programs/iam'));
  const files = { GITHUB_OUTPUT: sandbox.file('output'), GITHUB_ENV: sandbox.file('variables') };
  for (const file of Object.values(files)) await writeFile(file, '');
  const variables = {
    ...Object.fromEntries(Object.entries(step.env).map(([name, text]) => [name, fill(text)])),
    ...files,
    PATH: `${sandbox.file('programs')}:${path.dirname(process.execPath)}:${process.env.PATH}`,
  };
  // The shell of a runner for `shell: bash`.
  const words = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run];
  const result = await sandbox.start('bash', words, variables).done;
  const readLines = async (file: string): Promise<Record<string, string>> =>
    Object.fromEntries(
      (await readFile(file, 'utf8'))
        .trim()
        .split('\n')
        .map((line) => line.split(/=(.*)/s).slice(0, 2)),
    );
  return { ...result, outputs: await readLines(files.GITHUB_OUTPUT), exported: await readLines(files.GITHUB_ENV) };
}

test('starts a service with a seed; later steps run the command, and logs do not show the secret', async () => {
  await using sandbox = await Sandbox.make();
  await writeFile(sandbox.file('seed.yaml'), 'groups: [{ groupName: seeded, roles: [VIEW] }]\n');
  const { code, out, outputs, exported } = await start(sandbox, { port: '0', seed: sandbox.file('seed.yaml') });
  try {
    expect(code).toBe(0);
    expect(Object.keys(outputs).sort()).toEqual(['base-url', 'client-secret']);
    expect(exported.IAM_BASE_URL).toBe(outputs['base-url']);
    expect(await sandbox.iam(['groups', 'get', 'seeded', '-o', 'name'], exported)).toMatchObject({ code: 0 });
    // The runner hides what is masked; nothing may print it before.
    expect(out.split('\n')[0]).toBe(`::add-mask::${outputs['client-secret']}`);
    expect(out.split('\n').slice(1).join()).not.toContain(outputs['client-secret']);
  } finally {
    expect(await sandbox.iam(['server', 'stop'])).toMatchObject({ code: 0 });
  }
});

test('fails if the service does not start', async () => {
  await using sandbox = await Sandbox.make();
  const { code, err } = await start(sandbox, { port: '0', seed: sandbox.file('missing.yaml') });
  expect(code).not.toBe(0);
  expect(err).toContain('missing.yaml');
});

test('declares an output for each value that the step sets', () => {
  const used = Object.values(action.outputs).flatMap(
    ({ value }) => value.match(/steps\.start\.outputs\.([\w-]+)/)?.[1] ?? [],
  );
  expect(used.sort()).toEqual(['base-url', 'client-secret']);
});
