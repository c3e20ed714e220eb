import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { errorResponse, type FakeServer, startFakeServer } from '../../../client/fake-server.ts';
import { createScriptedPrompter } from '../../prompts/scripted-prompter.ts';
import { Home, iam } from '../../run-cli.ts';

const group = {
  groupId: 'g1',
  groupName: 'ops',
  organizationId: 'acme',
  roles: ['A', 'B'],
  dependencies: [{ groupName: 'base' }],
};
const update = ['groups', 'update', 'ops'];

/** A server with one group whose ETag is its version; `between` is a concurrent change before the first write. */
async function withGroup(between: (current: { roles: string[] }) => void = () => undefined) {
  let version = 1;
  let current = structuredClone(group);
  let others: ((current: { roles: string[] }) => void) | undefined = between;
  const server = await startFakeServer(({ method, path: requested, headers, body }) => {
    const name = requested.split('/').at(-1);
    if (method === 'GET' && name !== 'ops' && name !== 'g1') return { json: { groupName: name } };
    if (method === 'GET') return { json: current, headers: { etag: `"${version}"` } };
    if (others !== undefined) {
      const before = JSON.stringify(current);
      others(current);
      if (JSON.stringify(current) !== before) version += 1;
      others = undefined;
    }
    if (headers['if-match'] !== undefined && headers['if-match'] !== `"${version}"`)
      return errorResponse(422, 'CHANGED_MEANWHILE');
    current = { groupId: 'g1', ...JSON.parse(body) };
    version += 1;
    return { status: 204 };
  });
  return Object.assign(server, { group: () => current });
}

function writes({ received }: FakeServer) {
  return received.filter(({ method }) => method === 'PUT');
}

