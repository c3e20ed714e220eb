import { spawnSync } from 'node:child_process';
import { readdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { startFakeServer } from '../client/fake-server.ts';
import {
  bin,
  type Command,
  command,
  type ProcessResult,
  type RunningServe,
  Sandbox,
  shellCommand,
} from './cli-process.ts';

/** What every command may leave: the program that an executable unpacked, and its code compiled by Node. */
const codeFolders = /^cache[/\\]iam[/\\](program-[0-9a-f]{16}|compiled)[/\\]/;

let sandbox: Sandbox;
let served: RunningServe;

beforeAll(async () => {
  sandbox = await Sandbox.make();
  served = await sandbox.serve();
});

afterAll(() => sandbox[Symbol.asyncDispose]());

const iam = (words: readonly string[], variables = {}): Promise<ProcessResult> =>
  sandbox.iam(words, { ...served.variables, ...variables });

describe('group commands', () => {
  test('create, update, read and delete a group', async () => {
    expect((await iam(['groups', 'create', '--group-name', 'main-job', '--role', 'READ'])).code).toBe(0);
    expect(
      (await iam(['groups', 'update', 'main-job', '--add-role', 'DEPLOY', '--set', 'organizationId=acme'])).code,
    ).toBe(0);
    const read = await iam(['groups', 'get', 'main-job', '-o', 'json']);
    expect(JSON.parse(read.out)).toMatchObject({
      groupName: 'main-job',
      roles: ['READ', 'DEPLOY'],
      organizationId: 'acme',
    });
    expect(await iam(['groups', 'delete', 'main-job', '--yes'])).toMatchObject({ code: 0, out: '' });
    expect((await iam(['groups', 'get', 'main-job'])).code).toBe(3);
  });

  test('concurrent changes all take effect', async () => {
    await iam(['groups', 'create', '--group-name', 'busy']);
    const roles = ['R1', 'R2', 'R3', 'R4'];
    const outcomes = await Promise.all(roles.map((role) => iam(['groups', 'update', 'busy', '--add-role', role])));
    expect(outcomes.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    const { roles: stored } = JSON.parse((await iam(['groups', 'get', 'busy', '-o', 'json'])).out) as {
      roles: string[];
    };
    expect(stored.sort()).toEqual(roles);
  });

  test('acknowledged writes survive a kill of the server', async () => {
    await using own = await Sandbox.make();
    const first = await own.serve(['--data', own.file('store')]);
    expect((await own.iam(['groups', 'create', '--group-name', 'stored', '--role', 'A'], first.variables)).code).toBe(
      0,
    );
    expect((await own.iam(['groups', 'update', 'stored', '--add-role', 'B'], first.variables)).code).toBe(0);
    first.child.kill('SIGKILL');
    await first.done;
    const second = await own.serve(['--data', own.file('store')]);
    expect(JSON.parse((await own.iam(['groups', 'get', 'stored', '-o', 'json'], second.variables)).out)).toMatchObject({
      roles: ['A', 'B'],
    });
  });
});

describe('exit codes', () => {
  test.each([
    [0, ['groups', 'list']],
    [2, ['groups', 'list', '--nonsense']],
    [3, ['groups', 'get', 'nothing']],
    [3, ['api', 'GET', '/groups/nothing/role/x/y']],
    [6, ['groups', 'create', '--group-name', 'iam-auditors']],
    [7, ['groups', 'add-role', 'iam-auditors', 'lower']],
    [7, ['groups', 'create', '--group-name', 'x', '--role', 'USER']],
  ])('%i: iam %j', async (code, words) => {
    expect((await iam(words)).code).toBe(code);
  });

  test('4 for a wrong secret, with one JSON object on standard error', async () => {
    const outcome = await iam(['groups', 'list', '-o', 'json'], { IAM_CLIENT_SECRET: 'wrong' });
    expect(outcome).toMatchObject({ code: 4, out: '' });
    expect(JSON.parse(outcome.err)).toMatchObject({
      error: { code: 'CREDENTIALS_INVALID', status: 401, transient: false },
    });
    expect(outcome.err).not.toContain('wrong');
  });

  test('5 for a client without the role, whatever the status', async () => {
    const { clientId, clientSecret } = JSON.parse(
      (await iam(['clients', 'create', '--app-id', 'weak', '-o', 'json'])).out,
    ) as Record<string, string>;
    const weak = { IAM_CLIENT_ID: clientId ?? '', IAM_CLIENT_SECRET: clientSecret ?? '' };
    expect((await iam(['groups', 'list'], weak)).code).toBe(5);
    expect((await iam(['groups', 'update', 'iam-auditors', '--add-role', 'X'], weak)).code).toBe(5);
    expect((await iam(['groups', 'remove-dependency', 'iam-auditors', 'x', '--yes'], weak)).code).toBe(5);
  });

  test('10 if no prompt is possible, and nothing is deleted', async () => {
    await iam(['groups', 'create', '--group-name', 'precious']);
    expect((await iam(['groups', 'delete', 'precious'])).code).toBe(10);
    expect((await iam(['groups', 'get', 'precious'])).code).toBe(0);
  });

  test('75 if the server is unreachable', async () => {
    expect((await iam(['groups', 'list'], { IAM_BASE_URL: 'http://127.0.0.1:1' })).code).toBe(75);
  });

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

describe('secrets', () => {
  test('an API key is printed once, is valid, and is never printed again', async () => {
    const created = await iam([
      'api-key',
      'create',
      '--app-id',
      'e2e',
      '--client-id',
      'e2e-admin',
      '-o',
      'json',
      '--debug',
    ]);
    const { apiKey, apiKeyId } = JSON.parse(created.out) as Record<string, string>;
    expect(created.err).not.toContain(apiKey);
    expect(created.err).not.toContain(served.variables.IAM_CLIENT_SECRET);
    expect((await sandbox.iam(['groups', 'list'], { IAM_BASE_URL: served.url, IAM_API_KEY: apiKey ?? '' })).code).toBe(
      0,
    );
    for (const words of [['api-key', 'list'], ['api-key', 'list', '-o', 'json'], ['whoami']])
      expect((await iam(words)).out).not.toContain(apiKey);
    expect((await iam(['api-key', 'delete', apiKeyId ?? '', '--yes'])).code).toBe(0);
  });

  test('credentials in the environment leave nothing on the disk', async () => {
    await using own = await Sandbox.make();
    expect((await own.iam(['groups', 'list'], served.variables)).code).toBe(0);
    const files = await readdir(own.folder, { recursive: true, withFileTypes: true });
    const names = files.filter((file) => file.isFile()).map((file) => path.join(file.parentPath, file.name));
    expect(names.filter((name) => !codeFolders.test(path.relative(own.folder, name)))).toEqual([]);
  });
});

describe('a profile', () => {
  test('signs in and stores the token for the next command', async () => {
    await using own = await Sandbox.make();
    const { IAM_BASE_URL = '', IAM_CLIENT_ID = '', IAM_CLIENT_SECRET = '' } = served.variables;
    const words = [
      'profile',
      'add',
      'here',
      '--base-url',
      IAM_BASE_URL,
      '--client-id',
      IAM_CLIENT_ID,
      '--secret-file',
      '-',
    ];
    expect((await own.iam(words, {}, IAM_CLIENT_SECRET)).code).toBe(0);
    const logins = async () =>
      ((await own.iam(['groups', 'list', '--debug'])).err.match(/client-identities\/login/g) ?? []).length;
    expect([await logins(), await logins()]).toEqual([1, 0]);
    expect((await own.iam(['whoami'])).out).toContain('IAM_ADMIN_MAINTENANCE');
  });
});

describe('output', () => {
  test('succeeds if the reader closes the pipe after one line', async () => {
    const client = createClient({
      baseUrl: served.url,
      credentials: { clientId: 'e2e-admin', clientSecret: served.variables.IAM_CLIENT_SECRET ?? '' },
    });
    const roles = Array.from({ length: 40 }, (_, at) => `A_ROLE_WITH_A_LONG_NAME_${at}`);
    await Promise.all(
      Array.from({ length: 100 }, (_, at) => client.groups.create({ body: { groupName: `many-${at}`, roles } })),
    );
    await client.close();
    const script = `${shellCommand} groups list --all -o json; echo "code $?" >&2`;
    const outcome = await sandbox.start('sh', ['-c', `{ ${script}; } | head -n 1`], served.variables).done;
    expect(outcome).toEqual({ code: 0, out: '[\n', err: 'code 0\n' });
  });
});

describe('serve', () => {
  test('stops cleanly', async () => {
    await using own = await Sandbox.make();
    const { child, done, variables } = await own.serve();
    expect((await own.iam(['groups', 'list'], variables)).code).toBe(0);
    child.kill('SIGTERM');
    expect((await done).code).toBe(0);
  });

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

  test('shows new credentials if they cannot be saved as a profile', async () => {
    await using own = await Sandbox.make();
    await writeFile(own.file('config'), 'not a folder');
    const { code, out, err } = await readBanner(own, command);
    expect(code).toBe(0);
    expect(out).toMatch(/its secret +\S{40,}\n/);
    expect(out).toMatch(/export IAM_CLIENT_ID=\w+\n/);
    expect(err).toMatch(/^warning: the credentials were not saved as a profile: .*config/m);
  });

  test('names the command as the user runs it', async () => {
    await using own = await Sandbox.make();
    await symlink(bin, own.file('iam'));
    expect((await readBanner(own, [...command.slice(0, -1), own.file('iam')] as unknown as Command)).out).toContain(
      '\n  iam groups list\n',
    );
    const elsewhere = (await readBanner(own, command)).out;
    expect(elsewhere).toContain(`\n  export PATH="${path.dirname(bin)}:$PATH"\n  iam groups list\n`);
  });

  test('exits with 11 if the port is in use', async () => {
    const outcome = await sandbox.iam(['serve', '--store', 'memory', '--port', new URL(served.url).port]);
    expect(outcome.code).toBe(11);
  });

  // A file size limit simulates a full disk.
  test.skipIf(process.platform === 'win32')('reports in one line that the first commit cannot be written', async () => {
    const words = ['serve', '--port', '0', '--json', '--log-level', 'silent', '--data', sandbox.file('limited')];
    const limited = `trap '' XFSZ; ulimit -f 2; exec "$0" "$@"`;
    const { code, err } = await sandbox.start('sh', ['-c', limited, ...command, ...words]).done;
    expect(code).toBe(70);
    expect(err).toMatch(/^error: can't write to the store: EFBIG: .*\. Check the disk.*\n$/);
  });

  test('exits with 2 for an invalid setting value', async () => {
    expect((await sandbox.iam(['serve', '--store', 'cloud'])).code).toBe(2);
  });
});

/** `script` provides a terminal; the tests are skipped without it. */
const hasTerminal = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0;

describe.skipIf(!hasTerminal)('on a terminal', () => {
  const promptText = 'Run `groups delete prompted`? (y/N)';

  /** Types the reply after the prompt appears; earlier the terminal itself would process the keys. */
  async function runWithReply(words: string, reply: string): Promise<ProcessResult> {
    const line = `${shellCommand} ${words}`;
    const variables = { ...served.variables, TERM: 'xterm', NO_COLOR: '1' };
    const { child, done } = sandbox.start('script', ['-qec', line, '/dev/null'], variables, 'open');
    let printed = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      const before = printed.includes(promptText);
      printed += stripVTControlCharacters(chunk.toString('utf8'));
      if (!before && printed.includes(promptText)) child.stdin?.write(reply);
    });
    const outcome = await done;
    return { ...outcome, out: printed };
  }

  test.each([
    ['y\r', 0, 3],
    ['\r', 1, 0],
    ['n\r', 1, 0],
    ['\u0003', 130, 0],
  ])('a delete prompt with the reply %j exits with %i', async (reply, code, afterwards) => {
    await iam(['groups', 'create', '--group-name', 'prompted', '--if-not-exists']);
    const outcome = await runWithReply('groups delete prompted', reply);
    expect(outcome.out).toContain(promptText);
    expect(outcome.code).toBe(code);
    expect((await iam(['groups', 'get', 'prompted'])).code).toBe(afterwards);
  });
});

describe('iam server status --ready', () => {
  test('exits with 0 if the server accepts writes, without credentials, and with 1 if none listens', async () => {
    const ready = ['server', 'status', '--ready', '--base-url'];
    expect(await sandbox.iam([...ready, served.url])).toMatchObject({ code: 0, out: '', err: '' });
    const missing = await sandbox.iam([...ready, 'http://127.0.0.1:1']);
    expect(missing).toMatchObject({ code: 1, out: '' });
    expect(missing.err).toContain('http://127.0.0.1:1');
  });

  test('waits until the server is ready', async () => {
    const statuses = [503, 503];
    await using starting = await startFakeServer(() => ({ status: statuses.shift() ?? 200, json: {} }));
    const ready = ['server', 'status', '--ready', '--base-url', starting.url];
    expect(await sandbox.iam([...ready, '--wait', '60'])).toMatchObject({ code: 0, out: '', err: '' });
    expect(new Set(starting.received.map(({ path: requested }) => requested))).toEqual(new Set(['/readyz']));
    statuses.push(503);
    expect((await sandbox.iam([...ready, '--max-wait', '0'])).err).toContain('/readyz returned 503');
  });

  test('with --local, checks the port that `iam serve` has with the same variables', async () => {
    const ready = ['server', 'status', '--ready', '--local'];
    // Neither the profile nor the variable of the command names the server.
    const variables = { IAM_BASE_URL: 'http://127.0.0.1:1', IAM_SERVE_PORT: new URL(served.url).port };
    expect(await sandbox.iam(ready, variables)).toMatchObject({ code: 0, out: '', err: '' });
    const missing = await sandbox.iam(ready, { IAM_SERVE_PORT: '1' });
    expect(missing).toMatchObject({ code: 1, err: expect.stringContaining('http://127.0.0.1:1') as string });
  });

  test('rejects options that do not fit', async () => {
    for (const option of [['--wait', '1'], ['--local']])
      expect((await sandbox.iam(['server', 'status', ...option])).code).toBe(2);
    const both = ['server', 'status', '--ready', '--local', '--base-url', served.url];
    expect((await sandbox.iam(both)).code).toBe(2);
    expect((await sandbox.iam(['server', 'status', 'memory', '--ready'])).code).toBe(2);
  });
});

test('the server reads a secret from the file of its _FILE variable', async () => {
  await using own = await Sandbox.make();
  await writeFile(own.file('secret'), 'the-secret-of-a-file-with-a-line-break\n');
  const { url } = await own.serve(['--store', 'memory'], {
    IAM_ADMIN_CLIENT_SECRET: '',
    IAM_ADMIN_CLIENT_SECRET_FILE: own.file('secret'),
  });
  const signIn = (secret: string) =>
    own.iam(['groups', 'list'], { IAM_BASE_URL: url, IAM_CLIENT_ID: 'e2e-admin', IAM_CLIENT_SECRET: secret });
  expect((await signIn('the-secret-of-a-file-with-a-line-break')).code).toBe(0);
  expect((await signIn('another-secret')).code).toBe(4);
});
