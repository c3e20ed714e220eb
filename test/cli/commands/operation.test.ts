import { readFile, stat, writeFile } from 'node:fs/promises';
import { describe, expect } from 'vitest';
import { manifest } from '../../../src/contract/manifest.ts';
import { errorResponse, startFakeServer } from '../../client/fake-server.ts';
import { Home, iam, test, tokenVariables } from '../run-cli.ts';

const prefix = '/security/iam/v1';

describe('the command of an operation', () => {
  test('sends options as the body: lists repeated or comma-separated, lists of objects by their single field', async () => {
    await using server = await startFakeServer(() => ({ status: 201, json: { groupId: 'g1' } }));
    const words = ['groups', 'create', '--group-name', 'ops', '--role', 'A', '--role', 'B,C', '--dependency', 'leads'];
    const outcome = await iam([...words, '-o', 'json'], server);
    expect(outcome).toEqual({ code: 0, out: '{\n  "groupId": "g1"\n}\n', err: '' });
    expect(server.received).toMatchObject([
      { method: 'POST', path: `${prefix}/groups`, headers: { authorization: 'Bearer test-token' } },
    ]);
    expect(JSON.parse(server.received[0]?.body ?? '')).toEqual({
      groupName: 'ops',
      roles: ['A', 'B', 'C'],
      dependencies: [{ groupName: 'leads' }],
    });
  });

  test('accepts path parameters as arguments, followed by the only field of a body', async () => {
    await using server = await startFakeServer(() => ({ status: 201, json: {} }));
    expect(await iam(['groups', 'add-role', 'my ops', 'DEPLOY'], server)).toEqual({
      code: 0,
      out: '',
      err: 'my ops: + role DEPLOY\n',
    });
    await iam(['groups', 'add-role', 'ops', '--role-name', 'DEPLOY'], server);
    const writes = server.received.filter(({ method }) => method === 'POST');
    expect(writes.map(({ path, body }) => [path, body])).toEqual([
      [`${prefix}/groups/my%20ops/role`, '{"roleName":"DEPLOY"}'],
      [`${prefix}/groups/ops/role`, '{"roleName":"DEPLOY"}'],
    ]);
  });

  test('without entries is an empty list for every read', async () => {
    await using server = await startFakeServer(() => ({ json: [] }));
    const reads = manifest.operations.filter(
      ({ command, effect, response }) =>
        command && effect === 'read' && (response.page || response.schema?.type === 'array'),
    );
    expect(reads.length).toBeGreaterThan(10);
    for (const { command = '', params, query } of reads) {
      const required = query.flatMap(({ name, required }) => (required ? [`--${name}`, 'x'] : []));
      const words = [...command.split(' '), ...params.map(({ name }) => name), ...required];
      expect([command, await iam(words, server)]).toEqual([command, { code: 0, out: '', err: 'No results.\n' }]);
      expect([command, (await iam([...words, '-o', 'json'], server)).out]).toEqual([command, '[]\n']);
    }
  });

  test('an empty response is an empty object for programs', async () => {
    await using server = await startFakeServer(() => ({ status: 204 }));
    expect(await iam(['groups', 'delete', 'ops', '--yes', '-o', 'json', '-q'], server)).toEqual({
      code: 0,
      out: '{}\n',
      err: '',
    });
  });

  test.each([
    ['group', 'rm'],
    ['groups', 'remove'],
    ['group', 'delete'],
  ])('has the alias %s %s', async (noun, verb) => {
    await using server = await startFakeServer(() => ({ status: 204 }));
    expect((await iam([noun, verb, 'ops', '-y'], server)).code).toBe(0);
    expect(server.received).toMatchObject([{ method: 'DELETE', path: `${prefix}/groups/ops` }]);
  });

  test('accepts global options before it', async () => {
    await using server = await startFakeServer(() => ({ json: { groupId: 'g', groupName: 'ops' } }));
    expect((await iam(['-o', 'name', 'groups', 'get', 'ops'], server)).out).toBe('ops\n');
  });

  test.each([
    ['JSON', 'group.json', '{"groupName":"ops","roles":["A"]}'],
    ['YAML', 'group.yaml', 'groupName: ops\nroles: [A]\n'],
  ])('reads the body from a file of %s, and options override it', async (_, name, text) => {
    await using home = await Home.make();
    await using server = await startFakeServer(() => ({ status: 201, json: { groupId: 'g1' } }));
    await writeFile(home.file(name), text);
    const words = ['groups', 'create', '-f', home.file(name), '--group-name', 'other'];
    expect((await home.iam(words, { ...server, variables: tokenVariables })).code).toBe(0);
    expect(JSON.parse(server.received[0]?.body ?? '')).toEqual({ groupName: 'other', roles: ['A'] });
  });

  test('reads the body from standard input', async () => {
    await using server = await startFakeServer(() => ({ status: 201, json: { groupId: 'g1' } }));
    expect((await iam(['groups', 'create', '-f', '-'], { url: server.url, stdin: '{"groupName":"ops"}' })).code).toBe(
      0,
    );
    expect(server.received[0]?.body).toBe('{"groupName":"ops"}');
  });

  test.each([
    [['groups', 'list', 'a'], 'too many arguments'],
    [['groups', 'get', 'a', '..'], 'cannot be'],
    [['groups', 'list', '--limit', 'many'], 'whole number'],
    [['groups', 'list', '--limit', '0'], 'at least 1'],
    [['groups', 'list', '-o', 'xml'], 'Allowed choices are table'],
    [['groups', 'lst'], 'Did you mean one of list, ls?'],
    [['groups', 'list', '--alll'], 'Did you mean --all?'],
    [['grups', 'list'], 'Did you mean groups?'],
    [['call', 'groups.gett'], 'Did you mean groups get (groups.get)?'],
    [['call', 'groups.get', '--param', 'id=x'], 'no path or query parameter id'],
    [['groups', 'create', '-f', '/nonexistent/file'], 'Cannot read'],
    [['groups', 'get', '..'], 'cannot be'],
    [['api', 'FETCH', '/groups'], 'Unknown method'],
    [['api', 'GET', 'groups'], 'start with a slash'],
  ])('%j is a usage error: nothing is sent', async (words, message) => {
    await using server = await startFakeServer(() => ({}));
    const outcome = await iam(words, server);
    expect(outcome).toMatchObject({ code: 2, out: '' });
    expect(outcome.err).toContain(message);
    expect(server.received).toEqual([]);
  });
});