describe('groups update', () => {
  test('changes only the fields of the options', async () => {
    await using server = await withGroup();
    const outcome = await iam(
      [...update, '--add-role', 'ROLE_C', '--remove-role', 'A', '--set', 'groupName=dev=ops'],
      server,
    );
    expect(outcome).toEqual({ code: 0, out: '', err: 'ops: ~ groupName: ops -> dev=ops, + role C, - role A\n' });
    expect(server.group()).toEqual({ ...group, groupName: 'dev=ops', roles: ['B', 'C'] });
    expect(writes(server)).toMatchObject([{ path: '/security/iam/v1/groups/g1', headers: { 'if-match': '"1"' } }]);
  });

  test('changes dependencies, and clears a field that is set to empty', async () => {
    await using server = await withGroup();
    const words = [...update, '--add-dependency', 'x,y', '--remove-dependency', 'base', '--set', 'organizationId='];
    expect((await iam(words, server)).code).toBe(0);
    expect(server.group()).toEqual({
      groupId: 'g1',
      groupName: 'ops',
      roles: ['A', 'B'],
      dependencies: [{ groupName: 'x' }, { groupName: 'y' }],
    });
  });

  test('keeps concurrent changes', async () => {
    await using server = await withGroup((current) => current.roles.push('THEIRS'));
    expect((await iam([...update, '--add-role', 'MINE'], server)).code).toBe(0);
    expect(server.group().roles).toEqual(['A', 'B', 'THEIRS', 'MINE']);
    expect(writes(server)).toHaveLength(2);
  });

  test('is a conflict after repeated concurrent changes', async () => {
    await using server = await startFakeServer(({ method }) =>
      method === 'GET' ? { json: group, headers: { etag: '"1"' } } : errorResponse(422, 'CHANGED_MEANWHILE'),
    );
    expect((await iam([...update, '--add-role', 'C'], server)).code).toBe(6);
    expect(writes(server)).toHaveLength(10);
  });

  test('sends nothing if nothing would change, and prints a notice', async () => {
    await using server = await withGroup();
    const outcome = await iam(
      [...update, '--add-role', 'A', '--remove-role', 'NOT_THERE', '--set', 'organizationId=acme'],
      server,
    );
    expect(outcome).toEqual({ code: 0, out: '', err: 'ops: nothing to change\n' });
    expect(writes(server)).toEqual([]);
  });

  test('prints the changed group for programs', async () => {
    await using server = await withGroup();
    const outcome = await iam([...update, '--add-role', 'C', '-o', 'json', '-q'], server);
    expect(JSON.parse(outcome.out)).toEqual({ ...group, roles: ['A', 'B', 'C'] });
    expect(outcome.err).toBe('');
  });

  test('a dry run reads and prints, and writes nothing', async () => {
    await using server = await withGroup();
    const outcome = await iam([...update, '--add-role', 'C', '--dry-run', '-o', 'json'], server);
    expect(JSON.parse(outcome.out)).toMatchObject({
      method: 'PUT',
      headers: { 'if-match': '"1"' },
      body: { roles: ['A', 'B', 'C'] },
    });
    expect(writes(server)).toEqual([]);
  });

  test('-f replaces the group, and shows what it replaced', async () => {
    await using server = await withGroup((current) => current.roles.push('C'));
    const stdin = 'groupName: new\nroles: [ROLE_A, Z]\n';
    const unconfirmed = await iam([...update, '-f', '-'], { url: server.url, stdin });
    expect(unconfirmed).toMatchObject({
      code: 10,
      err: expect.stringContaining('Remove role B, dependency base, organizationId acme from ops?'),
    });
    expect(writes(server)).toEqual([]);
    const outcome = await iam([...update, '-f', '-', '--yes'], { url: server.url, stdin });
    expect([outcome.code, outcome.out, outcome.err.split('\n')]).toEqual([
      0,
      '',
      [
        'ops: updated',
        '  ~ groupName: ops -> new',
        '  ~ organizationId: acme -> (none)',
        '  + role Z',
        '  - role B',
        '  - role C',
        '  - dependency base',
        '',
      ],
    ]);
    expect(writes(server).map(({ body }) => body)).toEqual([
      '{"groupName":"new","roles":["ROLE_A","Z"],"dependencies":[]}',
      '{"groupName":"new","roles":["ROLE_A","Z"],"dependencies":[]}',
    ]);
  });

  test('-f with --dry-run shows the differences and sends no write; the same group is nothing to change', async () => {
    await using server = await withGroup();
    const stdin = JSON.stringify({ ...group, groupId: undefined, roles: ['A'] });
    const preview = await iam([...update, '-f', '-', '--dry-run'], { url: server.url, stdin });
    expect(preview).toMatchObject({ code: 0, err: expect.stringContaining('- role B\n') });
    const same = await iam([...update, '-f', '-'], {
      url: server.url,
      stdin: JSON.stringify({ ...group, groupId: undefined }),
    });
    expect(same).toMatchObject({ code: 0, err: 'ops: nothing to change\n' });
    expect(writes(server)).toEqual([]);
  });

  test('-f takes the output of get: the id is not sent', async () => {
    await using server = await withGroup();
    const file = await iam(['groups', 'get', 'ops', '-o', 'json'], server);
    const same = await iam([...update, '-f', '-'], { url: server.url, stdin: file.out });
    expect(same).toMatchObject({ code: 0, err: 'ops: nothing to change\n' });
    const stdin = JSON.stringify({ ...JSON.parse(file.out), organizationId: 'other' });
    expect((await iam([...update, '-f', '-'], { url: server.url, stdin })).code).toBe(0);
    expect(writes(server).map(({ body }) => JSON.parse(body))).toEqual([
      { ...group, groupId: undefined, organizationId: 'other' },
    ]);
  });

  test.each([{}, { roles: ['A'] }])('-f refuses the file of another group, also with %j', async (change) => {
    await using server = await withGroup();
    const stdin = JSON.stringify({ ...group, ...change, groupId: 'g2' });
    const { code, err } = await iam([...update, '-f', '-'], { url: server.url, stdin });
    expect({ code, err }).toEqual({
      code: 2,
      err: expect.stringContaining('The file is of the group "g2", but ops is g1.'),
    });
    expect(writes(server)).toEqual([]);
  });

  test.each([
    { roles: null },
    { dependencies: [null] },
    { dependencies: [{ groupName: 'base', note: 'x' }] },
    { organizationId: null },
  ])('-f sends %j, so that the server rejects it', async (change) => {
    const current = { ...group, roles: [] };
    await using server = await startFakeServer(({ method }) =>
      method === 'GET' ? { json: current } : errorResponse(400, 'FIELD_TYPE'),
    );
    const stdin = JSON.stringify({ ...current, ...change });
    const { code, err } = await iam([...update, '-f', '-', '--yes'], { url: server.url, stdin });
    expect({ code, err }).toEqual({ code: 7, err: expect.not.stringContaining('nothing to change') });
    expect(writes(server)).toHaveLength(1);
  });

  test.each([
    [{ roles: 'ADMIN' }, 'roles must be a list, not "ADMIN"', '["ADMIN"]'],
    [{ roles: [1] }, 'roles[0] must be a string, not 1', '"1"'],
    [{ roles: {} }, 'roles must be a list, not an object', undefined],
    [{ dependencies: 'base' }, 'dependencies must be a list, not "base"', '[{"groupName":"base"}]'],
    [{ dependencies: ['base'] }, 'dependencies[0] must be an object, not "base"', '{"groupName":"base"}'],
    [{ dependencies: { groupName: 'a' } }, 'dependencies must be a list, not an object', '[{"groupName":"a"}]'],
    [{ organizationId: 5 }, 'organizationId must be a string, not 5', '"5"'],
  ])('-f of an update and a create refuses %j before the request', async (change, problem, remedy) => {
    await using server = await withGroup();
    const stdin = JSON.stringify({ groupName: 'dev', ...change });
    for (const words of [update, ['groups', 'create']]) {
      const { code, err } = await iam([...words, '-f', '-'], { url: server.url, stdin });
      expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(`error: ${problem}; nothing was sent.`) });
      if (remedy) expect(err).toContain(`Write ${remedy}.`);
    }
    expect(writes(server)).toEqual([]);
  });

  test.each([
    [[], 'No changes specified'],
    [['--set', 'groupName'], 'FIELD=VALUE'],
    [['--set', 'groupId=x'], 'one of the fields groupName, organizationId, businessUnitId, roles, dependencies'],
    [['--force', '--add-role', 'A'], '--force needs -f'],
    [['-f', '-', '--add-role', 'A'], 'cannot be combined'],
    [['--add-role', 'A,,B'], 'empty value'],
  ])('%j is a usage error', async (words, message) => {
    await using server = await withGroup();
    const outcome = await iam([...update, ...words], server);
    expect(outcome.code).toBe(2);
    expect(outcome.err).toContain(message);
    expect(server.received).toEqual([]);
  });
});

