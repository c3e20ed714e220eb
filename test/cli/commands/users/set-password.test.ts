import { afterEach, beforeEach, describe, expect } from 'vitest';
import { appClientId, type TestServer } from '../../../harness.ts';
import { createScriptedPrompter } from '../../prompts/scripted-prompter.ts';
import { test } from '../../run-cli.ts';
import { canLogin, newPassword, oldPassword, operator, runUsers, startUserServer } from './account-fixture.ts';

const withPassword = ['--password-stdin'];
const stdin = `${newPassword}\n`;

describe('users set-password', () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await startUserServer();
  });
  afterEach(() => server[Symbol.asyncDispose]());

  /** The code of the last message to a user. */
  const readCode = async (name: string) =>
    (await runUsers(server, ['invite', name])).code === 0
      ? String(((await server.send({ method: 'GET', path: '/_iam/inbox' })).json as { code: string }[])[0]?.code)
      : '';

  test('reads the code in the inbox, sets the password, and prints neither', async () => {
    const outcome = await runUsers(server, ['set-password', 'alice', ...withPassword], { stdin });
    expect(outcome).toEqual({
      code: 0,
      out: '',
      err: 'Set the password of alice and ended its sessions. Sign in with `iam login --user alice`.\n',
    });
    expect([await canLogin(server, 'alice', newPassword), await canLogin(server, 'alice', oldPassword)]).toEqual([
      true,
      false,
    ]);
  });

  test('accepts a user id, an e-mail address, and a user that only has a mobile number', async () => {
    const byMail = await runUsers(server, ['set-password', 'alice@example.com', ...withPassword, '-o', 'json'], {
      stdin,
    });
    expect([byMail.code, JSON.parse(byMail.out)]).toEqual([0, { userId: 'u-alice', userName: 'alice@example.com' }]);
    expect((await runUsers(server, ['set-password', 'u-dave', ...withPassword], { stdin })).code).toBe(0);
    expect(await canLogin(server, 'dave', newPassword)).toBe(true);
  });

  test.each([
    ['unknown', 3, 'User "unknown" not found.', 'iam users list'],
    ['bob', 6, 'The user bob has no verified e-mail address or mobile number', 'iam users update u-bob --user-email'],
    ['carol', 6, 'The user carol is locked', 'iam users unlock u-carol'],
  ])('rejects %s, and sends nothing', async (name, code, message, hint) => {
    const before = await server.dump();
    const outcome = await runUsers(server, ['set-password', name, ...withPassword], { stdin });
    expect(outcome).toMatchObject({ code, out: '', err: expect.stringContaining(message) });
    expect(outcome.err).toContain(hint);
    expect(await server.dump()).toEqual(before);
  });

  test('--verify-contact marks the contact of a new user as verified first', async () => {
    const created = await runUsers(server, ['create', '--user-name', 'erin', '--user-email', 'erin@example.com', '-q']);
    expect(created.code).toBe(0);
    const words = ['set-password', 'erin', ...withPassword];
    const before = await server.dump();
    const refused = await runUsers(server, words, { stdin });
    expect(refused).toMatchObject({ code: 6, err: expect.stringContaining('--verify-contact') });
    const preview = await runUsers(server, [...words, '--verify-contact', '--dry-run', '-o', 'json']);
    expect((JSON.parse(preview.out) as { method: string }[]).map(({ method }) => method)).toEqual([
      'PATCH',
      'POST',
      'POST',
    ]);
    expect(await server.dump()).toEqual(before);
    const outcome = await runUsers(server, [...words, '--verify-contact'], { stdin });
    expect(outcome).toMatchObject({ code: 0, err: expect.stringContaining('as verified.') });
    expect(await canLogin(server, 'erin', newPassword)).toBe(true);
  });

  test('--verify-contact does not help a user without contacts', async () => {
    const before = await server.dump();
    const outcome = await runUsers(server, ['set-password', 'bob', ...withPassword, '--verify-contact'], { stdin });
    expect(outcome).toMatchObject({ code: 6, err: expect.stringContaining('--user-email ADDRESS') });
    expect(await server.dump()).toEqual(before);
  });

  test('reports a weak password, and leaves the old one', async () => {
    const outcome = await runUsers(server, ['set-password', 'alice', ...withPassword], { stdin: 'short\n' });
    expect(outcome).toMatchObject({ code: 7, err: expect.stringContaining('PASSWORD_TOO_SHORT') });
    expect(await canLogin(server, 'alice', oldPassword)).toBe(true);
  });

  test('reports throttling with the time to wait', async () => {
    for (let count = 0; count < 5; count += 1) await runUsers(server, ['invite', 'alice']);
    const outcome = await runUsers(server, ['set-password', 'alice', ...withPassword], { stdin });
    expect(outcome).toMatchObject({ code: 75, err: expect.stringContaining('Try again in') });
    expect(await canLogin(server, 'alice', oldPassword)).toBe(true);
  });

  test('prompts for the password twice, until the inputs are equal and the service accepts them', async () => {
    const weak = ['short', 'short'];
    const { prompter, questions } = createScriptedPrompter(...['a', 'b'], ...weak, newPassword, newPassword);
    const outcome = await runUsers(server, ['set-password', 'alice'], { columns: 80, prompter });
    expect(outcome.code).toBe(0);
    expect(questions.map(({ type }) => type)).toEqual(Array(6).fill('password'));
    expect(outcome.err).toContain('The passwords differ.');
    expect(outcome.err).toContain('at least 8 characters');
    expect(await canLogin(server, 'alice', newPassword)).toBe(true);
  });

  test('uses a code that was sent before, from a pipe or a prompt', async () => {
    const code = await readCode('alice');
    const lines = `${code}\n${newPassword}\n`;
    const piped = await runUsers(server, ['set-password', 'alice', '--code-stdin', ...withPassword], { stdin: lines });
    expect([piped.code, await canLogin(server, 'alice', newPassword)]).toEqual([0, true]);
    const { prompter } = createScriptedPrompter(await readCode('alice'), `${newPassword}2`, `${newPassword}2`);
    const typed = await runUsers(server, ['set-password', 'alice', '--has-code'], { columns: 80, prompter });
    expect([typed.code, await canLogin(server, 'alice', `${newPassword}2`)]).toEqual([0, true]);
  });

  test('needs no credentials for a code that was sent before', async () => {
    const lines = `${await readCode('alice')}\n${newPassword}\n`;
    const words = ['set-password', 'alice', '--code-stdin', ...withPassword, '--client-id', 'test-app'];
    expect((await runUsers(server, words, { stdin: lines, variables: {} })).code).toBe(0);
    expect(await canLogin(server, 'alice', newPassword)).toBe(true);
  });

  test('rejects a wrong code', async () => {
    const code = await readCode('alice');
    const lines = `${code === '123456' ? '654321' : '123456'}\n${newPassword}\n`;
    const outcome = await runUsers(server, ['set-password', 'alice', '--code-stdin', ...withPassword], {
      stdin: lines,
    });
    expect(outcome).toMatchObject({ code: 6, err: expect.stringContaining('CODE_INVALID') });
    expect(await canLogin(server, 'alice', oldPassword)).toBe(true);
  });

  test.each([
    [[], 10, '--password-stdin'],
    [['--code-stdin'], 2, '--code-stdin requires --password-stdin'],
    [['--has-code', '--password-stdin'], 2, 'Use --code-stdin.'],
    [['--code-stdin', '--password-stdin'], 2, 'Standard input must contain 2 lines: code, password.'],
  ])('with %j and one line of input is a usage error, and sends nothing', async (words, code, message) => {
    const before = await server.dump();
    const outcome = await runUsers(server, ['set-password', 'alice', ...words], { stdin });
    expect(outcome).toMatchObject({ code, out: '', err: expect.stringContaining(message) });
    expect(await server.dump()).toEqual(before);
  });

  test('requires a client', async () => {
    const outcome = await runUsers(server, ['set-password', 'alice', ...withPassword], { stdin, variables: {} });
    expect(outcome).toMatchObject({ code: 10, err: expect.stringContaining('Name the client with --client-id') });
  });

  test('uses the client of the profile, and the option before it', async ({ home }) => {
    const profile = ['--base-url', server.url, '--client-id', operator.IAM_CLIENT_ID, '--secret-file', '-'];
    await home.iam(['profile', 'add', 'local', ...profile], { variables: {}, stdin: operator.IAM_CLIENT_SECRET });
    const run = (words: readonly string[]) =>
      home.iam(['users', 'invite', 'alice', '--dry-run', ...words], { variables: {} });
    expect((await run([])).out).toContain('clientId=test-admin');
    expect((await run(['--client-id', 'test-app'])).out).toContain('clientId=test-app');
    expect((await run(['--base-url', 'http://127.0.0.1:9'])).code).not.toBe(0);
  });

  test('previews both requests without secrets, and sends nothing', async () => {
    const before = await server.dump();
    const { out } = await runUsers(server, ['set-password', 'alice', '--dry-run', '-o', 'json']);
    expect(JSON.parse(out)).toMatchObject([
      { method: 'POST', body: { userName: 'alice' } },
      { method: 'POST', body: { username: 'alice', validationCode: '(secret)', newPassword: '(secret)' } },
    ]);
    expect(await server.dump()).toEqual(before);
  });
});

