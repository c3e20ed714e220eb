import { describe, expect } from 'vitest';
import { saveProfile } from '../../../src/cli/config/profile.ts';
import { assertChangeLimit, resolveSafetyRules } from '../../../src/cli/config/safety.ts';
import { CliSettings } from '../../../src/cli/config/settings.ts';
import type { Prompter } from '../../../src/cli/io/prompter.ts';
import { impactDescriptions } from '../../../src/cli/request/delete-impact.ts';
import { manifest } from '../../../src/contract/manifest.ts';
import type { JsonSchema } from '../../../src/contract/manifest-types.ts';
import { errorResponse, type FakeServer, startFakeServer } from '../../client/fake-server.ts';
import { adminClient, startServer } from '../../harness.ts';
import { Home, iam, test, tokenVariables } from '../run-cli.ts';

const writes = [
  ['groups', 'create', '--group-name', 'x'],
  ['groups', 'delete', 'ops', '--yes', '--confirm', 'careful'],
  ['groups', 'update', 'ops', '--add-role', 'A'],
  ['groups', 'users', 'add', 'ops', 'u1'],
  ['users', 'lock', 'u1', '--yes', '--confirm', 'careful'],
  ['call', 'groups.create', '-f', '-'],
  ['call', 'groups.remove', '--param', 'groupId=ops', '--yes'],
  ['api', 'POST', '/groups', '-f', '-'],
  ['api', 'DELETE', '/groups/ops', '--yes'],
  ['keys', 'rotate', '--yes', '--confirm', 'careful'],
  ['sessions', 'end', 's1', '--yes'],
];

/** A profile with these rules and a token for the server. */
async function careful(home: Home, server: FakeServer, rules: object, name = 'careful'): Promise<void> {
  await saveProfile(name, { baseUrl: server.url, token: 'test-token', ...rules }, home.variables);
}

describe('a read-only profile', () => {
  test.each(writes)('rejects %s %s before a request is sent', async (...words) => {
    await using home = await Home.make();
    await using server = await startFakeServer(() => ({ json: {} }));
    await careful(home, server, { readOnly: true });
    const outcome = await home.iam(words, { stdin: '{"groupName":"x"}' });
    expect(outcome).toMatchObject({ code: 2, out: '' });
    expect(outcome.err).toContain('careful is read-only (profile careful); nothing was sent.');
    expect(server.received).toEqual([]);
  });

  test('allows reads and dry runs', async ({ home }) => {
    await using server = await startFakeServer(() => ({ json: [] }));
    await careful(home, server, { readOnly: true });
    expect((await home.iam(['groups', 'list'])).code).toBe(0);
    expect((await home.iam(['call', 'groups.list'])).code).toBe(0);
    expect((await home.iam(['api', 'GET', '/groups'])).code).toBe(0);
    expect(server.received).toHaveLength(3);
    expect((await home.iam(['groups', 'delete', 'ops', '--dry-run'])).out).toContain('DELETE');
    expect(server.received).toHaveLength(3);
  });

  test('cannot be made writable by the environment, which can only add restrictions', async ({ home }) => {
    await using server = await startFakeServer(() => ({ status: 201, json: { groupId: 'g' } }));
    await careful(home, server, { readOnly: true });
    const create = ['groups', 'create', '--group-name', 'x'];
    expect((await home.iam(create, { variables: { IAM_READ_ONLY: 'false' } })).code).toBe(2);
    await home.iam(['config', 'set', 'read-only', 'false']);
    expect((await home.iam(create, { variables: { IAM_READ_ONLY: 'ja' } })).code).toBe(2);
    expect(server.received).toEqual([]);
    expect((await home.iam(create)).code).toBe(0);
  });

  test('reports a regular error for programs', async () => {
    const outcome = await iam(['groups', 'create', '--group-name', 'x', '-o', 'json'], {
      variables: { IAM_TOKEN: 't', IAM_READ_ONLY: '1' },
    });
    expect(JSON.parse(outcome.err)).toMatchObject({ error: { code: 'READ_ONLY', transient: false } });
  });
});

