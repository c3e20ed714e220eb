import { describe, expect, test } from 'vitest';
import { errorResponse, startFakeServer } from '../../client/fake-server.ts';
import { iam, tokenVariables } from '../run-cli.ts';

const entry = {
  id: 'r-1',
  at: '2026-03-01T12:00:00.000Z',
  caller: 'c1',
  callerName: 'billing',
  operation: 'groups.list',
  method: 'GET',
  path: '/security/iam/v1/groups',
  status: 403,
  errors: ['ROLE_MISSING'],
  milliseconds: 1.5,
};
const none = { cures: [], groups: [], roles: [], scope: [], missing: [], forbidden: [], grantedBy: [] };

const queryOf = (path: string) => Object.fromEntries(new URL(path, 'http://x').searchParams);

describe('requests', () => {
  test('list sends the filters and prints the main columns', async () => {
    await using server = await startFakeServer(() => ({ json: [entry] }));
    const words = ['--operation', 'groups.list', '--caller', 'billing', '--status', '4xx', '--error', 'ROLE_MISSING'];
    const { code, out } = await iam(['requests', 'list', ...words], server);
    expect([code, out.split('\n')[1]]).toEqual([
      0,
      'r-1  2026-03-01T12:00:00Z  403     GET     /groups  ROLE_MISSING  billing',
    ]);
    expect(queryOf(server.received.at(-1)?.path ?? '')).toEqual({
      operation: 'groups.list',
      caller: 'billing',
      status: '4xx',
      error: 'ROLE_MISSING',
      limit: '1000',
    });
  });

  test('wait repeats until enough requests match, and lists them', async () => {
    const responses = [errorResponse(404, 'REQUEST_NOT_FOUND'), { json: [entry, entry] }];
    await using server = await startFakeServer(() => responses.shift() ?? { status: 500 });
    const words = ['--operation', 'groups.list', '--count', '2', '--after', 'r-0', '--wait', '30s', '--timeout', '10'];
    const { code, out } = await iam(['requests', 'wait', ...words], server);
    expect([code, out.trimEnd().split('\n')]).toMatchObject([
      0,
      { length: 3, 1: expect.stringContaining(' /groups ') },
    ]);
    const query = { operation: 'groups.list', count: '2', after: 'r-0', timeout: '8' };
    expect(server.received.map(({ path }) => queryOf(path))).toEqual([query, query]);
    expect(server.received[0]?.path).toMatch(/^\/_iam\/requests\/wait\?/);
  });

  test('wait exits with 3 after the timeout', async () => {
    await using server = await startFakeServer(() => errorResponse(404, 'REQUEST_NOT_FOUND'));
    const outcome = await iam(['requests', 'wait', '--wait', '0'], server);
    expect(outcome).toMatchObject({ code: 3, out: '' });
    expect(outcome.err).toContain('iam requests list');
  });

  test('show prints headers as a table, and bodies as JSON with their keys', async () => {
    const headers = [{ name: 'Accept', value: 'application/json' }];
    await using server = await startFakeServer(() => ({
      json: { ...entry, headers, body: { userEmail: 'a@b.example' } },
    }));
    const { out } = await iam(['requests', 'show', 'r-1'], server);
    expect(out).toMatch(/^body +\{"userEmail":"a@b.example"\}$/m);
    expect(out).toMatch(/^headers\n +NAME +VALUE\n +Accept +application\/json$/m);
  });

  test('show requests one entry', async () => {
    await using server = await startFakeServer(() => ({ json: { ...entry, query: {}, body: { a: '(secret)' } } }));
    const { code, out } = await iam(['requests', 'show', 'r/1', '-o', 'json'], server);
    expect([code, JSON.parse(out)]).toEqual([0, { ...entry, query: {}, body: { a: '(secret)' } }]);
    expect(server.received.map(({ path }) => path)).toEqual(['/_iam/requests/r%2F1']);
  });
});

