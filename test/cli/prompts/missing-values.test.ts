import { describe, expect, test } from 'vitest';
import type { Question } from '../../../src/cli/runtime/prompter.ts';
import {
  errorResponse,
  type FakeServer,
  type FakeHandler as Serving,
  startFakeServer,
} from '../../client/fake-server.ts';
import { Home, iam, type RunOptions } from '../run-cli.ts';
import { createScriptedPrompter, type ScriptedAnswer, searchChoices } from './scripted-prompter.ts';

const group = { groupId: 'g1', groupName: 'ops', roles: ['DEPLOY', 'ROLLBACK'], dependencies: [{ groupName: 'base' }] };
const groups = [group, { groupId: 'g2', groupName: 'develop', roles: ['READ'], dependencies: [] }];
const users = ['anna', 'bert', 'cleo'].map((userName, at) => ({ userId: `u${at + 1}`, userName, userEmail: 'x@y' }));

const serve: Serving = ({ method, path }) => {
  if (method !== 'GET') return { status: 200, json: {} };
  if (path.includes('/_iam/users')) return { json: users };
  if (path.includes('/user-accesses/ops/user-accounts')) return { json: [{ userId: 'u2' }] };
  if (/\/groups\/ops(\?|$)/.test(path)) return { json: group, headers: { etag: '"1"' } };
  return path.includes('/groups') ? { json: groups } : errorResponse(403, 'ROLE_MISSING');
};

async function person(server: FakeServer, words: readonly string[], ...replies: readonly ScriptedAnswer[]) {
  const { prompter, questions } = createScriptedPrompter(...replies);
  const given: RunOptions = { url: server.url, columns: 80, prompter };
  const outcome = await iam(words, given);
  const writes = server.received.filter(({ method }) => method !== 'GET');
  return {
    ...outcome,
    asked: questions,
    writes: writes.map(({ path, body }) => ({ path, body: body && JSON.parse(body) })),
  };
}

const failing = (question: Question, value: string) =>
  question.type === 'input' || question.type === 'password' ? question.validate?.(value) : undefined;

describe('a value that is missing', () => {
  test('is asked for by its label or name, checked by its schema, and sent', async () => {
    await using server = await startFakeServer(serve);
    const { code, asked: questions, writes } = await person(server, ['users', 'create'], 'a@example.com', ' anna ');
    expect(code).toBe(0);
    expect(questions.map(({ message }) => message)).toEqual(['E-mail address:', 'User name:']);
    expect(writes).toMatchObject([{ body: { userEmail: 'a@example.com', userName: 'anna' } }]);
    const [email, name] = questions;
    if (!email || !name) throw new Error('not asked');
    expect(failing(email, 'a@example.com')).toBe(true);
    expect(failing(email, 'nonsense')).toBe('Not valid: E-mail address (RFC 5321)');
    expect(failing(name, '')).toContain('needed');
    expect(failing(name, 'x'.repeat(101))).toBe('It must have at most 100 characters.');
  });

  test('is not asked for where it was given, by whatever way', async () => {
    await using server = await startFakeServer(serve);
    const words = ['users', 'create', '--user-email', 'a@example.com'];
    expect((await person(server, [...words, '--user-name', 'u'])).asked).toEqual([]);
    expect((await person(server, [...words, '--set', 'userName=u'])).asked).toEqual([]);
    expect((await person(server, words, 'u')).asked).toHaveLength(1);
  });

  test('is picked where it is one of few, and hidden where it is a secret', async () => {
    await using server = await startFakeServer(serve);
    const validate = ['products', 'validate', '--product-alias', 'p', '--sku', 's'];
    const { asked: questions, writes } = await person(server, validate, 'PREPAID');
    expect(questions).toMatchObject([{ type: 'select', choices: [{ value: 'EXPEND' }, {}, {}] }]);
    expect(writes).toMatchObject([{ body: { billingType: 'PREPAID' } }]);
    const code = await person(server, ['factors', 'validate-token', 'f1'], '123456');
    expect(code.asked).toMatchObject([{ type: 'password', mask: '*' }]);
    expect(code.writes.at(-1)).toMatchObject({ body: { token: '123456' } });
  });

  test('within an object goes to its place', async () => {
    await using server = await startFakeServer(serve);
    const words = ['clients', 'migrate', '--target.organization-id', 'o'];
    const { asked: questions, writes } = await person(server, words, 'b');
    expect(questions).toMatchObject([{ message: 'Target business unit id:' }]);
    expect(writes).toMatchObject([{ body: { target: { organizationId: 'o', businessUnitId: 'b' } } }]);
  });

  test('of an entry may be left out where the entry can do without', async () => {
    await using server = await startFakeServer(serve);
    const answers = ['', 'MOBILE', '55', '11', '1234567', 'x, y'];
    const { asked: questions, writes } = await person(server, ['users', 'factors', 'add', 'u1'], ...answers);
    expect(questions[0]?.message).toBe('Id (Enter to leave out):');
    const mobile = { regionCode: 55, areaCode: 11, phoneNumber: 1234567 };
    expect(writes).toEqual([
      {
        path: expect.anything(),
        body: { authenticationFactors: [{ contactType: 'MOBILE', mobile, tags: ['x', 'y'] }] },
      },
    ]);
    const [, , region] = questions;
    if (region)
      expect(['', '55', 'x', '1000'].map((text) => failing(region, text))).toEqual([
        true,
        true,
        'It must be a whole number.',
        'It must be at most 999.',
      ]);
  });

  test('of an entry is not asked for where it belongs to another kind of entry', async () => {
    await using server = await startFakeServer(serve);
    const { asked: questions, writes } = await person(
      server,
      ['users', 'factors', 'add', 'u1'],
      '',
      'EMAIL',
      'a@b.example',
      '',
    );
    expect(questions).toHaveLength(4);
    expect(writes).toMatchObject([
      { body: { authenticationFactors: [{ contactType: 'EMAIL', email: 'a@b.example' }] } },
    ]);
  });

  test('of a command that is written by hand is asked for as well', async () => {
    await using server = await startFakeServer(serve);
    const { code, asked: questions } = await person(server, ['groups', 'members'], 'ops');
    expect(questions).toMatchObject([{ type: 'search', message: 'Group id or name:' }]);
    expect(server.received.at(-1)?.path).toContain('/_iam/groups/ops/members');
    expect(code).not.toBe(10);
  });

  test('is not sent where the question is given up', async () => {
    await using server = await startFakeServer(serve);
    const givesUp = () => Promise.reject(Object.assign(new Error('closed'), { name: 'ExitPromptError' }));
    const { code, writes } = await person(server, ['users', 'create', '--user-name', 'u'], givesUp);
    expect([code, writes]).toEqual([130, []]);
  });
});

