import { describe, expect } from 'vitest';
import { PromptCanceledError } from '../../../src/cli/errors.ts';
import type { Question } from '../../../src/cli/io/prompter.ts';
import {
  errorResponse,
  type FakeServer,
  type FakeHandler as Serving,
  startFakeServer,
} from '../../client/fake-server.ts';
import { iam, type RunOptions, test } from '../run-cli.ts';
import { createScriptedPrompter, type ScriptedAnswer, searchChoices } from './scripted-prompter.ts';

const group = { groupId: 'g1', groupName: 'ops', roles: ['DEPLOY', 'ROLLBACK'], dependencies: [{ groupName: 'base' }] };
const groups = [group, { groupId: 'g2', groupName: 'develop', roles: ['READ'], dependencies: [] }];
const users = ['anna', 'bert', 'cleo'].map((userName, at) => ({ userId: `u${at + 1}`, userName, userEmail: 'x@y' }));

const serve: Serving = ({ method, path }) => {
  if (method !== 'GET') return { status: 200, json: { accessToken: 't', groupId: 'g' } };
  if (path.includes('/_iam/users')) return { json: users };
  if (path.includes('/user-accesses/ops/user-accounts')) return { json: [{ userId: 'u2' }] };
  if (/\/groups\/ops(\?|$)/.test(path)) return { json: group, headers: { etag: '"1"' } };
  return path.includes('/groups') ? { json: groups } : errorResponse(403, 'ROLE_MISSING');
};

async function person(server: FakeServer, words: readonly string[], ...replies: readonly ScriptedAnswer[]) {
  const { prompter, questions } = createScriptedPrompter(...replies);
  const runOptions: RunOptions = { url: server.url, columns: 80, prompter };
  const outcome = await iam(words, runOptions);
  const writes = server.received.filter(({ method }) => method !== 'GET');
  return {
    ...outcome,
    questions,
    writes: writes.map(({ path, body }) => ({ path, body: body && JSON.parse(body) })),
  };
}

const failing = (question: Question, value: string) =>
  question.type === 'input' || question.type === 'password' ? question.validate?.(value) : undefined;

describe('a value that is missing', () => {
  test('is prompted for by label or name, validated by its schema, and sent', async () => {
    await using server = await startFakeServer(serve);
    const { code, questions, writes } = await person(server, ['users', 'create'], 'a@example.com', ' anna ');
    expect(code).toBe(0);
    expect(questions.map(({ message }) => message)).toEqual(['E-mail address:', 'User name:']);
    expect(writes).toMatchObject([{ body: { userEmail: 'a@example.com', userName: 'anna' } }]);
    const [email, name] = questions;
    if (!email || !name) throw new Error('no prompt');
    expect(failing(email, 'a@example.com')).toBe(true);
    expect(failing(email, 'nonsense')).toBe('Must be an e-mail address: a name, one @ and a domain.');
    expect(failing(name, '')).toContain('required');
    expect(failing(name, 'x'.repeat(101))).toBe('Must have at most 100 characters.');
  });

  test('is not prompted for if it was passed in any form', async () => {
    await using server = await startFakeServer(serve);
    const words = ['users', 'create', '--user-email', 'a@example.com'];
    expect((await person(server, [...words, '--user-name', 'u'])).questions).toEqual([]);
    expect((await person(server, [...words, '--set', 'userName=u'])).questions).toEqual([]);
    expect((await person(server, words, 'u')).questions).toHaveLength(1);
  });

  test('is selected from an enum, and hidden if it is a secret', async () => {
    await using server = await startFakeServer(serve);
    const validate = ['products', 'validate', '--product-alias', 'p', '--sku', 's'];
    const { questions, writes } = await person(server, validate, 'PREPAID');
    expect(questions).toMatchObject([{ type: 'select', choices: [{ value: 'EXPEND' }, {}, {}] }]);
    expect(writes).toMatchObject([{ body: { billingType: 'PREPAID' } }]);
    const code = await person(server, ['factors', 'validate-token', 'f1'], '123456');
    expect(code.questions).toMatchObject([{ type: 'password', mask: '*' }]);
    expect(code.writes.at(-1)).toMatchObject({ body: { token: '123456' } });
  });

  test('within an object is set at its path', async () => {
    await using server = await startFakeServer(serve);
    const words = ['clients', 'migrate', '--target.organization-id', 'o'];
    const { questions, writes } = await person(server, words, 'b');
    expect(questions).toMatchObject([{ message: 'Target business unit id:' }]);
    expect(writes).toMatchObject([{ body: { target: { organizationId: 'o', businessUnitId: 'b' } } }]);
  });

  test('of an entry can be skipped if it is optional', async () => {
    await using server = await startFakeServer(serve);
    const replies = ['MOBILE', '55', '11', '1234567', 'x, y'];
    const { questions, writes } = await person(server, ['users', 'factors', 'add', 'u1'], ...replies);
    expect(questions[0]?.message).toBe('Contact type:');
    const mobile = { regionCode: 55, areaCode: 11, phoneNumber: 1234567 };
    expect(writes).toEqual([
      {
        path: expect.anything(),
        body: { authenticationFactors: [{ contactType: 'MOBILE', mobile, tags: ['x', 'y'] }] },
      },
    ]);
    const [, region] = questions;
    if (region)
      expect(['', '55', 'x', '1000'].map((text) => failing(region, text))).toEqual([
        true,
        true,
        'Must be a whole number.',
        'Must be at most 999.',
      ]);
  });

  test('of an entry is not prompted for if it belongs to another kind of entry', async () => {
    await using server = await startFakeServer(serve);
    const { questions, writes } = await person(server, ['users', 'factors', 'add', 'u1'], 'EMAIL', 'a@b.example', '');
    expect(questions).toHaveLength(3);
    expect(writes).toMatchObject([
      { body: { authenticationFactors: [{ contactType: 'EMAIL', email: 'a@b.example' }] } },
    ]);
  });

  test('of a custom command is prompted for', async () => {
    await using server = await startFakeServer(serve);
    const { code, questions } = await person(server, ['groups', 'members'], 'ops');
    expect(questions).toMatchObject([{ type: 'search', message: 'Group id or name:' }]);
    expect(server.received.at(-1)?.path).toContain('/_iam/groups/ops/members');
    expect(code).not.toBe(10);
  });

  test('is not sent if the prompt is canceled', async () => {
    await using server = await startFakeServer(serve);
    const givesUp = () => Promise.reject(new PromptCanceledError('closed'));
    const { code, writes } = await person(server, ['users', 'create', '--user-name', 'u'], givesUp);
    expect([code, writes]).toEqual([130, []]);
  });
});

