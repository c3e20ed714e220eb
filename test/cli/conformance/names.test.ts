/** People read and type names; every command shows them beside ids and accepts them in place of ids. */

import { Writable } from 'node:stream';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { buildCompleteProgram } from '../../../src/cli/cli-reference.ts';
import { PromptCanceledError } from '../../../src/cli/errors.ts';
import type { Question } from '../../../src/cli/io/prompter.ts';
import { lookups } from '../../../src/cli/output/name-lookups.ts';
import { showRejectedValues } from '../../../src/cli/output/rejected-values.ts';
import { sourcesOf } from '../../../src/cli/prompts/value-sources.ts';
import { ClientError } from '../../../src/client/errors.ts';
import { type EntityName, entities, entityOf } from '../../../src/contract/entities.ts';
import { type ErrorEntry, errorTable } from '../../../src/contract/error-codes.ts';
import { manifest } from '../../../src/contract/manifest.ts';
import { controlRoutes } from '../../../src/server/control/routes/index.ts';
import type { SeedDocument } from '../../../src/server/seed/schema.ts';
import { adminClient, startServer, type TestServer } from '../../harness.ts';
import { createScriptedPrompter, searchChoices } from '../prompts/scripted-prompter.ts';
import { iam, type RunOptions } from '../run-cli.ts';

const id = (text: string) => `64b0c0ffee00000000000${text}`;

const seed: SeedDocument = {
  businesses: [{ businessId: id('b01'), businessName: 'Acme', document: '4711' }],
  users: [
    { userId: id('a01'), userName: 'alice', userEmail: 'alice@example.com', businessId: id('b01') },
    { userId: 'like@name.example', userName: 'bob' },
  ],
  clients: [
    { clientId: id('c01'), appId: 'billing', serviceAccountId: 'billing-service', businessId: id('b01') },
    { clientId: id('c02'), appId: 'shop', userId: id('a01') },
  ],
  groups: [
    {
      groupId: id('d01'),
      groupName: 'ops',
      roles: ['DEPLOY'],
      users: [id('a01')],
      businesses: [id('b01')],
      businessUsers: [{ businessId: id('b01'), userId: id('a01') }],
      services: ['billing-service'],
    },
    { groupName: 'id:odd' },
  ],
  corporateGroups: [{ corporateGroupId: id('e01'), corporateGroupName: 'Holding', businesses: [id('b01')] }],
  apiKeys: [{ apiKeyId: id('f01'), appId: 'reports', clientId: id('c01'), apiKey: `${'k'.repeat(42)}E=` }],
};

/** The names of the ids above that rows refer to. */
const names: Readonly<Record<string, string>> = {
  [id('a01')]: 'alice',
  [id('b01')]: 'Acme',
  [id('c01')]: 'billing-service',
  [id('c02')]: 'shop',
  [id('d01')]: 'ops',
  [id('e01')]: 'Holding',
  [id('f01')]: 'reports',
};

let server: TestServer;
let token: string;
beforeAll(async () => {
  server = await startServer({ seed });
  token = (await server.as(adminClient).clientIdentities.login()).accessToken;
  await runIam(['customers', 'create-user', '--user-id', 'alice', '--document', '4712', '--name', 'Alice']);
  await runIam(['sessions', 'create', 'alice']);
});
afterAll(() => server[Symbol.asyncDispose]());

function runIam(words: readonly string[], more: RunOptions = {}) {
  return iam(words, { ...more, url: server.url, variables: { IAM_BASE_URL: server.url, IAM_TOKEN: token } });
}

/** The arguments of lists that need some. */
const listArguments: Readonly<Record<string, readonly string[]>> = {
  'groups members': ['ops'],
  'groups users list': ['ops'],
  'groups businesses list': ['ops'],
  'groups services list': ['ops'],
  'groups business-users list': ['ops', 'Acme'],
  'users factors list': ['alice'],
};

/** Lists of something that has neither a name nor the id of something with one. */
const others = ['factors list', 'inbox list', 'keys list', 'faults list', 'profile list', 'sandbox list', 'state list'];