describe('a list to pick from', () => {
  test.each([
    ['sandbox delete', '/_iam/sandboxes', 'name'],
    ['state restore', '/_iam/state/snapshots', 'name'],
    ['faults remove', '/_iam/faults', 'id'],
    ['sessions end', '/_iam/sessions', 'sessionId'],
  ])('is there for iam %s', async (words, path, field) => {
    const rows = ['first', 'second'].map((value) => ({ [field]: value, createdAt: '2030-01-31T12:00:00Z' }));
    await using server = await startFakeServer((call) => (call.path.startsWith(path) ? { json: rows } : { json: {} }));
    const { asked: questions } = await person(server, words.split(' '), 'second', false);
    expect((await searchChoices(questions[0])).map(({ value }) => value)).toEqual(['first', 'second']);
  });

  test('is there for profiles, but not for a name that is to be new', async () => {
    await using home = await Home.make();
    for (const name of ['a', 'b']) await home.iam(['profile', 'add', name, '--base-url', 'http://127.0.0.1:9']);
    const { prompter, questions } = createScriptedPrompter('b', 'c');
    await home.iam(['profile', 'use'], { prompter, columns: 80 });
    expect((await searchChoices(questions[0])).map(({ value }) => value)).toEqual(['a', 'b']);
    expect((await home.iam(['profile', 'list', '-o', 'name'])).out).toContain('b');
    await home.iam(['profile', 'add', '--base-url', 'http://127.0.0.1:9'], { prompter, columns: 80 });
    expect(questions[1]?.type).toBe('input');
  });

  test('is searched by what is typed, which can be taken as it is', async () => {
    await using server = await startFakeServer(serve);
    const { asked: questions, writes } = await person(server, ['groups', 'add-role'], 'ops', 'AUDIT');
    const [question, role] = questions;
    expect((await searchChoices(question)).map(({ value }) => value)).toEqual(['ops', 'develop']);
    expect((await searchChoices(question, 'OP')).map(({ name }) => name)).toEqual(['ops', 'develop', 'OP  (as typed)']);
    expect((await searchChoices(question, 'ops')).map(({ value }) => value)).toEqual(['ops']);
    expect((await searchChoices(role)).map(({ value }) => value)).toEqual(['DEPLOY', 'READ', 'ROLLBACK']);
    expect(await searchChoices(role, 'nonsense')).toEqual([]);
    expect(writes).toMatchObject([{ path: expect.stringContaining('/groups/ops/'), body: { roleName: 'AUDIT' } }]);
  });

  test('of what is taken away is what is there', async () => {
    await using server = await startFakeServer(serve);
    const role = await person(server, ['groups', 'remove-role', 'ops'], 'DEPLOY', false);
    expect((await searchChoices(role.asked[0])).map(({ value }) => value)).toEqual(['DEPLOY', 'ROLLBACK']);
    const below = await person(server, ['groups', 'remove-dependency', 'ops'], 'base', false);
    expect((await searchChoices(below.asked[0])).map(({ value }) => value)).toEqual(['base']);
    const member = await person(server, ['groups', 'users', 'remove', 'ops'], 'u2', false);
    expect((await searchChoices(member.asked[0])).map(({ value }) => value)).toEqual(['u2']);
    expect(member).toMatchObject({ code: 1, writes: [] });
  });

  test('is ticked where several are wanted and it is short', async () => {
    await using server = await startFakeServer(serve);
    const { asked: questions, writes } = await person(server, ['groups', 'users', 'add', 'ops'], ['u1', 'u3']);
    expect(questions).toMatchObject([
      { type: 'checkbox', required: true, choices: [{ name: 'u1  anna  x@y' }, {}, {}] },
    ]);
    expect(writes).toMatchObject([{ body: [{ userId: 'u1' }, { userId: 'u3' }] }]);
  });

  test.each([
    ['the caller may not see it', errorResponse(403, 'ROLE_MISSING'), /^There is no list to pick from: \S/],
    ['it is empty', { json: [] }, /^There is nothing to pick from: the list is empty\.$/],
    ['there is no control plane', errorResponse(404, 'NOT_FOUND'), /^There is no list to pick from: \S/],
  ])('is left out where %s: the value is typed, and why is said', async (_why, reply, said) => {
    await using server = await startFakeServer(({ method }) => (method === 'GET' ? reply : { json: {} }));
    const { asked: questions, writes, err } = await person(server, ['groups', 'users', 'add', 'ops'], 'u1, u2');
    expect(err.split('\n')[0]).toMatch(said);
    expect(questions).toMatchObject([{ type: 'input', message: 'User id, one or more:' }]);
    expect(writes).toMatchObject([{ body: [{ userId: 'u1' }, { userId: 'u2' }] }]);
  });

  test('is cut to the width of the terminal, and holds no control characters', async () => {
    const long = [{ groupName: `a${'b'.repeat(99)}`, organizationId: '\u001b[31mred' }];
    await using server = await startFakeServer(() => ({ json: long }));
    const { asked: questions } = await person(server, ['groups', 'get'], 'a');
    expect((await searchChoices(questions[0]))[0]?.name).toHaveLength(76);
    expect((await searchChoices(questions[0], 'ab'))[0]?.name).not.toContain('\u001b');
  });
});