describe('a protected profile', () => {
  const destructive = [
    [['groups', 'delete', 'ops']],
    [['call', 'groups.remove', '--param', 'groupId=ops']],
    [['api', 'DELETE', '/groups/ops']],
    [['api', 'POST', '/user-identities/lock']],
    [['sessions', 'end', 's1']],
  ];

  test.each(destructive)('requires its name to confirm %j; --yes is not enough', async (words) => {
    await using home = await Home.make();
    await using server = await startFakeServer(() => ({ status: 204 }));
    await careful(home, server, { protected: true });
    const outcome = await home.iam([...words, '--yes']);
    expect(outcome).toMatchObject({ code: 10, out: '' });
    expect(outcome.err).toContain('--confirm careful');
    expect((await home.iam([...words, '--confirm', 'another'])).code).toBe(2);
    expect((await home.iam([...words, '--confirm', ''])).code).toBe(2);
    expect(server.received).toEqual([]);
    expect((await home.iam([...words, '--confirm', 'careful'])).code).toBe(0);
    expect(server.received).toHaveLength(1);
  });

  test('allows commands that are not destructive', async ({ home }) => {
    await using server = await startFakeServer(() => ({ status: 201, json: {} }));
    await careful(home, server, { protected: true });
    expect((await home.iam(['groups', 'add-role', 'ops', 'A'])).code).toBe(0);
  });

  test('prompts for its name at a terminal', async ({ home }) => {
    await using server = await startFakeServer(({ method }) =>
      method === 'DELETE' ? { status: 204 } : errorResponse(403, 'ROLE_MISSING'),
    );
    await careful(home, server, { protected: true });
    const deleted = () => server.received.filter(({ method }) => method === 'DELETE').length;
    const remove = ['groups', 'delete', 'ops', '--yes'];
    const asked: string[] = [];
    const answer = (text: string) => {
      const prompter: Prompter = async ({ message }) => {
        asked.push(message);
        return text;
      };
      return { columns: 80, prompter };
    };
    expect(await home.iam(remove, answer('y'))).toMatchObject({ code: 1, out: '' });
    expect(asked).toEqual([expect.stringContaining('Type careful to confirm')]);
    expect(deleted()).toBe(0);
    expect((await home.iam(remove, answer('careful'))).code).toBe(0);
    expect(deleted()).toBe(1);
  });

  test('is removed only with its own name, and stays protected when it is added again', async ({ home }) => {
    await using server = await startFakeServer(() => ({}));
    await careful(home, server, { protected: true });
    await careful(home, server, {}, 'other');
    expect((await home.iam(['profile', 'remove', 'careful', '--yes', '--profile', 'other'])).code).toBe(10);
    await home.iam(['profile', 'add', 'careful', '--base-url', server.url]);
    expect(JSON.parse((await home.iam(['profile', 'show', 'careful', '-o', 'json'])).out)).toMatchObject({
      protected: true,
    });
    expect((await home.iam(['profile', 'remove', 'careful', '--confirm', 'other'])).code).toBe(2);
    expect((await home.iam(['profile', 'remove', 'careful', '--confirm', 'careful'])).code).toBe(0);
  });
});

describe('--confirm without a protected profile', () => {
  test('confirms with the name in use, and stops a script that targets another server', async () => {
    await using server = await startFakeServer(() => ({ status: 204 }));
    const remove = ['groups', 'delete', 'ops'];
    expect((await iam([...remove, '--yes', '--confirm', 'staging'], server)).code).toBe(2);
    expect(server.received).toEqual([]);
    expect((await iam([...remove, '--confirm', new URL(server.url).host], server)).code).toBe(0);
  });
});

describe('max-changes', () => {
  test('counts the members of a list, and rejects too many before a request is sent', async ({ home }) => {
    await using server = await startFakeServer(() => ({ status: 201, json: {} }));
    await careful(home, server, { maxChanges: 2 });
    const outcome = await home.iam(['groups', 'users', 'add', 'ops', 'u1', 'u2', 'u3']);
    expect(outcome).toMatchObject({ code: 2, out: '' });
    expect(outcome.err).toContain('2 changes per command (profile careful). This command makes 3; nothing was sent.');
    expect(server.received).toEqual([]);
    expect((await home.iam(['groups', 'users', 'add', 'ops', 'u1', 'u2'])).code).toBe(0);
  });

  test('does not count rejected requests that are retried', async ({ home }) => {
    let puts = 0;
    await using server = await startFakeServer(({ method }) => {
      if (method === 'GET')
        return { json: { groupId: 'g', groupName: 'ops', roles: [], dependencies: [] }, headers: { etag: '"1"' } };
      puts += 1;
      return puts < 3 ? errorResponse(412, 'CHANGED_MEANWHILE') : { json: {} };
    });
    await careful(home, server, { maxChanges: 1 });
    expect((await home.iam(['groups', 'update', 'ops', '--add-role', 'A'])).code).toBe(0);
    expect(puts).toBe(3);
  });

  test('the lowest of all sources applies; an invalid number is reported', () => {
    const profile = { baseUrl: 'http://x', maxChanges: 5 };
    const settings = new CliSettings({ options: {}, variables: {}, file: { current: 'p', profiles: { p: profile } } });
    const withVariable = (value: string) => settings.with({ variables: { IAM_MAX_CHANGES: value } });
    expect(resolveSafetyRules(withVariable('9')).maxChanges).toEqual({ count: 5, origin: 'profile p' });
    expect(resolveSafetyRules(withVariable('3')).maxChanges).toEqual({ count: 3, origin: 'IAM_MAX_CHANGES' });
    expect(() => resolveSafetyRules(withVariable('many'))).toThrow('whole number');
    expect(() => assertChangeLimit(settings, 6)).toThrow('This command makes 6; nothing was sent.');
    expect(() => assertChangeLimit(settings, 5)).not.toThrow();
  });
});