const output = new Writable({ write: (_, __, done) => done() });
const everyCommand = listCommands(await buildCompleteProgram(output));

function listCommands(command: Command, above: readonly string[] = []): { path: string; command: Command }[] {
  return command.commands.flatMap((below) => {
    const path = [...above, below.name()];
    return [{ path: path.join(' '), command: below }, ...listCommands(below, path)];
  });
}

const lists = everyCommand
  .map(({ path }) => path)
  .filter((path) => /(^| )(list|members|search)$/.test(path) && !others.includes(path));

describe('a table', () => {
  test('is printed by the lists of this walk', () => {
    expect(lists.length).toBeGreaterThan(14);
  });

  test.each(lists)('of iam %s has the name of each id', async (path) => {
    for (const format of ['table', 'wide']) {
      const { code, out } = await runIam([...path.split(' '), ...(listArguments[path] ?? []), '-o', format]);
      expect(code).toBe(0);
      for (const line of out.split('\n'))
        for (const [known, name] of Object.entries(names))
          if (new RegExp(`(^|[ ,])${known}($|[ ,])`).test(line)) expect(line).toContain(name);
    }
  });

  test.each([
    ['groups users list ops', 1],
    ['corporate-groups list', 1],
    ['api-key list', 1],
    ['users list', 0],
    ['groups members ops', 0],
    ['groups users list ops --columns userId', 0],
    ['groups users list ops -o json', 0],
    ['groups users list ops -o csv', 0],
  ])('%s needs %i requests for names', async (line, count) => {
    const { code, err } = await runIam([...line.split(' '), '--verbose']);
    expect({ code, requests: err.split('\n').filter((line) => line.includes('/_iam/names')).length }).toEqual({
      code: 0,
      requests: count,
    });
  });

  test.each(['json', 'jsonl', 'yaml', 'csv', 'name'])(
    'is unlike %s, which contains what the server sent',
    async (o) => {
      for (const path of ['groups users list ops', 'corporate-groups list', 'api-key list'])
        expect((await runIam([...path.split(' '), '-o', o])).out).not.toMatch(/alice|Acme|billing-service/);
    },
  );
});

describe('a picker', () => {
  test.each([
    ['groups users remove ops', 'alice'],
    ['groups businesses remove ops', 'Acme'],
    ['groups business-users remove ops Acme', 'alice'],
    ['api-key delete', 'billing-service'],
    ['clients delete', 'billing'],
    ['sessions end', 'alice'],
    ['customers get', 'Acme'],
  ])('of iam %s shows names', async (line, name) => {
    const { prompter, questions } = createScriptedPrompter(() => {
      throw new PromptCanceledError('');
    });
    await runIam(line.split(' '), { columns: 80, prompter });
    const [question] = questions;
    const choices = question?.type === 'checkbox' ? question.choices : await searchChoices(question);
    expect(choices.map((choice) => choice.name).join('\n')).toContain(name);
  });
});

test.each([
  'api-key update reports',
  'users update alice',
  'corporate-groups update Holding',
  'clients update billing',
])('is beside the id in the prompts of iam %s', async (line) => {
  const chosen: Question[] = [];
  const prompter = async (question: Question) => {
    chosen.push(question);
    if (question.type === 'checkbox') return question.choices.map(({ value }) => value);
    if (question.type === 'search') await searchChoices(question);
    return '';
  };
  expect((await runIam(line.split(' '), { columns: 200, prompter })).err).toContain(': nothing to change');
  const shown = chosen.flatMap((one) => [
    one.message,
    ...('choices' in one ? one.choices.map(({ name }) => name) : []),
  ]);
  expect(shown.filter((text) => /64b0c0ffee\w+/.test(text))).not.toEqual([]);
  // A list shows the id behind the name.
  expect(shown.filter((text) => /64b0c0ffee\w{14}(?! \(|\))/.test(text))).toEqual([]);
});

