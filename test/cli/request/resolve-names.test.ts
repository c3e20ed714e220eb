import { writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { manifest } from '../../../src/contract/manifest.ts';
import { applySeed } from '../../../src/server/seed/apply.ts';
import { adminClient, appClientId, startServer, type TestServer } from '../../harness.ts';
import { createScriptedPrompter } from '../prompts/scripted-prompter.ts';
import { Home, iam } from '../run-cli.ts';

const credentials = { IAM_CLIENT_ID: adminClient.clientId, IAM_CLIENT_SECRET: adminClient.clientSecret };
const seed = {
  businesses: [
    { businessId: 'b-acme', businessName: 'Acme' },
    { businessId: 'b-twin-1', businessName: 'Twin' },
    { businessId: 'b-twin-2', businessName: 'Twin' },
    // The id of one business is the name of another.
    { businessId: 'b-other', businessName: 'b-acme' },
  ],
  users: [
    { userId: 'u-alice', userName: 'alice', userEmail: 'alice@example.com', businessId: 'b-acme' },
    { userId: 'u-bob', userName: 'bob' },
  ],
  clients: [
    { clientId: 'c-billing', appId: 'billing', serviceAccountId: 'billing-service' },
    { clientId: 'c-one', appId: 'shared', serviceAccountId: 'one-service' },
    { clientId: 'c-two', appId: 'shared', serviceAccountId: 'two-service' },
  ],
  groups: [{ groupName: 'ops', roles: ['DEPLOY'], users: ['u-alice'], businesses: ['b-acme'] }],
  apiKeys: [{ apiKeyId: 'k-billing', appId: 'billing-reports', clientId: 'c-billing', apiKey: `${'k'.repeat(42)}E=` }],
};

interface Preview {
  readonly url: string;
  readonly body?: unknown;
}

describe('names', () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await startServer({ seed });
  });
  afterEach(() => server[Symbol.asyncDispose]());

  const run = (line: string, more: readonly string[] = []) =>
    iam([...line.split(' '), ...more], { url: server.url, variables: credentials });
  const preview = async (line: string) => {
    const { out, err } = await run(`${line} --dry-run -o json`);
    if (out === '') throw new Error(err);
    const { url, body } = JSON.parse(out) as Preview;
    return { path: url.slice(server.url.length + manifest.prefix.length), body };
  };

  test.each([
    ['users delete alice', '/user-identities/u-alice'],
    ['users delete alice@example.com', '/user-identities/u-alice'],
    ['groups users remove ops bob', '/user-accesses/ops/user-accounts/u-bob'],
    ['groups businesses remove ops Acme', '/business-accesses/ops/business-accounts/b-acme'],
    [
      'groups business-users remove ops Acme alice',
      '/user-accesses/ops/business-accounts/b-acme/user-accounts/u-alice',
    ],
    ['clients delete billing', '/client-identities/billing-service'],
    ['groups services remove ops c-billing', '/service-accesses/ops/service-accounts/billing-service'],
    ['my-clients delete billing-service', '/my-client-identities/c-billing'],
    ['api-key delete billing-reports', '/api-key/k-billing'],
    ['api-key delete c-billing', '/api-key/k-billing'],
    ['api-key delete billing-service', '/api-key/k-billing'],
  ])('of `%s` are resolved in the path', async (line, path) => {
    expect((await preview(line)).path).toBe(path);
  });

  test.each([
    ['groups users add ops alice bob', [{ userId: 'u-alice' }, { userId: 'u-bob' }]],
    ['users lock alice --reason test', { userId: 'u-alice', reason: 'test' }],
    ['users update bob --business-id Acme', { businessId: 'b-acme' }],
    [
      'clients migrate --client-id billing,one-service --target.organization-id x --target.business-unit-id y',
      { clientIds: ['c-billing', 'c-one'], target: { organizationId: 'x', businessUnitId: 'y' } },
    ],
    [
      'corporate-groups create --corporate-group-name holding --business Acme',
      { corporateGroupName: 'holding', businesses: [{ businessId: 'b-acme' }] },
    ],
  ])('of `%s` are resolved in the body', async (line, body) => {
    expect((await preview(line)).body).toEqual(body);
  });

  test('that are the id of another entity are a usage error that lists both, and a prefix decides', async () => {
    const { code, out, err } = await run('groups businesses add ops b-acme');
    expect([code, out]).toEqual([2, '']);
    const lines = [
      '2 businesses match "b-acme"',
      '  BUSINESS ID  BUSINESS NAME',
      '  b-acme       Acme',
      '  b-other      b-acme',
      'id:b-acme',
      'name:b-acme',
    ];
    for (const line of lines) expect(err).toContain(line);
    const bodyOf = async (value: string) => (await preview(`groups businesses add ops ${value}`)).body;
    expect(await bodyOf('id:b-acme')).toEqual([{ businessId: 'b-acme' }]);
    expect(await bodyOf('name:b-acme')).toEqual([{ businessId: 'b-other' }]);
    expect((await preview('users delete u-alice')).path).toBe('/user-identities/u-alice');
  });

  test.each([
    ['users delete id:u-alice', '/user-identities/u-alice'],
    ['users delete name:alice', '/user-identities/u-alice'],
    ['clients delete name:billing', '/client-identities/billing-service'],
    ['groups get name:ops', ''],
    ['groups delete id:ops', '/groups/ops'],
  ])('with a prefix in `%s` are resolved', async (line, path) => {
    if (path !== '') return expect((await preview(line)).path).toBe(path);
    expect((await run(`${line} -o json`)).out).toContain('"groupName": "ops"');
  });

  test.each(['name:u-alice-2', 'name:unknown'])('%s that no entity has is not sent', async (value) => {
    const { code, err } = await run(`users lock ${value}`);
    expect([code, err]).toEqual([3, expect.stringContaining('None of the users')]);
  });

  test('of new entities and of applications stay as they are', async () => {
    const { body } = await preview('api-key create --app-id shared --client-id billing-service');
    expect(body).toEqual({ appId: 'shared', clientId: 'c-billing' });
    expect((await preview('users create --user-name alice --user-email a@example.com')).body).toEqual({
      userName: 'alice',
      userEmail: 'a@example.com',
    });
  });

  test('of nothing are sent unchanged: the server decides', async () => {
    expect((await preview('users delete unknown')).path).toBe('/user-identities/unknown');
    expect(await run('users delete unknown --yes')).toMatchObject({
      code: 3,
      err: expect.stringContaining('USER_NOT_FOUND'),
    });
  });

  test.each([
    ['groups businesses add ops Twin', ['b-twin-1     Twin', 'b-twin-2     Twin'], '2 businesses match "Twin"'],
    ['clients delete shared --yes', ['c-one', 'c-two'], '2 clients match "shared"'],
  ])('of several entities are a usage error of `%s` that lists them', async (line, candidates, message) => {
    const before = await server.dump();
    const { code, out, err } = await run(line);
    expect([code, out]).toEqual([2, '']);
    for (const text of [message, 'Use the id of one of them.', ...candidates]) expect(err).toContain(text);
    expect(await server.dump()).toEqual(before);
  });

  test('are shown with the id in a preview, a confirmation and the result', async () => {
    expect((await run('users delete alice --dry-run')).err).toBe('alice is u-alice.\nDry run: nothing was sent.\n');
    expect((await run('users delete alice')).err).toContain('Run `users delete u-alice (alice)`?');
    expect((await run('groups users add ops bob')).err).toBe('ops: + user u-bob (bob)\n');
  });

  test('are looked up once, and ids of the server never', async () => {
    const isLookup = (line: string) => line.includes('"path":"/_iam/') && !line.includes('/_iam/users/{id}');
    const countLookups = async (line: string) => {
      const before = server.log.filter(isLookup).length;
      await run(line);
      return server.log.filter(isLookup).length - before;
    };
    expect(await countLookups('groups users add ops alice alice --dry-run')).toBeLessThanOrEqual(2);
    expect(await countLookups(`users delete ${'0'.repeat(24)} --dry-run`)).toBe(0);
  });

  test.each([
    ['users get alice', 'u-alice'],
    ['businesses get Acme', 'b-acme'],
    ['clients get billing', 'c-billing'],
    ['api-key get billing-reports', 'k-billing'],
  ])('are accepted by `%s`', async (line, id) => {
    expect((await run(`${line} -o name`)).out).toBe(`${id}\n`);
  });

  test('are no ids: `id:` finds no group by its name', async () => {
    expect(await run('groups delete id:ops --yes')).toMatchObject({
      code: 3,
      err: expect.stringContaining('name:ops'),
    });
    expect((await run('groups get name:ops -o name')).code).toBe(0);
  });

  test('of customers are accepted by `customers get`', async () => {
    await run('customers create-business --business-id b-new --business-name New --document 77');
    const { out } = await run('customers get New -o json');
    expect(JSON.parse(out)).toMatchObject({ businessId: 'b-new', document: '77' });
  });

  test('are accepted by `can`, `sessions` and `users factors list`', async () => {
    expect((await run('can alice DEPLOY')).out).toContain('yes: alice has DEPLOY');
    expect((await run('can alice DEPLOY --business Acme')).out).toContain('yes: alice has DEPLOY');
    expect((await run('users factors list alice -o name')).out).toBe('main-email\n');
    expect((await run('sessions list --user-id alice')).code).toBe(0);
    expect((await run('sessions end --user-id alice --dry-run')).out).toContain('userId=u-alice');
    expect((await run('sessions end --user-id alice')).err).toContain('End all sessions of the user u-alice (alice)?');
  });
});