describe('--set', () => {
  const create = ['users', 'create', '--user-email', 'a@example.com', '--dry-run', '-o', 'json'];

  test('sets fields by their body names, with their types', async () => {
    const words = ['--set', 'userName=a=b', '--set', 'userMobile.areaCode=11', '--set', 'lead=true'];
    const { out } = await iam([...create, ...words]);
    expect((JSON.parse(out) as { body: object }).body).toEqual({
      userEmail: 'a@example.com',
      userName: 'a=b',
      userMobile: { areaCode: 11 },
      lead: true,
    });
  });

  test('accepts JSON and files', async ({ home }) => {
    await writeFile(home.file('name'), 'alice\n');
    const mobile = { regionCode: 55, areaCode: 11, phoneNumber: 987654321 };
    const words = ['--set-json', `userMobile=${JSON.stringify(mobile)}`, '--set-file', `userName=${home.file('name')}`];
    const { out } = await iam([...create, ...words]);
    expect((JSON.parse(out) as { body: object }).body).toEqual({
      userEmail: 'a@example.com',
      userName: 'alice',
      userMobile: mobile,
    });
    for (const wrong of ['userMobile={', 'userMob={}', 'token="x"', '={}'])
      expect((await iam([...create, '--set-json', wrong])).code).toBe(2);
  });

  test('takes null as no value', async () => {
    const { out } = await iam([...create, '--set', 'userName=u', '--set', 'businessId=null']);
    expect((JSON.parse(out) as { body: object }).body).toEqual({ userEmail: 'a@example.com', userName: 'u' });
  });

  test.each(['userNam=x', 'userName', 'userName=null', 'lead=yes', 'userMobile.areaCode=x', 'token=secret'])(
    '%s is a usage error',
    async (assignment) => {
      expect((await iam([...create, '--set', assignment])).code).toBe(2);
    },
  );
});