test.each([
  [`clients update ${id('c01')} --app-id bill`, `${id('c01')} (billing-service): `],
  [`api-key update ${id('f01')} --app-id report`, `${id('f01')} (reports): `],
])('is in the line of iam %s', async (line, named) => {
  const { code, err } = await runIam(line.split(' '));
  expect({ code, err }).toMatchObject({ code: 0, err: expect.stringContaining(named) });
  await runIam(line.replace('bill', 'billing').replace('report', 'reports').split(' '));
});

test.each([
  ['corporate-groups update Holding --remove-business Acme --dry-run', `- business ${id('b01')} (Acme)`],
  ['corporate-groups update Holding --set businesses=', `Remove business ${id('b01')} (Acme) from Holding?`],
  [
    'api-key update reports --client-id shop --dry-run',
    `~ clientId: ${id('c01')} (billing-service) -> ${id('c02')} (shop)`,
  ],
  ['users update alice --set businessId= --dry-run', `~ businessId: ${id('b01')} (Acme) -> (none)`],
  [
    'users create --user-name bob --user-email b@b.example --business-id Acme --if-not-exists',
    `~ businessId: (none) -> ${id('b01')} (Acme)`,
  ],
  ['groups users remove ops bob', 'ops, like@name.example (bob): '],
  ['groups users remove ops bob id:odd', 'like@name.example (bob): '],
  [`clients rotate-secret ${id('c01')}`, `${id('c01')} (billing-service)?`],
])('is beside the id in what iam %s says', async (line, named) => {
  expect((await runIam(line.split(' '))).err).toContain(named);
});

test('of a client identifies the caller of requests and faults, and the log shows it beside its logins', async () => {
  const logins = 'requests list --caller iam-admin --operation client-identities.login';
  const { code, out } = await runIam(logins.split(' '), { columns: 200 });
  expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('iam-admin') });
  expect(await runIam('requests list --caller billing-service'.split(' '))).toMatchObject({ code: 0 });
  expect(await runIam('requests list --caller unknown'.split(' '))).toMatchObject({
    code: 3,
    err: expect.stringContaining('User or client "unknown" not found'),
  });
  const rule = JSON.parse((await runIam('faults add --caller billing-service --fail 503 -o json'.split(' '))).out);
  expect(rule.caller).toBe(id('c01'));
  expect((await runIam(['faults', 'list'])).out).toContain('billing-service');
  await runIam(['faults', 'clear', '--yes']);
});

describe('--mask', () => {
  test.each([...lists, 'users get alice'])('hides the addresses in iam %s', async (path) => {
    for (const format of ['table', 'wide', 'json', 'jsonl', 'yaml', 'csv', 'name']) {
      const words = [...path.split(' '), ...(listArguments[path] ?? []), '-o', format, '--verbose', '--mask'];
      const { code, out, err } = await runIam(words);
      expect({ code, shown: (out + err).match(/[^\s*]@\S+/g) }).toEqual({ code: 0, shown: null });
    }
  });

  test.each([
    ['users list --name alice --columns userEmail', 'a***@example.com'],
    ['users list --name alice -o json --query [0].userEmail', '"a***@example.com"'],
    ['users get ada@missing.example', 'a***@missing.example'],
    ['users delete id:like@name.example', 'l***@name.example'],
    ['users list --search q.x@name.example --verbose', 'GET /_iam/users?search=q***%40name.example'],
    [
      'api GET /_iam/users?name=bob@name.example&search=eve@name.example --curl',
      '/_iam/users?name=b***@name.example&search=e***@name.example',
    ],
  ])('hides those in what iam %s says', async (line, masked) => {
    const { out, err } = await runIam([...line.split(' '), '--mask']);
    expect(out + err).toContain(masked);
    expect(out + err).not.toMatch(/[^\s*](@|%40)\w/);
  });

  test('hides those in questions and choices', async () => {
    const { prompter, questions } = createScriptedPrompter('id:like@name.example', false);
    await runIam(['users', 'delete', '--mask'], { columns: 80, prompter });
    const shown = (await searchChoices(questions[0])).map(({ name }) => name).join('\n');
    expect(shown).toContain('l***@name.example');
    expect(shown).not.toMatch(/[^\s*]@\w/);
    expect(questions[1]?.message).toBe('Run `users delete l***@name.example (bob)`?');
  });
});