test('groups update with nothing to change has the roles ticked', async () => {
  await using server = await startFakeServer(serve);
  const { asked: questions, writes } = await person(server, ['groups', 'update', 'ops'], ['DEPLOY', 'READ']);
  expect(questions).toMatchObject([
    {
      type: 'checkbox',
      choices: [
        { value: 'DEPLOY', checked: true },
        { value: 'READ', checked: false },
        { value: 'ROLLBACK', checked: true },
      ],
    },
  ]);
  expect(writes).toMatchObject([{ body: { groupName: 'ops', roles: ['DEPLOY', 'READ'] } }]);
});

test('login says which client it asks for, and at which server', async () => {
  await using server = await startFakeServer(() => errorResponse(401, 'CREDENTIALS_INVALID'));
  const { prompter, questions } = createScriptedPrompter('deployer', 'secret', 'application', 'password');
  const given: RunOptions = { url: server.url, columns: 80, prompter, variables: {} };
  await iam(['login'], given);
  await iam(['login', '--user', 'alice'], given);
  expect(questions.map(({ message }) => message.replace(server.url, 'URL'))).toEqual([
    'Id of the client to sign in as at URL (use --user for a user)',
    'Secret of deployer at URL',
    'Id of the client to sign in through, at URL',
    'Password of alice at URL',
  ]);
});