test('an option of a field sets it, and replaces a list only after a question', async () => {
  await using server = await withGroup();
  const replaced = [...update, '--group-name', 'dev', '--role', 'B,C'];
  expect(await iam(replaced, server)).toMatchObject({
    code: 10,
    err: expect.stringContaining('Remove role A from ops?'),
  });
  expect(writes(server)).toEqual([]);
  expect((await iam([...replaced, '--yes'], server)).code).toBe(0);
  expect(server.group()).toEqual({ ...group, groupName: 'dev', roles: ['B', 'C'] });
});

test.each([
  [true, 0, ['B']],
  [false, 1, ['A', 'B', 'C']],
])(
  'a list is replaced only after a question for each entry, also one that others add meanwhile: %s',
  async (reply, code, roles) => {
    await using server = await withGroup((current) => current.roles.push('C'));
    const { prompter, questions } = createScriptedPrompter(true, reply);
    const outcome = await iam([...update, '--role', 'B'], { url: server.url, columns: 80, prompter });
    expect(questions.map(({ message }) => message)).toEqual(['Remove role A from ops?', 'Remove role C from ops?']);
    expect([outcome.code, server.group().roles]).toEqual([code, roles]);
    if (code !== 0)
      expect(outcome.err).toContain('Not confirmed; others changed it meanwhile, and nothing was written.');
  },
);