function columnsOfOperation(operation: string): readonly string[] {
  const { schema } = manifest.operations.find(({ id }) => id === operation)?.response ?? {};
  return Object.keys(schema?.items?.properties ?? schema?.properties ?? {});
}

function columnsOfRoute(list: string): readonly string[] {
  const { response } = controlRoutes.find(({ method, path }) => method === 'GET' && `/_iam${path}` === list) ?? {};
  const found: object = response ?? {};
  const schema = 'page' in found ? found.page : 'body' in found ? found.body : undefined;
  const row = schema instanceof z.ZodArray ? schema.element : schema;
  return row instanceof z.ZodObject ? Object.keys(row.shape) : [];
}

test('of every entity, the rows of its list have the id', () => {
  const missing = (Object.keys(entities) as EntityName[]).flatMap((name) => {
    const { list, properties } = entityOf(name);
    const columns = 'control' in list ? columnsOfRoute(list.control) : columnsOfOperation(list.operation);
    return Object.values(properties).flatMap((property) =>
      columns.includes(property) ? [] : [`${name}: ${property}`],
    );
  });
  expect(missing).toEqual([]);
});

describe('-o name', () => {
  test.each(['users', 'groups', 'businesses', 'customers', 'clients', 'api-key', 'corporate-groups'])(
    'of %s list is accepted by get',
    async (noun) => {
      const { out } = await runIam([noun, 'list', '-o', 'name']);
      const listed = out.trim().split('\n');
      expect(listed).not.toEqual(['']);
      for (const name of listed) expect([name, (await runIam([noun, 'get', name])).code]).toEqual([name, 0]);
    },
  );
});

describe('a name', () => {
  test('is accepted wherever a command refers to an entity with one by its id', () => {
    const missing = everyCommand.flatMap(({ path, command }) =>
      listPlaces(command).flatMap((place) =>
        sourcesOf(command, place).flatMap((source) => {
          if (typeof source === 'string' || source.by[0] !== 'id') return [];
          const { nameColumn } = entityOf(source.entity);
          return nameColumn === undefined || lookups[source.entity] ? [] : [`${path} ${place}: ${source.entity}`];
        }),
      ),
    );
    expect(missing).toEqual([]);
    const named = (Object.keys(entities) as EntityName[]).filter((name) => entityOf(name).nameColumn !== undefined);
    expect(named.filter((name) => !lookups[name])).toEqual([]);
  });

  test.each([
    ['corporate-groups get Holding', id('e01')],
    ['corporate-groups get name:Holding', id('e01')],
    ['customers get Acme', id('b01')],
    ['customers get 4711', id('b01')],
    [`customers get ${id('b01')}`, 'Acme'],
    ['customers get 4712', 'Alice'],
    ['businesses get Acme', id('b01')],
    ['clients get billing-service', id('c01')],
    ['api-key get reports', id('f01')],
    [`can ${id('a01')} DEPLOY`, `${id('a01')} (alice) has DEPLOY`],
  ])('identifies what iam %s shows', async (line, shown) => {
    const { code, out } = await runIam(line.split(' '));
    expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining(shown) });
  });

  test.each([
    ['corporate-groups delete Holding', `${id('e01')} (Holding)`],
    [`corporate-groups delete ${id('e01')}`, `${id('e01')} (Holding)`],
    [`users delete ${id('a01')}`, `${id('a01')} (alice)`],
    [`api-key delete ${id('f01')}`, `${id('f01')} (reports)`],
    [`sessions end --user-id ${id('a01')}`, `${id('a01')} (alice)`],
  ])('is in the question of iam %s', async (line, named) => {
    const { code, err } = await runIam(line.split(' '));
    expect({ code, err }).toMatchObject({ code: 10, err: expect.stringContaining(named) });
  });

  test.each([
    ['api-key delete reports', `can no longer authenticate as ${id('c01')} (billing-service) with it`],
    ['clients delete billing-service', `1 client: ${id('c01')} (billing-service)`],
    ['corporate-groups delete Holding', `without a corporate group: ${id('b01')} (Acme)`],
  ])('is in what iam %s affects', async (line, named) => {
    const { err } = await runIam(line.split(' '), { columns: 200, prompter: async () => false });
    expect(err).toContain(named);
  });
});