describe('a list of choices', () => {
  test.each([
    ['sandbox delete', '/_iam/sandboxes', 'name'],
    ['state restore', '/_iam/state/snapshots', 'name'],
    ['faults remove', '/_iam/faults', 'id'],
    ['sessions end', '/_iam/sessions', 'sessionId'],
  ])('exists for iam %s', async (words, path, field) => {
    const rows = ['first', 'second'].map((value) => ({ [field]: value, createdAt: '2030-01-31T12:00:00Z' }));
    await using server = await startFakeServer((request) =>
      request.path.startsWith(path) ? { json: rows } : { json: {} },
    );
    const { questions } = await person(server, words.split(' '), ['second'], false);
    const [question] = questions;
    const choices = question?.type === 'checkbox' ? question.choices : await searchChoices(question);
    expect(choices.map(({ value }) => value)).toEqual(['first', 'second']);
  });

  test('exists for profiles, but not for a new name', async ({ home }) => {
    for (const name of ['a', 'b']) await home.iam(['profile', 'add', name, '--base-url', 'http://127.0.0.1:9']);
    const { prompter, questions } = createScriptedPrompter('b', 'c');
    await home.iam(['profile', 'use'], { prompter, columns: 80 });
    expect((await searchChoices(questions[0])).map(({ value }) => value)).toEqual(['a', 'b']);
    expect((await home.iam(['profile', 'list', '-o', 'name'])).out).toContain('b');
    await home.iam(['profile', 'add', '--base-url', 'http://127.0.0.1:9'], { prompter, columns: 80 });
    expect(questions[1]?.type).toBe('input');
  });

  test('is searched by the typed text, which can also be used as it is', async () => {
    await using server = await startFakeServer(serve);
    const { questions, writes } = await person(server, ['groups', 'add-role'], 'ops', 'AUDIT');
    const [question, role] = questions;
    expect((await searchChoices(question)).map(({ value }) => value)).toEqual(['ops', 'develop']);
    expect((await searchChoices(question, 'OP')).map(({ name }) => name)).toEqual(['ops', 'develop', 'OP  (as typed)']);
    expect((await searchChoices(question, 'ops')).map(({ value }) => value)).toEqual(['ops']);
    expect((await searchChoices(role)).map(({ value }) => value)).toEqual(['DEPLOY', 'READ', 'ROLLBACK']);
    expect(await searchChoices(role, 'no role!')).toEqual([]);
    expect(writes).toMatchObject([{ path: expect.stringContaining('/groups/ops/'), body: { roleName: 'AUDIT' } }]);
  });

  test('for removal contains the existing values', async () => {
    await using server = await startFakeServer(serve);
    const role = await person(server, ['groups', 'remove-role', 'ops'], 'DEPLOY');
    expect((await searchChoices(role.questions[0])).map(({ value }) => value)).toEqual(['DEPLOY', 'ROLLBACK']);
    const below = await person(server, ['groups', 'remove-dependency', 'ops'], 'base');
    expect((await searchChoices(below.questions[0])).map(({ value }) => value)).toEqual(['base']);
    const member = await person(server, ['groups', 'users', 'remove', 'ops'], 'u2');
    expect((await searchChoices(member.questions[0])).map(({ value }) => value)).toEqual(['u2']);
    expect(member).toMatchObject({ code: 0, questions: [{}] });
  });

  test('uses checkboxes for several values if it is short', async () => {
    await using server = await startFakeServer(serve);
    const { questions, writes } = await person(server, ['groups', 'users', 'add', 'ops'], ['u1', 'u3']);
    expect(questions).toMatchObject([
      { type: 'checkbox', required: true, choices: [{ name: 'anna  x@y  (u1)' }, {}, {}] },
    ]);
    expect(writes).toMatchObject([{ body: [{ userId: 'u1' }, { userId: 'u3' }] }]);
  });

  test.each([
    ['the caller may not read it', errorResponse(403, 'ROLE_MISSING'), /^Cannot list choices: \S/],
    ['it is empty', { json: [] }, /^Cannot list choices: the list is empty\.$/],
    ['there is no control plane', errorResponse(404, 'NOT_FOUND'), /^Cannot list choices: \S/],
  ])('is replaced by a text prompt with a notice if %s', async (_why, reply, notice) => {
    await using server = await startFakeServer(({ method }) => (method === 'GET' ? reply : { json: {} }));
    const { questions, writes, err } = await person(server, ['groups', 'users', 'add', 'ops'], 'u1, u2');
    expect(err.split('\n')[0]).toMatch(notice);
    expect(questions).toMatchObject([{ type: 'input', message: 'User id, one or more:' }]);
    expect(writes).toMatchObject([{ body: [{ userId: 'u1' }, { userId: 'u2' }] }]);
  });

  test('is truncated to the terminal width, and contains no control characters', async () => {
    const long = [{ groupName: `a${'b'.repeat(99)}`, organizationId: '\u001b[31mred' }];
    await using server = await startFakeServer(() => ({ json: long }));
    const { questions } = await person(server, ['groups', 'get'], 'a');
    expect((await searchChoices(questions[0]))[0]?.name).toHaveLength(76);
    expect((await searchChoices(questions[0], 'ab'))[0]?.name).not.toContain('\u001b');
  });
});