describe('a value that a stranger chose', () => {
  const body = (more: object) => ({ userName: 'stranger', userEmail: 'stranger@example.com', ...more });
  const query = { clientId: appClientId };
  const groups = [{ groupName: 'power', roles: ['DEPLOY'] }];
  const ceo = { userId: 'u-ceo', userName: 'ceo@corp.test', userEmail: 'ceo@corp.test' };

  /** Before the server refused such an id, or with the secret of an administrator. */
  async function insertStranger({ appContext }: TestServer, userId: string) {
    await applySeed({ users: [{ userId, userName: 'stranger' }] }, appContext);
  }

  async function expectUnchanged(server: TestServer, words: readonly string[], outcome: object) {
    const { memberships } = await server.dump();
    expect(await iam(words, { url: server.url, variables: credentials })).toMatchObject(outcome);
    expect((await server.dump()).memberships).toEqual(memberships);
  }

  test('as its id in the form of an e-mail address is refused at sign-up, and adds no user to a group', async () => {
    await using server = await startServer({ seed: { groups } });
    const signUp = server.as().userIdentities.create({ query, body: body({ userId: 'ceo@corp.test' }) });
    await expect(signUp).rejects.toMatchObject({ status: 412, code: 'ID_NOT_CHOSEN' });
    await expectUnchanged(server, ['groups', 'users', 'add', 'power', 'ceo@corp.test'], { code: 3 });
  });

  test('as an existing id is no login name: only id: names that user', async () => {
    await using server = await startServer({ seed: { groups } });
    await insertStranger(server, 'ceo@corp.test');
    const add = ['groups', 'users', 'add', 'power'];
    const refusal = { code: 2, err: expect.stringContaining('id:ceo@corp.test') };
    await expectUnchanged(server, [...add, 'ceo@corp.test'], refusal);
    await expectUnchanged(server, [...add, 'name:ceo@corp.test'], { code: 3 });
    await using home = await Home.make();
    const run = (words: readonly string[]) => home.iam(words, { url: server.url, variables: credentials });
    const row = {
      operation: 'user-accesses.add-user',
      params: { groupName: 'power' },
      body: [{ userId: 'ceo@corp.test' }],
    };
    const rows = home.file('rows.jsonl');
    await writeFile(rows, `${JSON.stringify(row)}\n`);
    const { memberships } = await server.dump();
    expect(await run(['bulk', 'run', rows])).toMatchObject({ code: 8 });
    expect((await server.dump()).memberships).toEqual(memberships);
    expect(await run([...add, 'id:ceo@corp.test'])).toMatchObject({ code: 0 });
    expect((await run(['users', 'get', 'id:ceo@corp.test', '-o', 'name'])).out).toBe('id:ceo@corp.test\n');
  });

  test('as its id and is the verified login name of another user lists both', async () => {
    await using server = await startServer({ seed: { groups, users: [ceo] } });
    await insertStranger(server, 'ceo@corp.test');
    const add = ['groups', 'users', 'add', 'power'];
    const both = expect.stringMatching(/2 users match "ceo@corp.test"[\s\S]*stranger[\s\S]*u-ceo/);
    await expectUnchanged(server, [...add, 'ceo@corp.test'], { code: 2, err: both });
    const run = (words: readonly string[]) => iam(words, { url: server.url, variables: credentials });
    expect(await run([...add, 'name:ceo@corp.test'])).toMatchObject({ code: 0, err: expect.stringContaining('u-ceo') });
  });

  test('as its unverified user name adds no user', async () => {
    await using server = await startServer({ seed: { groups } });
    const unverified = body({ userName: 'ceo@corp.test', userEmail: 'ceo@corp.test' });
    await server.as().userIdentities.create({ query, body: unverified });
    await expectUnchanged(server, ['groups', 'users', 'add', 'power', 'ceo@corp.test'], { code: 3 });
  });

  test('as its user name adds no user, in a command, a document and a bulk row, until an administrator sets it', async () => {
    await using server = await startServer({ seed: { groups } });
    await server.as().userIdentities.create({ query, body: body({ userName: 'Cto' }) });
    const { userId = '' } = (await server.appContext.store.users.getBy('login', 'cto')) ?? {};
    const refusal = { code: 2, err: expect.stringMatching(`user who signed up[^]*${userId}`) };
    const add = ['groups', 'users', 'add', 'power'];
    for (const name of ['cto', 'CTO', 'name:cto']) await expectUnchanged(server, [...add, name], refusal);
    await using home = await Home.make();
    const run = (words: readonly string[]) => home.iam(words, { url: server.url, variables: credentials });
    const [plan, rows] = [home.file('plan.yaml'), home.file('rows.jsonl')];
    await writeFile(plan, 'groups:\n  - {groupName: power, roles: [DEPLOY], users: [cto]}\n');
    const row = { operation: 'user-accesses.add-user', params: { groupName: 'power' }, body: [{ userId: 'cto' }] };
    await writeFile(rows, `${JSON.stringify(row)}\n`);
    const { memberships } = await server.dump();
    expect(await run(['apply', '-f', plan, '--yes'])).toMatchObject(refusal);
    expect(await run(['bulk', 'run', rows])).toMatchObject({ code: 8 });
    expect((await server.dump()).memberships).toEqual(memberships);
    // Another change of the user does not vouch for its name.
    await server.admin.userIdentities.update({ params: { id: userId }, body: { lead: true } });
    await expectUnchanged(server, [...add, 'cto'], refusal);
    await server.admin.userIdentities.update({ params: { id: userId }, body: { userName: 'Cto' } });
    expect(await run([...add, 'cto'])).toMatchObject({ code: 0 });
  });

  test('as its verified e-mail address is a name', async () => {
    await using server = await startServer({ seed: { groups } });
    const { store } = server.appContext;
    const verified = body({ userName: 'cfo@corp.test', userEmail: 'cfo@corp.test' });
    await server.as().userIdentities.create({ query, body: verified });
    await store.transaction(async (tx) => {
      const row = (await tx.users.list()).find(({ userName }) => userName === 'cfo@corp.test');
      if (row) await tx.users.replace({ ...row, emailVerified: true });
    });
    const add = ['groups', 'users', 'add', 'power', 'cfo@corp.test'];
    expect(await iam(add, { url: server.url, variables: credentials })).toMatchObject({ code: 0 });
  });

  test('as the application of a third-party client names no service', async () => {
    const clients = [
      { clientId: 'c-own', appId: 'payments', party: '3RDPARTY' as const, serviceAccountId: 'stranger:payments' },
    ];
    await using server = await startServer({ seed: { groups, clients } });
    const add = ['groups', 'services', 'add', 'power'];
    const refusal = { code: 2, err: expect.stringMatching(/third-party clients[\s\S]*c-own/) };
    await expectUnchanged(server, [...add, 'payments'], refusal);
    const run = (words: readonly string[]) => iam(words, { url: server.url, variables: credentials });
    expect(await run([...add, 'stranger:payments'])).toMatchObject({ code: 0 });
    await applySeed(
      { clients: [{ clientId: 'c-first', appId: 'payments', serviceAccountId: 'payments-1' }] },
      server.appContext,
    );
    expect(await run([...add, 'payments'])).toMatchObject({ code: 0, err: expect.stringContaining('payments-1') });
  });

  test('is not sent to a server without a control plane if it looks like a login name', async () => {
    await using server = await startServer({ seed: { groups }, flags: { 'disable-control-plane': true } });
    await insertStranger(server, 'ceo@corp.test');
    await expectUnchanged(server, ['groups', 'users', 'add', 'power', 'ceo@corp.test'], { code: 3 });
  });
});