describe('a rejected value', () => {
  test.each([
    ['groups create --group-name new --role A,b!', 'roles "b!" must be'],
    ['groups update ops --add-role b!', 'roles "b!" must be'],
    ['groups users add ops alice no/id', 'no/id: User not found.'],
    ['corporate-groups create --corporate-group-name new --business no/id', 'no/id'],
    ['users create --user-name new --user-email nope', 'userEmail "nope" must be'],
    ['users update alice --business-id nix', 'Business nix not found.'],
    ['customers create-user --user-id nosuch --name A --document 77', 'User nosuch not found.'],
    ['customers create-user --user-id bob --name A --document 4712', 'has the document "4712".'],
    ['customers create-user --user-id alice --name A --document 77', `The user ${id('a01')} is already a customer.`],
    ['groups create --group-name new --dependency no1,ops,no2', 'Group "no2" not found.'],
    ['groups create --group-name new --role USER,PERSON', 'The role PERSON is reserved'],
    [
      'clients migrate --client-id no1,no2 --target.organization-id a --target.business-unit-id b',
      'Client no2 not found.',
    ],
    ['users factors remove alice main-email --yes', 'Clear userEmail of the user.'],
    ['users list --sort nope', 'sort "nope" must be'],
    ['can alice DEPLOY --business nosuch', 'nosuch: Business not found.'],
    ['users roles alice --business-id nosuch', 'nosuch: Business not found.'],
    ['requests list --status 4yy', 'status "4yy" '],
    ['api-key create --app-id zz --client-id nosuch', 'nosuch: Client not found.'],
  ])('is shown in place of its index by iam %s', async (line, shown) => {
    const { err } = await runIam(line.split(' '));
    expect(err).toContain(shown);
    expect(err).not.toMatch(/\[\d+\]/);
  });
});

test('a rejected secret is not shown', () => {
  const items = [{ code: 'FIELD_VALUE', message: 'password must be longer.', details: { field: 'password' } }];
  const error = new ClientError({ status: 400, items });
  const schema = { properties: { password: { sensitive: 'secret' } } } as const;
  expect(showRejectedValues(error, [{ values: { password: 'short' }, schema }])).toBe(error);
});

test('a value of a dialog that the server rejects is asked for again, and the others are kept', async () => {
  const { prompter, questions } = createScriptedPrompter('ops', 'new ops');
  const create = ['groups', 'create'];
  expect((await runIam(create, { columns: 80, prompter })).code).toBe(0);
  expect(questions.map(({ message }) => message)).toEqual(Array.from({ length: 2 }, () => questions[0]?.message));
  const taken = createScriptedPrompter('ops');
  const found = await runIam([...create, '--if-not-exists'], { columns: 80, prompter: taken.prompter });
  expect(found).toMatchObject({ code: 0, out: expect.stringContaining(id('d01')) });
  const given = createScriptedPrompter();
  expect((await runIam([...create, '--group-name', 'ops'], { columns: 80, prompter: given.prompter })).code).toBe(6);
});

test.each<[line: string, rejected: string, answers: readonly unknown[], asked: readonly string[]]>([
  [
    'customers create-business',
    'has the document "4711"',
    ['New', '4711', '4799'],
    ['Business name', 'Official', 'Official'],
  ],
  ['users create --without-code', '"alice" is already in use', ['alice', 'carol'], ['User name', 'User name']],
  [
    'groups update ops',
    '"id:odd" is already in use',
    [['groupName', 'roles', 'dependencies'], 'id:odd', '', '', true, 'ops'],
    [
      'Fields to change',
      'Group name, now ops',
      'Roles of ops',
      'Dependencies of ops',
      'Change ops?',
      'Group name, now',
    ],
  ],
])('%s asks again for the field of the error only', async (line, rejected, answers, asked) => {
  const { prompter, questions } = createScriptedPrompter(...answers);
  const { code, err } = await runIam(line.split(' '), { columns: 80, prompter });
  expect({ code, err }).toMatchObject({ code: 0, err: expect.stringContaining(rejected) });
  expect(questions.map(({ message }) => message)).toEqual(asked.map((text) => expect.stringContaining(text)));
});

