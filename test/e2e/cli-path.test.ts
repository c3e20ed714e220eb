/** The command of a clone on the PATH, as the first block of the README has it. Requires dist/. */
import { execFileSync } from 'node:child_process';
import { copyFile, mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { packageVersion } from '../../src/contract/version.ts';
import { root, Sandbox } from './cli-process.ts';

/** Makes a folder that looks like a clone, with a space in its path. */
async function makeClone(sandbox: Sandbox, { built }: { readonly built: boolean }): Promise<string> {
  const clone = sandbox.file('my clone');
  await mkdir(path.join(clone, 'bin'), { recursive: true });
  for (const name of ['iam', 'iam.js', 'package.json'])
    await copyFile(path.join(root, 'bin', name), path.join(clone, 'bin', name));
  for (const name of ['src', ...(built ? ['dist', 'node_modules'] : [])])
    await symlink(path.join(root, name), path.join(clone, name));
  return clone;
}

const shells = ['sh', 'dash', 'bash', 'zsh'].filter((shell) => {
  try {
    execFileSync('sh', ['-c', `command -v ${shell}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
});

test.each(shells)('%s finds iam from every folder once bin is on the PATH', async (shell) => {
  await using sandbox = await Sandbox.make();
  await makeClone(sandbox, { built: true });
  const script = 'cd "my clone" && export PATH="$PWD/bin:$PATH" && iam --version && cd / && iam --version';
  expect(await sandbox.start(shell, ['-c', script]).done).toEqual({
    code: 0,
    out: `${packageVersion}\n${packageVersion}\n`,
    err: '',
  });
});

test('runs through links to the command and to its folder', async () => {
  await using sandbox = await Sandbox.make();
  const clone = await makeClone(sandbox, { built: true });
  await symlink(path.join(clone, 'bin/iam'), sandbox.file('link'));
  await symlink(clone, sandbox.file('linked clone'));
  for (const command of ['link', 'linked clone/bin/iam'])
    expect(await sandbox.start(sandbox.file(command), ['--version']).done).toMatchObject({
      code: 0,
      out: `${packageVersion}\n`,
    });
});

test('names the folder and the command that builds a clone', async () => {
  await using sandbox = await Sandbox.make();
  const clone = await makeClone(sandbox, { built: false });
  expect(await sandbox.start(path.join(clone, 'bin/iam'), ['groups', 'list']).done).toEqual({
    code: 70,
    out: '',
    err: `error: iam is not built yet. Run in ${clone}: npm start\n`,
  });
});

test('the banner shows how to find iam, unless the shell finds it already', async () => {
  await using sandbox = await Sandbox.make();
  const clone = await makeClone(sandbox, { built: true });
  const banner = async (variables: Readonly<Record<string, string>>) => {
    const server = sandbox.start(path.join(clone, 'bin/iam'), ['serve', '--store', 'memory', '--port', '0'], variables);
    let out = '';
    for await (const chunk of server.child.stdout ?? []) {
      out += String(chunk);
      if (out.includes('Ctrl-C')) server.child.kill();
    }
    return out.slice(out.indexOf('Next, in another terminal:')).split('\n').slice(1);
  };
  expect((await banner({}))[0]).toBe(`  export PATH="${clone}/bin:$PATH"`);
  const found = await banner({ PATH: `${clone}/bin:${process.env.PATH}` });
  expect(found.filter((line) => line.includes('PATH'))).toEqual([]);
  expect(found).toContain('  iam groups list');
});