describe('users set-password without a control plane', () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await startUserServer({ 'disable-control-plane': true });
  });
  afterEach(() => server[Symbol.asyncDispose]());

  test('says what to do, and sends nothing', async () => {
    const before = await server.dump();
    const outcome = await runUsers(server, ['set-password', 'alice', ...withPassword], { stdin });
    expect(outcome.code).toBe(10);
    expect(outcome.err).toContain('The inbox of the server cannot be read');
    expect(outcome.err).toContain('iam users invite alice');
    expect(outcome.err).toContain('--code-stdin');
    expect(await server.dump()).toEqual(before);
  });

  test('prompts for the code at a terminal', async () => {
    const { prompter, questions } = createScriptedPrompter(newPassword, newPassword, '000000');
    const outcome = await runUsers(server, ['set-password', 'alice'], { columns: 80, prompter });
    expect(questions.at(-1)?.message).toBe('Code sent to the user');
    expect(outcome).toMatchObject({ code: 6, err: expect.stringContaining('CODE_INVALID') });
  });

  test('invite says that it cannot check the user', async () => {
    const { out } = await runUsers(server, ['invite', 'unknown']);
    expect(out).toContain('If unknown exists, is not locked and has a verified contact, a code was sent there.');
  });
});

describe('of a user who chose its name at sign-up', () => {
  let server: TestServer;
  let userId: string;
  beforeEach(async () => {
    server = await startUserServer();
    const { store } = server.appContext;
    const body = { userName: 'deploy-bot', userEmail: 'stranger@example.com' };
    await server.as().userIdentities.create({ query: { clientId: appClientId }, body });
    const user = await store.users.getBy('login', 'deploy-bot');
    if (user) await store.transaction((tx) => tx.users.replace({ ...user, emailVerified: true }));
    userId = String(user?.userId);
  });
  afterEach(() => server[Symbol.asyncDispose]());

  test.each([
    ['set-password', ...withPassword],
    ['set-password', ...withPassword, '--verify-contact'],
    ['set-password', ...withPassword, '--without-code'],
    ['set-password', '--dry-run'],
    ['invite'],
    ['invite', '--verify-contact'],
  ])('rejects the name and sends nothing: %j', async (verb = '', ...options) => {
    const before = await server.dump();
    for (const name of ['deploy-bot', 'Deploy-Bot', 'name:deploy-bot'])
      expect(await runUsers(server, [verb, name, ...options], { stdin })).toMatchObject({
        code: 2,
        out: '',
        err: expect.stringMatching(`a user who signed up[^]*${userId}`),
      });
    expect(await server.dump()).toEqual(before);
  });

  test('accepts its id, and the name of another user with a prefix', async () => {
    const set = ['set-password', `id:${userId}`, ...withPassword, '-o', 'json'];
    const outcome = await runUsers(server, set, { stdin });
    expect([outcome.code, JSON.parse(outcome.out)]).toEqual([0, { userId, userName: userId }]);
    expect(await canLogin(server, 'deploy-bot', newPassword)).toBe(true);
    const invited = await runUsers(server, ['invite', 'name:alice', '-o', 'json']);
    expect(JSON.parse(invited.out)).toMatchObject({ userId: 'u-alice', userName: 'alice' });
  });
});

