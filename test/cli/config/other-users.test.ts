/** Project files and folders that other users of the machine wrote or can write. Real owners need root. */
import { createHash } from 'node:crypto';
import { chmod, chown, mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { saveProfile } from '../../../src/cli/config/profile.ts';
import { errorResponse, startFakeServer } from '../../client/fake-server.ts';
import { Home, test, tokenVariables } from '../run-cli.ts';

const self = process.getuid?.();
const stranger = 12345;

/** A project of the user below a folder with another project file. @returns the folder of the project */
async function nest(home: Home, content: object): Promise<string> {
  const folder = home.file('outer/project');
  await mkdir(folder, { recursive: true });
  await writeFile(home.file('outer/.iamrc.json'), JSON.stringify(content));
  return folder;
}

const timeoutOf = async (home: Home, folder: string, words: readonly string[] = [], variables = {}) => {
  const explain = ['config', 'explain', 'timeout', '-o', 'json', ...words];
  const { out, err } = await home.iam(explain, { folder, variables });
  return [(JSON.parse(out) as { value: string }[])[0]?.value, err] as const;
};

describe.skipIf(self === undefined)('a project file', () => {
  test('in a folder that others can write is ignored with a warning, unless it is sticky', async ({ home }) => {
    const folder = await nest(home, { timeout: 9 });
    expect(await timeoutOf(home, folder)).toEqual(['9', '']);
    await chmod(home.file('outer'), 0o777);
    const file = home.file('outer/.iamrc.json');
    const [timeout, warning] = await timeoutOf(home, folder);
    expect(timeout).toBe('30');
    expect(warning).toContain(`warning: ${file} is ignored: other users can write ${home.file('outer')} (mode 777).`);
    expect(warning).toContain('--trust-folder');
    await chmod(home.file('outer'), 0o1777);
    expect(await timeoutOf(home, folder)).toEqual(['9', '']);
    await chmod(file, 0o666);
    expect((await timeoutOf(home, folder))[0]).toBe('30');
  });

  test.skipIf(self !== 0)('below a folder of another user is ignored (needs root)', async ({ home }) => {
    const folder = await nest(home, { timeout: 9 });
    await writeFile(path.join(folder, '.iamrc.json'), '{"timeout": 8}');
    expect(await timeoutOf(home, folder)).toEqual(['8', '']);
    await chown(home.file('outer'), stranger, stranger);
    const [timeout, warning] = await timeoutOf(home, folder);
    const file = path.join(folder, '.iamrc.json');
    expect(timeout).toBe('30');
    expect(warning).toContain(`${file} is ignored: ${home.file('outer')} belongs to another user (uid ${stranger}).`);
    expect((await timeoutOf(home, folder, ['--trust-folder', folder]))[0]).toBe('8');
  });

  test('in a folder that the user lists is used', async ({ home }) => {
    const folder = await nest(home, { timeout: 9 });
    await chmod(home.file('outer'), 0o777);
    expect(await timeoutOf(home, folder, ['--trust-folder', home.file('outer')])).toEqual(['9', '']);
    const variables = { IAM_TRUST_FOLDERS: `/elsewhere,${home.folder}` };
    expect(await timeoutOf(home, folder, [], variables)).toEqual(['9', '']);
    const several = ['--trust-folder', '/elsewhere', `--trust-folder=${home.file('outer')}`, '--trust-folder=/other'];
    expect(await timeoutOf(home, folder, several)).toEqual(['9', '']);
    const around = ['--trust-folder', home.file('outer'), 'config', 'explain', 'timeout', '--trust-folder', '/other'];
    expect((await home.iam(around, { folder })).err).toBe('');
    expect((await timeoutOf(home, folder, ['--trust-folder', '/elsewhere']))[0]).toBe('30');
  });

  test('is not trusted by a value, an argument or the comma of a name', async ({ home }) => {
    const folder = await nest(home, { timeout: 9 });
    await chmod(home.file('outer'), 0o777);
    const option = `--trust-folder=${home.folder}`;
    const lines = [
      ['groups', 'list', '--query', option],
      ['groups', 'get', '--', option],
    ];
    for (const words of lines)
      expect((await home.iam(words, { folder, variables: tokenVariables })).err).toContain('is ignored');
    const listed = await home.iam(['config', 'explain', 'timeout', `--trust-folder=/x,${home.folder}`], { folder });
    expect(listed).toMatchObject({ code: 2, err: expect.stringContaining('contains a comma') });
  });

  test('that is ignored hides none of the user above it', async ({ home }) => {
    const folder = await nest(home, { 'read-only': true, baseUrl: 'http://127.0.0.1:9' });
    await writeFile(path.join(folder, '.iamrc.json'), '{"timeout": 9}');
    await chmod(folder, 0o777);
    const outcome = await home.iam(['groups', 'create', '--group-name', 'ops'], { folder, variables: tokenVariables });
    expect(outcome).toMatchObject({ code: 2, err: expect.stringContaining('read-only') });
  });

  test.skipIf(self !== 0)('of another user is ignored (needs root, to change owners)', async ({ home }) => {
    const folder = await nest(home, { timeout: 9 });
    const file = home.file('outer/.iamrc.json');
    await chown(file, stranger, stranger);
    const [timeout, warning] = await timeoutOf(home, folder);
    expect([timeout, warning]).toEqual(['30', expect.stringContaining(`belongs to another user (uid ${stranger})`)]);
    const linked = home.file('outer/linked');
    await mkdir(linked);
    await symlink(file, path.join(linked, '.iamrc.json'));
    expect((await timeoutOf(home, linked))[0]).toBe('30');
    // As root in a container over the checkout of a user.
    await chown(folder, stranger, stranger);
    await chmod(folder, 0o775);
    await writeFile(path.join(folder, '.iamrc.json'), '{"timeout": 8}');
    await chown(path.join(folder, '.iamrc.json'), stranger, stranger);
    expect(await timeoutOf(home, folder)).toEqual(['8', '']);
  });

  test('that selects the server of a write says so, once; reads do not', async ({ home }) => {
    await using server = await startFakeServer(({ method }) =>
      method === 'GET' ? { json: [] } : errorResponse(412, 'GROUP_NAME_TAKEN'),
    );
    await saveProfile('mine', { baseUrl: 'http://127.0.0.1:9', token: 'mine' }, home.variables);
    await saveProfile('project', { baseUrl: server.url, token: 'project' }, home.variables);
    const folder = await nest(home, { profile: 'project' });
    const notice = `The server is ${server.url}, not http://127.0.0.1:9: ${home.file('outer/.iamrc.json')} selects it.`;
    const body = home.file('body.json');
    await writeFile(body, '{"roleName": "VIEW"}');
    const timesNoticed = async (...words: string[]) => {
      const { err } = await home.iam(words, { folder });
      return err.split(notice).length - 1;
    };
    expect(await timesNoticed('groups', 'list')).toBe(0);
    expect(await timesNoticed('groups', 'create', '--group-name', 'ops')).toBe(1);
    expect(await timesNoticed('groups', 'delete', 'ops', 'leads', '--confirm', 'x')).toBe(1);
    expect(await timesNoticed('call', 'groups.add-role', '-p', 'groupId=ops', '-f', body)).toBe(1);
    expect(await timesNoticed('api', 'DELETE', '/groups/ops', '--yes')).toBe(1);
    expect(await timesNoticed('groups', 'create', '--group-name', 'ops', '--quiet')).toBe(0);
    await saveProfile('mine', { baseUrl: `${server.url.replace('http', 'HTTP')}/`, token: 'mine' }, home.variables);
    const { err } = await home.iam(['groups', 'create', '--group-name', 'ops'], { folder });
    expect(err).not.toContain('selects it');
    expect(await timesNoticed('groups', 'create', '--group-name', 'ops', '--profile', 'project')).toBe(0);
  });
});

test.skipIf(self !== 0)(
  'a project file of the owner of the working folder is used by root, which says so',
  async ({ home }) => {
    await using server = await startFakeServer(() => ({ json: {} }));
    await saveProfile('mine', { baseUrl: 'http://127.0.0.1:9', token: 'mine' }, home.variables);
    await saveProfile('project', { baseUrl: server.url, token: 'project' }, home.variables);
    const folder = home.file('of-stranger');
    await mkdir(folder);
    const file = path.join(folder, '.iamrc.json');
    await writeFile(file, '{"profile": "project"}');
    for (const place of [folder, file]) await chown(place, stranger, stranger);
    const create = ['groups', 'create', '--group-name', 'ops'];
    const notice = `The server is ${server.url}, not http://127.0.0.1:9: ${file} selects it.`;
    expect((await home.iam(create, { folder })).err).toContain(notice);
    // The file of another user than the owner of the folder is ignored.
    await chown(file, stranger + 1, stranger + 1);
    expect((await home.iam([...create, '--dry-run'], { folder })).err).toContain(`${file} is ignored`);
  },
);

test('a secret goes to the file that was created for it, also if its name is replaced', async ({ home }) => {
  const file = home.file('secret');
  const created = { status: 201, json: { clientId: 'c1', clientSecret: 'the-secret' } };
  await using server = await startFakeServer(async () => {
    await rename(file, home.file('moved'));
    await writeFile(file, '');
    return created;
  });
  const words = ['clients', 'create', '--app-id', 'a', '--secret-output', file];
  expect((await home.iam(words, { url: server.url, variables: tokenVariables })).code).toBe(0);
  expect([await readFile(file, 'utf8'), await readFile(home.file('moved'), 'utf8')]).toEqual(['', 'the-secret\n']);
});

test('a saved plan names no file outside of the folder of sets', async ({ home }) => {
  await using server = await startFakeServer(() => ({ json: [] }));
  const at = { url: server.url, variables: tokenVariables };
  await writeFile(home.file('iam.yaml'), 'set: base\ngroups:\n  - groupName: ops\n');
  await home.iam(['plan', '-f', home.file('iam.yaml'), '--out', home.file('plan.json')], at);
  const { checksum: _, ...saved } = JSON.parse(await readFile(home.file('plan.json'), 'utf8')) as Record<
    string,
    unknown
  >;
  const forged = { ...saved, set: '../../escaped' };
  const checksum = createHash('sha256').update(JSON.stringify(forged)).digest('hex');
  await writeFile(home.file('plan.json'), JSON.stringify({ ...forged, checksum }));
  const outcome = await home.iam(['apply', home.file('plan.json'), '--yes'], at);
  expect(outcome).toMatchObject({ code: 2, err: expect.stringContaining('A set name must have') });
  expect(server.received.filter(({ method }) => method !== 'GET')).toEqual([]);
});

describe.skipIf(self === undefined)('a folder of the command', () => {
  test('of servers that others can write is a finding of commands that report', async ({ home }) => {
    await using server = await startFakeServer(() => ({ json: {} }));
    const folder = home.file('state/iam');
    await mkdir(path.join(folder, 'servers'), { recursive: true });
    await chmod(path.join(folder, 'servers'), 0o777);
    const reason = `other users can write ${path.join(folder, 'servers')}`;
    const status = await home.iam(['server', 'status', '-o', 'json']);
    expect(status).toMatchObject({ code: 1, out: '[]\n', err: expect.stringContaining(reason) });
    const env = await home.iam(['env'], { url: server.url });
    expect(env).toMatchObject({
      code: 0,
      out: expect.stringContaining(server.url),
      err: expect.stringContaining(reason),
    });
    const doctor = await home.iam(['doctor', '-o', 'json'], { url: server.url, variables: tokenVariables });
    const findings = JSON.parse(doctor.out) as { check: string; status: string; detail: string; next: string }[];
    expect(findings.find(({ detail }) => detail.includes(reason))).toMatchObject({ check: 'files', status: 'fail' });
    expect(findings.map(({ check }) => check)).toContain('sign-in');
    expect((await home.iam(['server', 'logs'])).code).toBe(2);
  });

  const commands = [
    ['config', ['groups', 'list']],
    ['config', ['profile', 'add', 'x', '--base-url', 'http://127.0.0.1:9']],
    ['cache', ['logout']],
    ['state', ['server', 'stop']],
    ['state', ['server', 'status', 'memory']],
    ['state', ['env', 'memory']],
  ] as const;

  test('that others can write has no completions, unless it is trusted', async ({ home }) => {
    await saveProfile('mine', { baseUrl: 'http://127.0.0.1:9' }, home.variables);
    const folder = home.file('config/iam');
    await chmod(folder, 0o777);
    const complete = async (...words: string[]) =>
      (await home.iam(['__complete', '--', 'profile', 'use', ...words, ''])).out;
    expect(await complete()).not.toContain('mine');
    expect(await complete('--trust-folder', folder)).toContain('mine');
    expect(await complete('--trust-folder', `${folder},/x`)).not.toContain('mine');
  });

  const files = [
    ['config/iam/config.json', ['groups', 'list']],
    ['config/iam/config.json', ['profile', 'list']],
    ['cache/iam/tokens', ['logout']],
    ['cache/iam/tokens/profile-p.json', ['logout']],
    ['state/iam/servers/memory.json', ['server', 'stop']],
    ['state/iam/servers', ['server', 'stop']],
  ] as const;

  test.each(files)('is examined with the file that a command reads: %s by %j', async (name, words) => {
    await using home = await Home.make();
    await saveProfile('p', { baseUrl: 'http://127.0.0.1:9', clientId: 'a', clientSecret: 'b' }, home.variables);
    const place = home.file(name);
    if (name.endsWith('.json')) {
      await mkdir(path.dirname(place), { recursive: true });
      await writeFile(place, '', { flag: 'a' });
    } else await mkdir(place, { recursive: true });
    await chmod(place, 0o777);
    const refused = { code: 2, out: '', err: expect.stringContaining(`other users can write ${place}`) };
    expect(await home.iam(words)).toMatchObject(refused);
  });

  test('is not searched for other files, which take time', async ({ home }) => {
    await using server = await startFakeServer(() => ({ json: [] }));
    await saveProfile('p', { baseUrl: server.url, token: 't' }, home.variables);
    await writeFile(home.file('config/iam/other.json'), '');
    await chmod(home.file('config/iam/other.json'), 0o666);
    expect(await home.iam(['groups', 'list'])).toMatchObject({ code: 0, err: 'No results.\n' });
  });

  test.each(commands)('%s that others can write is refused by %j', async (kind, words) => {
    await using home = await Home.make();
    await saveProfile('p', { baseUrl: 'http://127.0.0.1:9', clientId: 'a', clientSecret: 'b' }, home.variables);
    const folder = home.file(`${kind}/iam`);
    await mkdir(folder, { recursive: true });
    await chmod(folder, 0o777);
    const refused = await home.iam(words);
    expect(refused).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining(`other users can write ${folder}`),
    });
    expect(refused.err).toContain(`--trust-folder ${folder}`);
    const trusted = await home.iam([...words, '--trust-folder', folder]);
    expect(trusted.err).not.toContain('other users can write');
    if (self !== 0) return;
    await chmod(folder, 0o700);
    await chown(folder, stranger, stranger);
    expect((await home.iam(words)).err).toContain(`chown -R 0:0 ${folder}`);
  });
});