describe('a dry run', () => {
  test('prints the request, sends nothing and does not prompt', async () => {
    await using server = await startFakeServer(() => ({}));
    const deletion = await iam(['groups', 'delete', 'ops', '--dry-run'], server);
    expect(deletion).toMatchObject({ code: 0, out: `DELETE ${server.url}${prefix}/groups/ops\n` });
    const creation = await iam(['groups', 'create', '--group-name', 'ops', '--dry-run', '-o', 'json'], server);
    expect(JSON.parse(creation.out)).toEqual({
      method: 'POST',
      url: `${server.url}${prefix}/groups`,
      body: { groupName: 'ops' },
    });
    expect(server.received).toEqual([]);
  });

  test('does not print a secret', async () => {
    const words = ['api-key', 'create', '--app-id', 'a', '--client-id', 'c', '--api-key-file', '-', '--dry-run'];
    const outcome = await iam(words, { stdin: 'my-secret-key\n' });
    expect(outcome.code).toBe(0);
    expect(outcome.out + outcome.err).not.toContain('my-secret-key');
  });
});

describe('--if-not-exists', () => {
  test('succeeds for an existing name, and prints the same fields', async () => {
    await using server = await startFakeServer(({ method, path }) => {
      const group = { groupId: 'g7', groupName: 'ops', roles: [], dependencies: [] };
      return method === 'POST'
        ? errorResponse(412, 'GROUP_NAME_TAKEN')
        : { json: path.includes('?') ? [group] : group };
    });
    const outcome = await iam(['groups', 'create', '--group-name', 'ops', '--if-not-exists', '-o', 'jsonl'], server);
    expect(outcome).toMatchObject({ code: 0, out: '{"groupId":"g7","created":false}\n' });
    expect(outcome.err).toContain('nothing was changed');
  });

  test('without the option an existing name is a conflict', async () => {
    await using server = await startFakeServer(() => errorResponse(412, 'GROUP_NAME_TAKEN'));
    expect((await iam(['groups', 'create', '--group-name', 'ops'], server)).code).toBe(6);
  });
});