describe('why', () => {
  const rejected = {
    ...none,
    ...{ requestId: 'r-1', operation: 'api-key.list', method: 'GET', path: '/api-key', status: 403, rejected: true },
    errors: [{ code: 'ROLE_MISSING', message: 'The caller lacks ADMIN.', hint: 'Ask for the role.' }],
    credential: { authMethod: 'bearer', accepted: true },
    client: { clientId: 'app', appId: 'a', party: '1STPARTY' },
    user: { userId: 'ann', userName: 'ann\u001b[2J', locked: false },
    session: { sessionId: 's', level: 'AUTH-BASIC', endsAt: '2026-03-02T00:00:00.000Z', active: false },
    groups: ['ops'],
    roles: ['DEPLOY'],
    requires: 'ADMIN',
    missing: ['ADMIN'],
    grantedBy: [{ role: 'ADMIN', groups: ['iam-administrators'] }],
    cures: [
      { kind: 'add-to-group', groupName: 'iam-administrators', memberKind: 'user', memberId: 'ann', lacks: [] },
      { kind: 'add-to-group', groupName: 'owners', memberKind: 'user', memberId: 'ann', lacks: [] },
    ],
    rule: undefined,
  };

  test('prints the explanation as text', async () => {
    await using server = await startFakeServer(() => ({ json: rejected }));
    const { code, out } = await iam(['why', 'r-1'], server);
    expect(code).toBe(0);
    expect(out).toBe(
      [
        'GET /api-key (api-key.list) was rejected: 403',
        '  error       ROLE_MISSING: The caller lacks ADMIN.',
        '  credential  bearer, accepted',
        '  client      app (1STPARTY)',
        '  user        ann (ann\\u001b[2J)',
        '  session     AUTH-BASIC until 2026-03-02T00:00:00.000Z, ended',
        '  groups      ops',
        '  roles       DEPLOY',
        '  requires    ADMIN',
        '  missing     ADMIN',
        '  in groups   ADMIN: iam-administrators',
        '  hint        Ask for the role.',
        '  next        `iam groups users add iam-administrators ann`',
        '',
      ].join('\n'),
    );
    expect(server.received.map(({ path }) => path)).toEqual(['/_iam/requests/r-1/why']);
  });

  test('names the command that unlocks a user, and none for a request that was processed', async () => {
    const locked = { ...rejected, cures: [{ kind: 'unlock', userId: 'ann' }] };
    await using server = await startFakeServer(() => ({ json: locked }));
    expect((await iam(['why', 'r-1'], server)).out).toContain('  next        `iam users unlock ann`\n');
    const there = await iam(['why', 'r-1', '--base-url', server.url], { variables: tokenVariables });
    expect(there.out).toContain(`  next        \`iam users unlock ann --base-url ${server.url}\`\n`);
    await using other = await startFakeServer(() => ({ json: { ...locked, rejected: false } }));
    expect((await iam(['why', 'r-1'], other)).out).not.toContain('next');
  });

  test('explains a credential, a rule and an injected fault', async () => {
    const credential = { authMethod: 'bearer', accepted: false, reason: 'It has expired.' };
    const about = {
      requestId: 'r',
      method: 'GET',
      path: '/x',
      rejected: true,
      rule: 'Not your own.',
      fault: 'f1 drop=after',
    };
    await using server = await startFakeServer(() => ({ json: { ...none, ...about, errors: [], credential } }));
    const { out } = await iam(['why', 'r'], server);
    expect(out).toContain('GET /x was rejected: no response');
    expect(out).toContain('credential  bearer, rejected: It has expired.');
    expect(out).toContain('rule        Not your own.');
    expect(out).toContain('fault       f1 drop=after');
  });

  test('prints everything for programs', async () => {
    await using server = await startFakeServer(() => ({ json: rejected }));
    const { out } = await iam(['why', 'r-1', '-o', 'json'], server);
    expect(JSON.parse(out)).toEqual(JSON.parse(JSON.stringify(rejected)));
  });

  test('exits with 3 for an unknown request or a missing control plane', async () => {
    for (const code of ['REQUEST_NOT_FOUND', 'PATH_UNKNOWN']) {
      await using server = await startFakeServer(() => errorResponse(404, code));
      expect(await iam(['why', 'r-1'], server)).toMatchObject({ code: 3, out: '' });
    }
  });
});