test('a name that is the service account of one client and the application of another is ambiguous', async () => {
  await using server = await startServer({
    seed: {
      clients: [
        { clientId: 'c-one', appId: 'shared' },
        { clientId: 'c-two', appId: 'other', serviceAccountId: 'shared' },
      ],
    },
  });
  const outcome = await iam(['my-clients', 'delete', 'shared', '--dry-run'], {
    url: server.url,
    variables: credentials,
  });
  expect([outcome.code, outcome.out, outcome.err]).toEqual([
    2,
    '',
    expect.stringContaining('2 clients match "shared"'),
  ]);
  const { prompter, questions } = createScriptedPrompter('c-two', false);
  const atTerminal = { url: server.url, variables: credentials, columns: 80, prompter };
  const chosen = await iam(['my-clients', 'delete', 'shared'], atTerminal);
  expect(questions).toMatchObject([
    {
      message: '2 clients match "shared":',
      choices: [{ value: 'c-one' }, { value: 'c-two', name: expect.stringMatching(/c-two/) }],
    },
    { message: expect.stringContaining('c-two') },
  ]);
  expect(chosen.code).toBe(1);
  // The answer would be read from the data.
  const piped = createScriptedPrompter('c-two');
  const words = ['api-key', 'create', '--client-id', 'shared', '-f', '-'];
  const data = await iam(words, { ...atTerminal, prompter: piped.prompter, stdin: '{"appId":"reports"}' });
  expect([data.code, data.err, piped.questions]).toEqual([2, expect.stringContaining('2 clients match "shared"'), []]);
});

test('names are sent unchanged to a server without a control plane', async () => {
  await using server = await startServer({ seed, flags: { 'disable-control-plane': true } });
  const run = (words: readonly string[]) => iam(words, { url: server.url, variables: credentials });
  expect((await run(['users', 'delete', 'alice', '--dry-run'])).out).toContain('/user-identities/alice\n');
  expect(await run(['users', 'delete', 'alice', '--yes'])).toMatchObject({
    code: 3,
    err: expect.stringContaining('USER_NOT_FOUND'),
  });
});

test('a preview needs no server', async () => {
  const { code, out } = await iam(['users', 'delete', 'alice', '--dry-run'], { url: 'http://127.0.0.1:9' });
  expect([code, out]).toEqual([0, `DELETE http://127.0.0.1:9${manifest.prefix}/user-identities/alice\n`]);
});