describe('profile add and config set', () => {
  test('store the rules of a profile', async ({ home }) => {
    const add = ['profile', 'add', 'p', '--base-url', 'http://x', '--protected', '--read-only', '--max-changes', '7'];
    expect((await home.iam(add)).code).toBe(0);
    const show = async () => JSON.parse((await home.iam(['profile', 'show', '-o', 'json'])).out) as object;
    expect(await show()).toEqual({ name: 'p', baseUrl: 'http://x', protected: true, readOnly: true, maxChanges: 7 });
    for (const [key, value] of [
      ['protected', 'false'],
      ['max-changes', ''],
      ['read-only', 'false'],
    ])
      expect((await home.iam(['config', 'set', String(key), String(value)])).code).toBe(0);
    expect(await show()).toEqual({ name: 'p', baseUrl: 'http://x', protected: false, readOnly: false });
  });

  test.each([
    ['read-only', 'maybe'],
    ['max-changes', '-1'],
    ['proxy', 'socks5://x'],
  ])('reject %s %s', async (key, value) => {
    await using home = await Home.make();
    await home.iam(['profile', 'add', 'p', '--base-url', 'http://x']);
    expect((await home.iam(['config', 'set', key, value])).code).toBe(2);
  });
});

describe('the impact of a delete', () => {
  const terminal = { columns: 100, stdin: 'n\n' };

  test('is printed before the prompt: members and dependent groups', async () => {
    await using server = await startServer();
    await server.admin.groups.create({ body: { groupName: 'ops' } });
    await server.admin.groups.create({ body: { groupName: 'leads', dependencies: [{ groupName: 'ops' }] } });
    const { clientId: IAM_CLIENT_ID, clientSecret: IAM_CLIENT_SECRET } = adminClient;
    const variables = { IAM_CLIENT_ID, IAM_CLIENT_SECRET };
    const outcome = await iam(['groups', 'delete', 'ops'], { url: server.url, variables, ...terminal });
    expect(outcome.code).toBe(1);
    expect(outcome.err).toContain('1 group depends on it: leads; the server keeps the group while they do');
  });

  test.each([
    [
      ['clients', 'delete', 'svc'],
      ['1 client: c1', '2 API keys of c1'],
    ],
    [['my-clients', 'delete', 'c1'], ['2 API keys of c1']],
    [
      ['users', 'delete', 'u1'],
      ['2 groups grant it roles: leads, ops', '1 session'],
    ],
    [['groups', 'delete', 'ops'], ['3 members: 2 users, 1 service']],
    [['corporate-groups', 'delete', 'cg'], ['1 business is left without a corporate group: b1']],
    [['api-key', 'delete', 'k2'], ['shop can no longer authenticate as c1 with it']],
  ])('%j prints %j', async (words, lines) => {
    await using server = await startFakeServer(({ path, method }) => {
      if (method !== 'GET') return { status: 204 };
      if (path.startsWith('/_iam/clients'))
        return { json: [{ clientId: 'c1', serviceAccountId: 'svc' }, { clientId: 'svc' }] };
      if (path.startsWith('/_iam/sessions')) return { json: [{ sessionId: 's' }] };
      if (path.startsWith('/_iam/groups/g1/members'))
        return { json: [{ kind: 'user' }, { kind: 'user' }, { kind: 'service' }] };
      if (path.includes('/api-key'))
        return { json: [{ apiKeyId: 'k1' }, { apiKeyId: 'k2', appId: 'shop', clientId: 'c1' }] };
      if (path.includes('/roles')) return { json: [{ role: 'A', groupNames: ['leads', 'ops'] }] };
      if (path.includes('/corporate-groups/')) return { json: { businesses: [{ businessId: 'b1' }] } };
      if (path.includes('/groups/ops'))
        return { json: { groupId: 'g1', groupName: 'ops', roles: ['A', 'B'], dependencies: [] } };
      return { json: [] };
    });
    const { err } = await iam(words, { ...server, ...terminal });
    for (const line of lines) expect(err).toContain(`  ${line}\n`);
    expect(server.received.every(({ method }) => method === 'GET')).toBe(true);
  });

  test('is described for every destructive operation that affects other entities', () => {
    const alone = ['user-identities.lock', 'user-identities.factors.remove'];
    const destroying = manifest.operations.filter(
      ({ effect, command }) => effect === 'destructive' && command !== undefined,
    );
    const untold = destroying.map(({ id }) => id).filter((id) => !(id in impactDescriptions));
    expect(untold.sort()).toEqual([...alone, 'user-identities.factors.admin-remove'].sort());
  });

  test('is omitted if the caller may not read it, and not requested without a prompt', async () => {
    await using server = await startFakeServer(({ method }) =>
      method === 'DELETE' ? { status: 204 } : errorResponse(403, 'ROLE_MISSING'),
    );
    const outcome = await iam(['groups', 'delete', 'ops'], { ...server, columns: 100, stdin: 'y\n' });
    expect(outcome.code).toBe(0);
    expect(outcome.err).not.toContain('error');
    const before = server.received.length;
    expect((await iam(['groups', 'delete', 'ops', '--yes'], { ...server, columns: 100 })).code).toBe(0);
    expect(server.received).toHaveLength(before + 1);
    expect((await iam(['groups', 'delete', 'ops'], server)).code).toBe(10);
    expect(server.received).toHaveLength(before + 1);
  });
});

