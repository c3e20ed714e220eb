/** The fixtures and tests of examples/ for other languages pass against the built server, which they start themselves. */
import { spawnSync } from 'node:child_process';
import { cp, mkdir, readdir, symlink } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, type TestContext, test } from 'vitest';
import { isFullRun } from '../effort.ts';
import { bin, type ProcessResult, root, Sandbox } from './cli-process.ts';

const seconds = 1000;

/** @returns whether the program runs with these words. */
const has = (program: string, ...words: string[]) => spawnSync(program, words).status === 0;

/** Runs a program in a copy of a folder of examples/, with `iam` on the PATH. */
async function runIn(folder: string, sandbox: Sandbox, program: string, ...words: string[]): Promise<ProcessResult> {
  const programs = sandbox.file('bin');
  await mkdir(programs, { recursive: true });
  if (!(await readdir(programs)).includes('iam')) await symlink(bin, path.join(programs, 'iam'));
  await cp(path.join(root, 'examples', folder), sandbox.folder, { recursive: true });
  const variables = {
    PATH: `${programs}${path.delimiter}${process.env.PATH ?? ''}`,
    // Go derives the folder of its cache from XDG_CACHE_HOME, and would compile its library for each test.
    ...{ GOCACHE: path.join(os.homedir(), '.cache/go-build'), GOPROXY: 'off', GOTOOLCHAIN: 'local' },
  };
  return sandbox.start(program, words, variables).done;
}

function skipWithout(isPresent: boolean, program: string, context: TestContext): void {
  context.skip(!isPresent, `there is no ${program} here`);
}

test('examples/python', async (context) => {
  skipWithout(
    has('python3', '-c', 'import sys; sys.exit(sys.version_info < (3, 9))'),
    'python3 of 3.9 or later',
    context,
  );
  await using sandbox = await Sandbox.make();
  const { code, err } = await runIn('python', sandbox, 'python3', '-m', 'unittest');
  expect(err).toMatch(/\nRan 6 tests in .*\n\nOK\n$/);
  expect(code).toBe(0);
});

// Compilers take as long as all else here: Go and Java only in a full run.
test.runIf(isFullRun)(
  'examples/go',
  async (context) => {
    skipWithout(has('go', 'version'), 'go', context);
    await using sandbox = await Sandbox.make();
    const words = ['test', '-count=1', '-parallel', '20', '-v', '.'];
    const { code, out, err } = await runIn('go', sandbox, 'go', ...words);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out.match(/^--- PASS: \w+/gm)).toHaveLength(6);
    expect(out.match(/^ {4}--- PASS: TestTwentySandboxesInParallel/gm)).toHaveLength(20);
  },
  180 * seconds,
);

/** Without the compiler for long runs, which takes a third of the time. */
const shortRun = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];

test.runIf(isFullRun)('examples/java', async (context) => {
  skipWithout(has('javac', '-version'), 'javac', context);
  await using sandbox = await Sandbox.make();
  const compiled = await runIn(
    'java',
    sandbox,
    'javac',
    ...shortRun.map((option) => `-J${option}`),
    '-Xlint:all',
    '-Werror',
    '-d',
    'out',
    'Iam.java',
    'IamTest.java',
  );
  expect(compiled).toEqual({ code: 0, out: '', err: '' });
  const { code, out } = await runIn('java', sandbox, 'java', ...shortRun, '-cp', 'out', 'IamTest');
  expect([code, out.match(/^ok .*$/gm)?.length, out.match(/^not ok .*$/gm)]).toEqual([0, 6, null]);
});

test('examples/curl', async (context) => {
  skipWithout(has('curl', '--version') && has('bash', '--version'), 'curl or bash', context);
  await using sandbox = await Sandbox.make();
  const result = await runIn('curl', sandbox, 'bash', 'test.sh');
  expect(result).toMatchObject({ code: 0, err: '' });
  expect(result.out.match(/^ok /gm)).toHaveLength(4);
});
