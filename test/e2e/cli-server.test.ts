/** The processes of the server and of the command: signals, and what the start of a server prints. */
import { symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startFakeServer } from '../client/fake-server.ts';
import { bin, type Command, command, type ProcessResult, Sandbox, type Variables } from './cli-process.ts';
import { runCommand } from './runner.ts';

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await Sandbox.make();
});

afterAll(() => sandbox[Symbol.asyncDispose]());

test('acknowledged writes survive a kill of the server', async () => {
  await using own = await Sandbox.make();
  const iam = (words: readonly string[], variables: Variables) => runCommand(own, words, variables);
  const first = await own.serve(['--data', own.file('store')]);
  expect((await iam(['groups', 'create', '--group-name', 'stored', '--role', 'A'], first.variables)).code).toBe(0);
  expect((await iam(['groups', 'update', 'stored', '--add-role', 'B'], first.variables)).code).toBe(0);
  first.child.kill('SIGKILL');
  await first.done;
  const second = await own.serve(['--data', own.file('store')]);
  expect(JSON.parse((await iam(['groups', 'get', 'stored', '-o', 'json'], second.variables)).out)).toMatchObject({
    roles: ['A', 'B'],
  });
});

describe('a signal', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s during a request exits with %i', async (signal, code) => {
    let arrived: () => void = () => undefined;
    const isThere = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    await using silent = await startFakeServer(() => {
      arrived();
      return { silent: true };
    });
    const running = sandbox.startIam(['groups', 'list'], {
      IAM_BASE_URL: silent.url,
      IAM_TOKEN: 't',
    });
    await isThere;
    running.child.kill(signal);
    expect((await running.done).code).toBe(code);
  });
});

describe('serve', () => {
  // A signal is delivered in the next event-loop turn; removing its handler earlier loses it.
  test.each([
    ['the command has begun', 1],
    ['the server has begun', 2],
  ])('stops cleanly if signalled as soon as %s', async (_, at) => {
    await using own = await Sandbox.make();
    const hook = own.file('hook.cjs');
    await writeFile(
      hook,
      `let listeners = 0;
       process.on('newListener', (name) => {
         if (name !== 'SIGTERM') return;
         listeners += 1;
         if (listeners === ${at}) queueMicrotask(() => process.kill(process.pid, 'SIGTERM'));
       });`,
    );
    const words = ['serve', '--store', 'memory', '--port', '0', '--json'];
    const { child, done } = own.startIam(words, { NODE_OPTIONS: `--require ${hook}` });
    // Ends a process that hangs before the test is ended.
    const patience = setTimeout(() => child.kill('SIGKILL'), 110_000);
    expect((await done).code).toBe(0);
    clearTimeout(patience);
  });

  /** Serves the default store until the banner is complete. */
  async function readBanner(own: Sandbox, [file, ...script]: Command): Promise<ProcessResult> {
    const variables = { IAM_SERVE_FAST_PASSWORDS: 'true' };
    const { child, done } = own.start(file, [...script, 'serve', '--port', '0'], variables);
    child.stdout?.on('data', (chunk: Buffer) => {
      if (chunk.includes('Ctrl-C')) child.kill('SIGTERM');
    });
    return done;
  }

  test('shows new credentials if they cannot be saved as a profile, and the folder of the command', async () => {
    await using own = await Sandbox.make();
    await writeFile(own.file('config'), 'not a folder');
    const { code, out, err } = await readBanner(own, command);
    expect(code).toBe(0);
    expect(out).toMatch(/its secret +\S{40,}\n/);
    expect(out).toMatch(/export IAM_CLIENT_ID=\w+\n/);
    expect(out).toContain(`  export PATH="${path.dirname(bin)}:$PATH"\n`);
    expect(err).toMatch(/^warning: the credentials were not saved as a profile: .*config/m);
  });

  test('names the command as the user runs it', async () => {
    await using own = await Sandbox.make();
    await symlink(bin, own.file('iam'));
    expect((await readBanner(own, [...command.slice(0, -1), own.file('iam')] as unknown as Command)).out).toContain(
      '\n  iam groups list\n',
    );
  });

  // A file size limit simulates a full disk.
  test.skipIf(process.platform === 'win32')('reports in one line that the first commit cannot be written', async () => {
    const words = ['serve', '--port', '0', '--json', '--log-level', 'silent', '--data', sandbox.file('limited')];
    const limited = `trap '' XFSZ; ulimit -f 2; exec "$0" "$@"`;
    const { code, err } = await sandbox.start('sh', ['-c', limited, ...command, ...words]).done;
    expect(code).toBe(70);
    expect(err).toMatch(/^error: can't write to the store: EFBIG: .*\. Check the disk.*\n$/);
  });
});