/** A value of the schema's type: of an object the required fields, or its first one. */
function exampleOf({ type, required = [], properties = {} }: JsonSchema = {}): unknown {
  if (type === 'array') return [];
  const names = required.length > 0 ? required : Object.keys(properties).slice(0, 1);
  return type === 'object' ? Object.fromEntries(names.map((name) => [name, exampleOf(properties[name])])) : 'a-text';
}

describe('--dry-run', () => {
  const commands = manifest.operations.filter(({ command, effect }) => command !== undefined && effect !== 'read');

  test.each(commands)('of $command sends no write', async (operation) => {
    const args = operation.params.map(({ name }) => `the-${name.toLowerCase()}`);
    const factor = { id: args.at(-1), contactType: 'EMAIL' };
    // Own contacts are read from their list.
    const read = operation.id === 'user-identities.factors.update' ? [factor] : factor;
    await using server = await startFakeServer(() => ({ json: operation.id.includes('factors') ? read : {} }));
    const isList = operation.body?.type === 'array';
    const needsBody = operation.body !== undefined && !isList;
    const words = [...(operation.command ?? '').split(' '), ...args, ...(isList ? ['member'] : [])];
    const body = exampleOf(operation.body);
    const runOptions = {
      ...server,
      stdin: JSON.stringify(body),
      variables: { ...tokenVariables, IAM_READ_ONLY: 'true' },
    };
    const outcome = await iam([...words, ...(needsBody ? ['-f', '-'] : []), '--dry-run', '-o', 'json'], {
      ...runOptions,
      variables: { ...runOptions.variables, IAM_BASE_URL: server.url },
    });
    expect(outcome).toMatchObject({ code: 0 });
    expect(JSON.parse(outcome.out)).toMatchObject({ method: operation.method });
    // Updates read what is there.
    expect(server.received.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  test.each([
    [['keys', 'rotate']],
    [['sessions', 'end', 's1']],
    [['call', 'groups.remove', '--param', 'groupId=g']],
    [['api', 'PATCH', '/groups/x']],
  ])('of %j sends nothing', async (words) => {
    await using server = await startFakeServer(() => ({ json: {} }));
    expect((await iam([...words, '--dry-run'], { ...server, stdin: '{"groupName":"x"}' })).code).toBe(0);
    expect(server.received).toEqual([]);
  });
});