describe('groups edit', () => {
  const edit = ['groups', 'edit', 'ops'];

  /** Removes the file that the command kept. @returns its text */
  async function removeFile(err: string): Promise<string> {
    const [, file = ''] = /Your file is (\S+edit\.yaml)\./.exec(err) ?? [];
    const text = await readFile(file, 'utf8');
    await rm(path.dirname(file), { recursive: true });
    return text;
  }

  test('shows the text of the server as comments of one line each', async () => {
    const line = 'roles: [ADMIN]';
    await using server = await startFakeServer(({ method }) =>
      method === 'GET'
        ? { json: { ...group, groupName: `ops\n${line}` } }
        : { status: 400, json: [{ code: 'FIELD_TYPE', message: `Wrong.\u2028${line}\n${line}\r${line}` }] },
    );
    await using home = await Home.make();
    const seen = home.file('seen');
    const variables = {
      IAM_TOKEN: 't',
      EDITOR: `sh -c 'cat "$1" >> ${seen}; sed -i "s/organizationId: .*/organizationId: x/" "$1"' sh`,
    };
    const { code, err } = await home.iam(edit, { url: server.url, columns: 200, variables });
    await removeFile(err);
    expect(code).toBe(1);
    const lines = (await readFile(seen, 'utf8')).split(/[\r\n\u2028]/);
    expect(lines).toContain(`# Wrong.\\u2028${line}\\n${line}\\r${line}`);
    expect(lines.filter((one) => one.startsWith(line))).toEqual([]);
  });

  test('after a change by someone else says how to repeat it', async () => {
    const etags = ['"1"', '"2"'];
    await using server = await startFakeServer(() => {
      const etag = etags.shift() ?? '';
      return { json: etag === '"1"' ? group : { ...group, roles: ['COLLEAGUE'] }, headers: { etag } };
    });
    await using home = await Home.make();
    const variables = { IAM_TOKEN: 't', EDITOR: 'sed -i "s/organizationId: .*/organizationId: mine/"' };
    const { code, err } = await home.iam(edit, { url: server.url, variables });
    expect([code, await removeFile(err)]).toEqual([6, expect.stringContaining('organizationId: mine')]);
    expect(err).toContain('Open it again with the same command');
    expect(err).toMatch(
      /Changed in the service:\n {2}\+ role COLLEAGUE\n(?: {2}- .*\n)*Changed by your file:\n {2}~ organizationId: .* -> mine\n/,
    );
    expect(err).not.toContain('--force');
  });

  test('keeps the file if the editor fails after the first round', async () => {
    await using server = await startFakeServer(({ method }) =>
      method === 'GET' ? { json: group } : errorResponse(400, 'FIELD_TYPE'),
    );
    await using home = await Home.make();
    const script = 'test -e "$0" && exit 1; touch "$0"; sed -i "s/organizationId: .*/organizationId: mine/" "$1"';
    const variables = { IAM_TOKEN: 't', EDITOR: `sh -c '${script}' ${home.file('opened')}` };
    const { code, err } = await home.iam(edit, { url: server.url, columns: 200, variables });
    expect([code, await removeFile(err)]).toEqual([70, expect.stringContaining('organizationId: mine')]);
  });
});

test('an unknown option is rejected', async () => {
  const { code, err } = await iam([...update, '--nope']);
  expect(code).toBe(2);
  expect(err).toContain("unknown option '--nope'");
});