describe('what was not found', () => {
  test.each(['users', 'groups', 'businesses', 'customers', 'clients', 'api-key', 'corporate-groups'])(
    'is named by iam %s get',
    async (noun) => {
      const { code, err } = await runIam([noun, 'get', 'missing-one']);
      expect({ code, err }).toMatchObject({
        code: 3,
        err: expect.stringMatching(/^error: missing-one: .* not found\./),
      });
    },
  );

  test('is listed by the command that the hint names, also below another object', async () => {
    for (const words of ['users factors remove alice missing-one --yes', 'users factors get alice missing-one'])
      expect((await runIam(words.split(' '))).err).toContain(`\`iam users factors list ${id('a01')}\``);
  });

  test('is named by a write, too', async () => {
    expect((await runIam(['groups', 'delete', 'missing-one', '--yes'])).err).toContain('missing-one: Group not found.');
    const member = await runIam(['groups', 'users', 'remove', 'ops', 'like@name.example']);
    expect(member.err).toContain('like@name.example');
  });

  test.each(['groups', 'users', 'corporate-groups', 'api-key'])(
    'is reported by iam %s delete before a question is asked',
    async (noun) => {
      const { prompter, questions } = createScriptedPrompter();
      const words = [noun, 'delete', 'missing-one'];
      const atTerminal = { columns: 80, prompter };
      expect(await runIam(words, atTerminal)).toMatchObject({ code: 3, err: expect.stringContaining('missing-one: ') });
      const skipped = await runIam([...words, '--if-exists'], atTerminal);
      expect(skipped).toMatchObject({ code: 0, err: `${words.join(' ')}: does not exist\n` });
      expect(questions).toEqual([]);
    },
  );

  test.each([
    'clients rotate-secret missing-one --yes',
    'clients update missing-one --app-id shop',
    'api-key rotate missing-one --yes',
    'api-key update missing-one --app-id shop',
    'groups members missing-one',
    'why missing-one',
    'requests show missing-one',
    'faults remove missing-one',
    'sandbox delete missing-one --yes',
    'state delete missing-one --yes',
    'state diff now missing-one',
    'sessions end missing-one --yes',
    'sessions create missing-one',
  ])('is named by iam %s', async (line) => {
    const { code, err } = await runIam(line.split(' '));
    expect({ code, err }).toMatchObject({ code: 3, err: expect.stringMatching(/^error: missing-one: .* not found/) });
  });

  test('is declared by every route of the control plane that reports it', () => {
    const undeclared = controlRoutes.flatMap(({ method, path, errors }) => {
      const route = manifest.controlRoutes.find((one) => one.method === method && one.path === path);
      const fields = route ? [...route.params, ...route.query] : [];
      const schemas = [...fields.map(({ schema }) => schema), ...Object.values(route?.body?.properties ?? {})];
      const declared = schemas.map((schema) => schema['x-reference']?.entity);
      return errors.flatMap((code) => {
        const { category, entity } = errorTable[code] as ErrorEntry;
        return category !== 'not-found' || !entity || declared.includes(entity) ? [] : [`${method} ${path}: ${entity}`];
      });
    });
    // The clients of a key and of a browser session are in no request, and a wait describes its request by a filter.
    expect(undeclared).toEqual([
      'POST /api-keys/{id}/rotate: client',
      'POST /browser-sessions: client',
      'GET /requests/wait: request',
    ]);
  });
});

function listPlaces(command: Command): string[] {
  return [
    ...command.registeredArguments.map((argument) => argument.name()),
    ...command.options.flatMap(({ long }) => long ?? []),
  ];
}