test('call without an operation prompts for one', async () => {
  await using server = await startFakeServer(() => ({ json: { keys: [] } }));
  const { questions, code } = await person(server, ['call'], 'keys.get');
  expect(questions).toMatchObject([{ type: 'search' }]);
  expect((await searchChoices(questions[0], 'keys.get')).map(({ value }) => value)).toEqual(['keys.get']);
  expect([code, server.received.map(({ path }) => path)]).toEqual([0, ['/security/iam/v1/keys']]);
});

describe('groups update without options', () => {
  const update = (server: FakeServer, ...replies: readonly ScriptedAnswer[]) =>
    person(server, ['groups', 'update', 'ops'], ...replies);

  test('prompts for the fields to change, marks what the group has, and shows a summary', async () => {
    await using server = await startFakeServer(serve);
    const roles = ['READ', 'NEW_ROLE, X', 'ROLLBACK', ''];
    const { questions, writes, err } = await update(server, ['roles', 'dependencies'], ...roles, '', true);
    expect(questions.map(({ type }) => type)).toEqual(['checkbox', ...roles.map(() => 'search'), 'search', 'confirm']);
    expect((await searchChoices(questions[1])).map(({ name }) => name)).toEqual([
      '(done)',
      'DEPLOY  (now)',
      'ROLLBACK  (now)',
      'READ',
    ]);
    expect((await searchChoices(questions[1], 'no role')).map(({ value }) => value)).toEqual([]);
    expect((await searchChoices(questions[5])).map(({ value }) => value)).not.toContain('ops');
    expect(err).toContain('  + role READ\n  + role NEW_ROLE\n  + role X\n  - role ROLLBACK\n');
    expect(writes).toMatchObject([{ body: { groupName: 'ops', roles: ['DEPLOY', 'READ', 'NEW_ROLE', 'X'] } }]);
  });

  test('writes nothing without a yes, and asks nothing more without a change', async () => {
    await using server = await startFakeServer(serve);
    const refused = await update(server, ['groupName'], 'operations', false);
    expect([refused.code, refused.writes]).toEqual([1, []]);
    expect(refused.err).toContain('groupName: ops -> operations');
    const same = await update(server, ['groupName'], 'ops');
    expect([same.code, same.writes]).toEqual([0, []]);
    expect(same.err).toContain('nothing to change');
  });
});

test('login prompts name the client and the server', async () => {
  await using server = await startFakeServer(() => errorResponse(401, 'CREDENTIALS_INVALID'));
  const { prompter, questions } = createScriptedPrompter('deployer', 'secret', 'application', 'password');
  const runOptions: RunOptions = { url: server.url, columns: 80, prompter, variables: {} };
  await iam(['login'], runOptions);
  await iam(['login', '--user', 'alice'], runOptions);
  expect(questions.map(({ message }) => message.replace(server.url, 'URL'))).toEqual([
    'Id of the client to sign in as at URL (use --user for a user)',
    'Secret of deployer at URL',
    'Id of the client to sign in through, at URL',
    'Password of alice at URL',
  ]);
});