describe('users invite', () => {
  test('sends a code and prints the masked contact and the command of the user', async () => {
    await using server = await startUserServer();
    const outcome = await runUsers(server, ['invite', 'alice', '--client-id', 'test-app']);
    expect(outcome).toEqual({
      code: 0,
      out: [
        'Sent a code to a***@example.com. It is valid for 10 minutes.',
        'alice sets a password with it:',
        `  iam users set-password alice --has-code --client-id test-app --base-url ${server.url}`,
        '',
      ].join('\n'),
      err: '',
    });
    const { json } = await server.send({ method: 'GET', path: '/_iam/inbox?to=alice@example.com' });
    expect(json).toMatchObject([{ purpose: 'recovery' }]);
    expect(await canLogin(server, 'alice', oldPassword)).toBe(true);
  });

  test('prints the same as JSON', async () => {
    await using server = await startUserServer();
    const { out } = await runUsers(server, ['invite', 'dave', '-o', 'json']);
    const { sentTo, ...rest } = JSON.parse(out) as { sentTo: string[] };
    expect(sentTo).toEqual([expect.stringMatching(/^\+55 \*\*\* \*+4?321$/)]);
    expect(rest).toEqual({
      userId: 'u-dave',
      userName: 'dave',
      command: `iam users set-password dave --has-code --client-id test-admin --base-url ${server.url}`,
    });
  });

  test.each(['unknown', 'bob', 'carol'])('rejects %s, and sends nothing', async (name) => {
    await using server = await startUserServer();
    const before = await server.dump();
    expect((await runUsers(server, ['invite', name])).code).not.toBe(0);
    expect(await server.dump()).toEqual(before);
  });
});