describe('users create', () => {
  const claims = Buffer.from(JSON.stringify({ sub: 'u-7' })).toString('base64url');
  const token = { accessToken: `e30.${claims}.c2ln`, tokenType: 'Bearer', refreshToken: 'r-secret', expiresIn: '3600' };
  const words = ['users', 'create', '--user-name', 'alice', '--user-email', 'alice@example.com'];
  const issuing = (json: unknown = token) => startFakeServer(() => ({ status: 201, json }));

  test.each([
    ['table', 'user id  u-7\n'],
    ['wide', 'user id  u-7\n'],
    ['json', '{\n  "userId": "u-7"\n}\n'],
    ['jsonl', '{"userId":"u-7"}\n'],
    ['yaml', 'userId: u-7\n'],
    ['csv', 'userId\nu-7\n'],
    ['name', 'u-7\n'],
  ])('prints the id and no token as %s', async (format, out) => {
    await using server = await issuing();
    expect(await iam([...words, '-o', format], server)).toEqual({ code: 0, out, err: '' });
  });

  test('prints the token with --show-token, with a notice', async () => {
    await using server = await issuing();
    const { code, out, err } = await iam([...words, '-o', 'json', '--show-token'], server);
    expect([code, JSON.parse(out)]).toEqual([0, { userId: 'u-7', ...token }]);
    expect(err).toContain('They are not shown again');
  });

  test('writes the token to a private file, and prints the id', async ({ home }) => {
    await using server = await issuing();
    const file = home.file('token');
    const outcome = await home.iam([...words, '-o', 'name', '--secret-output', file], {
      ...server,
      variables: tokenVariables,
    });
    expect(outcome).toMatchObject({ code: 0, out: 'u-7\n', err: expect.stringContaining('were written to') });
    expect(await readFile(file, 'utf8')).toBe(`${token.accessToken}\n${token.refreshToken}\n`);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  test.each([
    [['--show-token', '--secret-output', 'FILE'], 'exclude each other'],
    [['--show-token', '-o', 'name'], 'does not print the token'],
    [['--columns', 'accessToken'], 'Unknown column'],
  ])('%j is a usage error: nothing is sent or written', async (more, message) => {
    await using home = await Home.make();
    await using server = await issuing();
    const file = home.file('token');
    const line = [...words, ...more.map((word) => (word === 'FILE' ? file : word))];
    const outcome = await home.iam(line, { ...server, variables: tokenVariables });
    expect(outcome).toMatchObject({ code: 2, out: '', err: expect.stringContaining(message) });
    expect(server.received).toEqual([]);
    await expect(stat(file)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('takes the id from the request where the token is opaque', async () => {
    await using server = await issuing({ ...token, accessToken: 'opaque' });
    expect((await iam([...words, '--user-id', 'u-8', '-o', 'name'], server)).out).toBe('u-8\n');
    expect(await iam(words, server)).toEqual({ code: 0, out: '', err: 'users create: done\n' });
  });

  test('escapes an id with control characters in a table', async () => {
    const hostile = Buffer.from(JSON.stringify({ sub: 'a\u001b[2J' })).toString('base64url');
    await using server = await issuing({ ...token, accessToken: `e30.${hostile}.c2ln` });
    expect((await iam(words, server)).out).not.toContain('\u001b');
  });
});

describe('a secret in a response', () => {
  const created = { apiKeyId: 'k1', apiKey: 'the-secret' };
  const words = ['api-key', 'create', '--app-id', 'a', '--client-id', 'c'];

  test('is printed once, with a notice', async () => {
    await using server = await startFakeServer(() => ({ status: 201, json: created }));
    const outcome = await iam([...words, '--debug', '-o', 'json'], server);
    expect(JSON.parse(outcome.out)).toEqual(created);
    expect(outcome.err).toContain('It is not shown again');
    expect(outcome.err).not.toContain('the-secret');
    expect(outcome.err).not.toContain('test-token');
  });

  test('is written to a new private file', async ({ home }) => {
    await using server = await startFakeServer(() => ({ status: 201, json: created }));
    const file = home.file('key');
    const outcome = await home.iam([...words, '--secret-output', file, '-o', 'json'], {
      ...server,
      variables: tokenVariables,
    });
    expect(JSON.parse(outcome.out)).toEqual({ apiKeyId: 'k1' });
    expect(outcome.err).not.toContain('the-secret');
    expect(await readFile(file, 'utf8')).toBe('the-secret\n');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  test('is not issued if it cannot be stored', async () => {
    await using server = await startFakeServer(() => ({ status: 201, json: created }));
    expect((await iam([...words, '--secret-output', '/dev/null/key'], server)).code).toBe(2);
    expect((await iam([...words, '-o', 'name'], server)).code).toBe(2);
    expect(server.received).toEqual([]);
  });

  test('of an existing entity is not overwritten, and a new one is stored beside it', async ({ home }) => {
    const file = home.file('key');
    const again = [...words, '--if-not-exists', '--secret-output', file];
    const [, , , appId, , clientId] = words;
    await using conflicting = await startFakeServer(() => ({ json: [{ apiKeyId: 'k0', appId, clientId }] }));
    expect((await home.iam(again, { ...conflicting, variables: tokenVariables })).code).toBe(0);
    await expect(stat(file)).rejects.toMatchObject({ code: 'ENOENT' });
    await writeFile(file, 'from before\n');
    expect((await home.iam(again, { ...conflicting, variables: tokenVariables })).code).toBe(0);
    await using free = await startFakeServer(({ method }) =>
      method === 'GET' ? { json: [] } : { status: 201, json: created },
    );
    const outcome = await home.iam(again, { ...free, variables: tokenVariables });
    expect(outcome).toMatchObject({ code: 0, err: expect.stringContaining(`${file}.new`) as string });
    expect(await readFile(file, 'utf8')).toBe('from before\n');
    expect(await readFile(`${file}.new`, 'utf8')).toBe('the-secret\n');
    // A third file name does not exist.
    expect((await home.iam(again, { ...free, variables: tokenVariables })).code).toBe(2);
  });

  test('leaves no file after a rejection', async ({ home }) => {
    await using server = await startFakeServer(() => errorResponse(404, 'CLIENT_NOT_FOUND'));
    const file = home.file('key');
    expect((await home.iam([...words, '--secret-output', file], { ...server, variables: tokenVariables })).code).toBe(
      3,
    );
    await expect(stat(file)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('the commands call and api', () => {
  test('call requests an operation by id', async () => {
    await using server = await startFakeServer(() => ({ json: [] }));
    expect((await iam(['call', 'groups.list', '--param', 'limit=5', '--param', 'name=a=b'], server)).code).toBe(0);
    expect(server.received[0]?.path).toBe(`${prefix}/groups?limit=5&name=a%3Db`);
  });

  test('call sends only headers that the operation declares', async () => {
    await using server = await startFakeServer(() => ({ json: { accessToken: 'x' } }));
    const words = ['call', 'user-identities.authenticate-by-param', '--header', 'param=a=b'];
    expect((await iam(words, server)).code).toBe(0);
    expect(server.received).toMatchObject([
      { path: `${prefix}/user-identities/auth-legacy-by-param`, headers: { param: 'a=b' } },
    ]);
    const dry = await iam([...words, '--dry-run', '-o', 'json'], server);
    expect(JSON.parse(dry.out)).toMatchObject({ method: 'POST', headers: { param: '(secret)' } });
    const strange = await iam([...words, '--header', 'authorization=x'], server);
    expect(strange.err).toContain('no header authorization');
    expect(strange.code).toBe(2);
    expect(server.received).toHaveLength(1);
  });

  test('call prints one page of a list, with a notice on how to get the next', async () => {
    const headers = { link: '</x?after=c1>; rel="next"' };
    await using server = await startFakeServer(() => ({ status: 206, json: [{ groupId: 'g1' }], headers }));
    const outcome = await iam(['call', 'groups.list', '-o', 'jsonl'], server);
    expect(outcome).toEqual({
      code: 0,
      out: '{"groupId":"g1"}\n',
      err: 'More results exist. For the next page, add --param after=c1\n',
    });
  });

  test('api adds to an existing query of the path', async () => {
    await using server = await startFakeServer(() => ({ json: [] }));
    await iam(['api', 'GET', '/groups?limit=1', '--param', 'name=a b'], server);
    expect(server.received[0]?.path).toBe(`${prefix}/groups?limit=1&name=a+b`);
  });

  test('api adds the prefix only to operation paths', async () => {
    await using server = await startFakeServer(() => ({ json: { status: 'ok' } }));
    await iam(['api', 'get', '/groups/ops'], server);
    await iam(['api', 'GET', '/healthz'], server);
    await iam(['api', 'POST', `${prefix}/groups`, '-f', '-'], { url: server.url, stdin: '{"a":1}' });
    expect(server.received.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['GET', `${prefix}/groups/ops`, ''],
      ['GET', '/healthz', ''],
      ['POST', `${prefix}/groups`, '{"a":1}'],
    ]);
  });

  test.each([[['call', 'groups.remove', '--param', 'groupId=ops']], [['api', 'DELETE', '/groups/ops']]])(
    '%j is confirmed like any delete',
    async (words) => {
      await using server = await startFakeServer(() => ({ status: 204 }));
      expect((await iam(words, server)).code).toBe(10);
      expect(server.received).toEqual([]);
      expect((await iam([...words, '--yes'], server)).code).toBe(0);
    },
  );
});
