/** Errors of files and connections: one line with the path or the server, and the next step. */
import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { describe, expect } from 'vitest';
import { describeFileError, isFileError, unwritableFileError } from '../../../src/cli/io/file-errors.ts';
import { errorResponse, startFakeServer } from '../../client/fake-server.ts';
import { Home, iam, test, tokenVariables } from '../run-cli.ts';

const isRoot = process.getuid?.() === 0;

/** One line that names the file, and an optional hint. */
const oneLine = (file: string, reason: string) =>
  expect.stringMatching(
    new RegExp(`^error: Cannot (read|write|create|access) ${escapeRegExp(file)}: ${reason}.*\\n( {2}hint .*\\n)?$`),
  );

const escapeRegExp = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

describe('a profile file', () => {
  const add = 'profile add x --base-url http://127.0.0.1:9'.split(' ');

  test('below a file cannot be written, and reads find no profile', async ({ home }) => {
    await writeFile(home.file('config'), '');
    const file = home.file('config/iam/config.json');
    expect(await home.iam(add)).toMatchObject({ code: 70, err: oneLine(file, '') });
    expect(await home.iam(['profile', 'list'])).toMatchObject({ code: 0, out: '' });
  });

  test('that is a folder or a circle of links is named', async ({ home }) => {
    const file = home.file('config/iam/config.json');
    await mkdir(file, { recursive: true });
    expect(await home.iam(add)).toMatchObject({ code: 2, err: oneLine(file, 'it is a folder') });
    await using other = await Home.make();
    await mkdir(other.file('config/iam'), { recursive: true });
    await symlink(other.file('config/iam/config.json'), other.file('config/iam/config.json'));
    const linked = other.file('config/iam/config.json');
    expect(await other.iam(add)).toMatchObject({ code: 2, err: oneLine(linked, 'too many symbolic links') });
  });

  test.skipIf(isRoot)('of another user is not used and never replaced', async () => {
    await using home = await Home.make();
    await using server = await startFakeServer(() => ({ json: [] }));
    await home.iam(add);
    const file = home.file('config/iam/config.json');
    const before = await readFile(file, 'utf8');
    await chmod(file, 0);
    const listed = await home.iam(['groups', 'list'], { url: server.url, variables: tokenVariables });
    expect(listed).toMatchObject({ code: 0, err: expect.stringContaining('No profile is used') });
    expect((await home.iam(add)).code).toBe(2);
    await chmod(file, 0o600);
    expect(await readFile(file, 'utf8')).toBe(before);
  });
});

describe('a file on the command line', () => {
  const created = { status: 201, json: { clientId: 'c1', clientSecret: 'the-secret' } };

  test.each([
    ['-f', (file: string) => `groups create -f ${file}/iam.yaml`, 2],
    ['--secret-output', (file: string) => `clients create --app-id a --secret-output ${file}/secret`, 2],
    ['plan --out', (file: string) => `plan -f ${file} --out ${file}/plan.json`, 70],
    ['bulk run', (file: string) => `bulk run ${file}/rows.csv --operation groups.create`, 2],
    ['store backup', (file: string) => `store backup --to ${file}/backup.json`, 2],
    ['--ca-file', (file: string) => `groups list --ca-file ${file}/ca.pem`, 2],
  ])('%s below a file is named, and nothing is written on the server', async (_, line, code) => {
    await using home = await Home.make();
    await using server = await startFakeServer(({ method }) => (method === 'GET' ? { json: [] } : created));
    const file = home.file('file');
    await writeFile(file, 'groups:\n  - groupName: ops\n');
    const outcome = await home.iam(line(file).split(' '), { url: server.url, variables: tokenVariables });
    expect(outcome).toMatchObject({ code, out: expect.not.stringContaining('the-secret') });
    expect(outcome.err).toEqual(expect.stringMatching(new RegExp(`^error: Cannot .*${escapeRegExp(file)}.*folder`)));
    expect(server.received.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  test('a disk that fills up is reported with the path', () => {
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), {
      code: 'ENOSPC',
      syscall: 'write',
    });
    expect(unwritableFileError('/backups/x', full)).toMatchObject({
      message: 'Cannot write /backups/x: no space left on the device.',
      exitCode: 70,
      hint: expect.stringContaining('Free space'),
    });
    expect(describeFileError(full)).toMatchObject({
      message: 'Cannot access a file: no space left on the device (write).',
    });
    expect(isFileError(new Error('bug'))).toBe(false);
    expect(unwritableFileError('/backups/x', 'bug')).toBe('bug');
  });
});

describe('without a home folder', () => {
  test('credentials in the environment work, and what stores files says where', async ({ home }) => {
    await writeFile(home.file('file'), '');
    const HOME = home.file('file/home');
    const variables = { XDG_CONFIG_HOME: '', XDG_CACHE_HOME: '', XDG_STATE_HOME: '', HOME };
    await using server = await startFakeServer(({ path }) =>
      path.includes('login') ? { json: { accessToken: 'token', expiresIn: 600 } } : { json: [] },
    );
    const client = { IAM_CLIENT_ID: 'c', IAM_CLIENT_SECRET: 's' };
    const listed = await iam(['groups', 'list'], { url: server.url, variables: { ...variables, ...client } });
    expect(listed).toMatchObject({ code: 0, err: 'No results.\n' });
    const added = await iam('profile add x --base-url http://127.0.0.1:9'.split(' '), { variables });
    expect(added).toMatchObject({ code: 70, err: oneLine(`${HOME}/.config/iam/config.json`, '') });
  });
});

describe('a connection', () => {
  async function listen(reply: string): Promise<{ url: string; server: Server }> {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end(reply));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return { url: `127.0.0.1:${(server.address() as { port: number }).port}`, server };
  }

  test.each([
    ['a server without TLS', 'https', 'HTTP/1.1 400 Bad\r\n\r\n', 'does not respond with TLS', 'an http URL', 70],
    ['a server that is not HTTP', 'http', '\x15\x03\x01\0\x02\x02\x46', 'does not respond with HTTP', 'https URL', 70],
    ['a server that hangs up', 'http', '', 'was lost', 'Try again', 75],
    ['a truncated body', 'http', 'HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n[{', 'was lost', 'Try again', 75],
  ])('to %s fails with the reason and the next step', async (_, scheme, reply, reason, hint, code) => {
    const { url, server } = await listen(reply);
    try {
      const outcome = await iam(['groups', 'list', '--max-wait', '0'], { url: `${scheme}://${url}` });
      expect(outcome).toMatchObject({ code, out: '' });
      expect(outcome.err).toMatch(new RegExp(`^error: .*${url}.* ?${reason}.*\\n {2}hint .*${hint}.*\\n$`));
    } finally {
      server.close();
    }
  });

  test('to an unknown host names the host', async () => {
    const outcome = await iam(['groups', 'list', '--max-wait', '0'], { url: 'https://iam.invalid' });
    expect(outcome).toMatchObject({ code: 70, err: expect.stringMatching(/^error: .*iam\.invalid.*\n {2}hint .*\n$/) });
  });

  test('a rejected request is no system error', async () => {
    await using server = await startFakeServer(() => errorResponse(404, 'GROUP_NOT_FOUND'));
    expect((await iam(['groups', 'get', 'x'], server)).code).toBe(3);
  });
});
