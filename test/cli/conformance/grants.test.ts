/** Walks all commands that can give roles: each says who would gain ADMIN or an IAM_ADMIN role and asks, and else asks nothing. */
import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readPathValues } from '../../../src/cli/http/outcome-check.ts';
import { getUpdate, isRoute } from '../../../src/cli/request/find-operation.ts';
import { canGrant } from '../../../src/cli/request/grants/role-grants.ts';
import type { EntityName } from '../../../src/contract/entities.ts';
import { manifest } from '../../../src/contract/manifest.ts';
import type { JsonSchema } from '../../../src/contract/manifest-types.ts';
import { controlRoutes } from '../../../src/server/control/routes/index.ts';
import { roleGains } from '../../conformance/administrators/role-gains.ts';
import { adminClient, appClientId, startServer } from '../../harness.ts';
import { createScriptedPrompter } from '../prompts/scripted-prompter.ts';
import { Home, iam } from '../run-cli.ts';
import { ExampleRunner } from './example-runner.ts';
import { password } from './seed.ts';

interface GrantCase {
  /** Command lines that give administrative roles. */
  readonly grants: Readonly<Record<string, string>>;
  /** The same without them. */
  readonly harmless: readonly string[];
}

const cases: Readonly<Record<string, GrantCase>> = {
  'groups create': {
    grants: {
      'groups create --group-name new --role ADMIN,VIEW': 'The members of new would gain ADMIN.',
      'groups create --group-name new --dependency heads':
        'The members of new would gain ADMIN, IAM_ADMIN_MAINTENANCE, IAM_ADMIN_READ_ONLY through heads.',
      'groups create --group-name new --set-json roles=["IAM_ADMIN_READ_ONLY"]':
        'The members of new would gain IAM_ADMIN_READ_ONLY.',
    },
    harmless: ['groups create --group-name new --role VIEW --dependency ops'],
  },
  'groups update': {
    grants: {
      'groups update ops --add-role ADMIN': 'The members of ops (1) and of groups that depend on it would gain ADMIN.',
      'groups update ops --role ROLE_ADMIN --role DEPLOY --role ROLLBACK': 'would gain ADMIN.',
      'groups update ops --role ADMIN': 'would gain ADMIN. ops would lose role DEPLOY, role ROLLBACK.',
      'groups update ops --set roles=ADMIN,DEPLOY,ROLLBACK': 'would gain ADMIN.',
      'groups update leads --add-dependency heads': 'The members of leads (0) would gain ADMIN',
    },
    harmless: [
      'groups update ops --add-role VIEW',
      'groups update leads --add-role VIEW',
      'groups update heads --add-role ADMIN --add-dependency ops',
    ],
  },
  'groups add-role': {
    grants: {
      'groups add-role ops ADMIN': 'The members of ops (1) and of groups that depend on it would gain ADMIN.',
      'groups add-role leads VIEW ADMIN ROLE_IAM_ADMIN_READ_ONLY':
        'The members of leads (0) would gain ADMIN, IAM_ADMIN_READ_ONLY.',
    },
    harmless: ['groups add-role ops VIEW', 'groups add-role heads ADMIN', 'groups add-role heads A B'],
  },
  'groups add-dependency': {
    grants: {
      'groups add-dependency ops heads':
        'The members of ops (1) and of groups that depend on it would gain ADMIN, IAM_ADMIN_MAINTENANCE, IAM_ADMIN_READ_ONLY through heads.',
      'groups add-dependency leads base iam-auditors': 'would gain IAM_ADMIN_READ_ONLY through iam-auditors.',
    },
    harmless: ['groups add-dependency ops base', 'groups add-dependency heads ops'],
  },
  'groups users add': {
    grants: {
      'groups users add iam-administrators bob':
        'User ANOTHER_USER_ID (bob) would gain ADMIN, IAM_ADMIN_MAINTENANCE, IAM_ADMIN_READ_ONLY through iam-administrators.',
      'groups users add heads alice bob':
        'User USER_ID (alice), user ANOTHER_USER_ID (bob) would gain ADMIN, IAM_ADMIN_MAINTENANCE, IAM_ADMIN_READ_ONLY through heads.',
    },
    harmless: ['groups users add ops bob'],
  },
  'groups businesses add': {
    grants: { 'groups businesses add heads acme': 'Business acme would gain ADMIN' },
    harmless: ['groups businesses add ops acme'],
  },
  'groups business-users add': {
    grants: { 'groups business-users add heads acme alice': 'User USER_ID (alice) of business acme would gain ADMIN' },
    harmless: ['groups business-users add ops acme alice'],
  },
  'groups services add': {
    grants: { 'groups services add heads billing-service': 'Service billing-service would gain ADMIN' },
    harmless: ['groups services add ops billing-service'],
  },
  'users create': {
    grants: {
      'users create --user-name carol --user-email carol@example.com --business-id globex':
        'User carol would gain ADMIN, IAM_ADMIN_MAINTENANCE, IAM_ADMIN_READ_ONLY through business globex.',
      'users create --without-code --user-name carol --business-id globex':
        'User carol would gain ADMIN, IAM_ADMIN_MAINTENANCE, IAM_ADMIN_READ_ONLY through business globex.',
    },
    harmless: [
      'users create --user-name carol --user-email carol@example.com --business-id acme',
      'users create --without-code --user-name dan --business-id acme',
    ],
  },
  'users update': {
    grants: {
      'users update bob --business-id globex':
        'User ANOTHER_USER_ID (bob) would gain ADMIN, IAM_ADMIN_MAINTENANCE, IAM_ADMIN_READ_ONLY through business globex.',
    },
    harmless: ['users update alice --business-id acme --lead', 'users update bob --business-id acme'],
  },
  'clients update': {
    grants: {
      'clients update CLIENT_ID --add-authority ADMIN': 'Client CLIENT_ID (billing-service) would gain ADMIN.',
    },
    harmless: ['clients update CLIENT_ID --add-authority VIEW'],
  },
};

/** References to what can have roles, by which a write gives none. */
const rolelessReferences: Readonly<Record<string, string>> = {
  'clients create businessId': 'the owner of a client gives it no roles',
  'corporate-groups create businessId': 'a corporate group gives no roles',
  'corporate-groups update businessId': 'a corporate group gives no roles',
  'customers create-business corporateGroupId': 'a corporate group gives no roles',
};

const holders: readonly (EntityName | undefined)[] = ['role', 'group', 'business', 'corporateGroup'];

/** The fields of a body that refer to what can have roles. */
function listRoleFields(schema: JsonSchema, name = ''): readonly string[] {
  const { properties = {}, items, anyOf = [], 'x-reference': reference } = schema;
  if (holders.includes(reference?.entity)) return [name];
  return [
    ...Object.entries(properties).flatMap(([field, property]) => listRoleFields(property, field)),
    ...[...(items ? [items] : []), ...anyOf].flatMap((below) => listRoleFields(below, name)),
  ];
}

const routes = controlRoutes.filter(isRoute).map(({ id }) => getUpdate(manifest, id));
const writes = [...manifest.operations, ...routes].filter(
  ({ effect, method }) => effect !== 'read' && method !== 'DELETE',
);
const operations = writes.filter(canGrant);

test('every operation and route that can give roles has a case', () => {
  expect(operations.map(({ command }) => command).sort()).toEqual(Object.keys(cases).sort());
  const guarded = operations.filter((one) => !isRoute(one));
  expect(guarded.map(({ id }) => id).sort()).toEqual(Object.keys(roleGains).sort());
});

test('every field that refers to what can have roles gives some, or it is known why not', () => {
  const roleless = writes
    .filter((one) => !canGrant(one))
    .flatMap(({ command, body = {} }) => listRoleFields(body).map((field) => `${command} ${field}`));
  expect(roleless.sort()).toEqual(Object.keys(rolelessReferences).sort());
});

let runner: ExampleRunner;
beforeAll(async () => {
  runner = await ExampleRunner.create();
  await runner.run('groups create --group-name base', 'administrator');
  await runner.run('groups create --group-name heads --dependency iam-administrators --yes', 'administrator');
  await runner.run('groups businesses add heads globex --yes', 'administrator');
});
afterAll(() => runner[Symbol.asyncDispose]());

const run = (line: string) => runner.run(line, 'administrator');
const readTables = async () => {
  const { groups, memberships, clients, users } = await runner.server.dump();
  return { groups, memberships, clients, users };
};
const withNames = (text: string) =>
  Object.entries(runner.names).reduce(
    (all, [name, value]) => (/_ID$/.test(name) ? all.replaceAll(name, value) : all),
    text,
  );

describe.each(Object.entries(cases))('%s', (command, { grants, harmless }) => {
  test('says who would gain administrative roles, and asks', async () => {
    const before = await readTables();
    for (const [line, text] of Object.entries(grants)) {
      const err = expect.stringContaining(withNames(text));
      expect({ line, ...(await run(line)) }).toMatchObject({ line, code: 10, out: '', err });
    }
    const [line = '', text = ''] = Object.entries(grants)[0] ?? [];
    const preview = await run(`${line} --dry-run -o json`);
    expect(preview).toMatchObject({ code: 0, err: expect.stringContaining(withNames(text)) });
    expect((await run(`${command} --help`)).out).toMatch(/-y, --yes +skip /);
    expect(await readTables()).toEqual(before);
  });

  test('asks nothing else', async () => {
    for (const line of harmless) expect({ line, ...(await run(line)) }).toMatchObject({ line, code: 0 });
  });
});

test.each(['groups users add', 'clients update'])('the same request of `api` and `call` asks: %s', async (command) => {
  await using home = await Home.make();
  const before = await readTables();
  const [line = ''] = Object.keys(cases[command]?.grants ?? {});
  const { out } = await run(`${line} --dry-run -o json`);
  const { method, url, body } = JSON.parse(out) as { readonly method: string; readonly url: string; body: unknown };
  await writeFile(home.file('body.json'), JSON.stringify(body));
  const { id = '', path = '' } = operations.find((one) => one.command === command) ?? {};
  const target = new URL(url).pathname;
  const params = Object.entries(readPathValues(path, target)).map(([name, value]) => `-p ${name}=${value}`);
  for (const words of [`api ${method} ${target}`, ...(isRoute({ id }) ? [] : [`call ${[id, ...params].join(' ')}`])])
    for (const [more, code] of [['--dry-run', 0] as const, ['', 10] as const])
      expect({ words, ...(await run(`${words} -f ${home.file('body.json')} ${more}`.trim())) }).toMatchObject({
        ...{ words, code },
        err: expect.stringContaining('would gain ADMIN'),
      });
  expect(await readTables()).toEqual(before);
});

test('--yes confirms, and what a group has already is asked for no more', async () => {
  expect((await run('groups add-role base ADMIN')).err).toContain('Add --yes to confirm without a prompt.');
  expect(await run('groups add-role base ADMIN --yes')).toMatchObject({ code: 0, err: 'base: + role ADMIN\n' });
  expect(await run('groups add-role base ADMIN')).toMatchObject({ code: 0, err: 'base: nothing to change\n' });
  expect(await run('groups update base --add-role VIEW')).toMatchObject({ code: 0 });
  expect(await run('groups users add base bob')).toMatchObject({ code: 10 });
  expect(await run('groups users add base bob -y')).toMatchObject({ code: 0 });
  expect(await run('groups users remove base bob')).toMatchObject({ code: 0 });
  expect(await run('groups remove-role base ADMIN')).toMatchObject({ code: 0 });
});

test('what exists already is not asked for', async () => {
  expect(await run('groups users add base bob --yes')).toMatchObject({ code: 0 });
  expect(await run('groups add-role base ADMIN --yes')).toMatchObject({ code: 0 });
  expect(await run('groups users add base bob')).toMatchObject({ code: 0, err: expect.stringContaining('nothing to') });
  const { code, err } = await run('groups users add base alice bob');
  expect([code, err]).toEqual([10, expect.stringContaining('User USER_ID (alice) would gain ADMIN through base.')]);
  const existing = { code: 0, err: expect.stringContaining('Already exists; nothing was changed.') };
  expect(await run('groups create --group-name base --role ADMIN --if-not-exists')).toMatchObject(existing);
  expect(await run('groups create --group-name newest --role ADMIN --if-not-exists')).toMatchObject({ code: 10 });
  const moved = 'users create --without-code --user-name alice --business-id globex --if-not-exists';
  expect(await run(moved)).toMatchObject(existing);
  expect(await run('groups users remove base bob')).toMatchObject({ code: 0 });
  expect(await run('groups remove-role base ADMIN')).toMatchObject({ code: 0 });
});

test('a terminal has one question, whose default is no; the dialog of an update has it in its own', async () => {
  const before = await readTables();
  const ask = async (line: string, ...replies: readonly unknown[]) => {
    const { prompter, questions } = createScriptedPrompter(...replies);
    const { code, err } = await runner.run(line, 'administrator', { columns: 200, prompter });
    return { code, err, asked: questions.at(-1) };
  };
  const question = { type: 'confirm', message: expect.stringContaining('would gain ADMIN.'), default: false };
  expect(await ask('groups update ops --role ADMIN', false)).toMatchObject({ code: 1, asked: question });
  expect(await ask('groups add-role ops ADMIN', false)).toMatchObject({ code: 1, asked: question });
  const missing = await ask('groups users add heads missing-one');
  expect(missing).toMatchObject({ code: 3, err: expect.stringContaining('missing-one: User not found.') });
  expect(await readTables()).toEqual(before);
  expect(await ask('groups update base', ['roles'], 'ADMIN', '', true)).toMatchObject({
    ...{ code: 0, asked: { message: 'Change base?' } },
    err: expect.stringContaining('  The members of base (0) and of groups that depend on it would gain ADMIN.\n'),
  });
  expect(await run('groups remove-role base ADMIN')).toMatchObject({ code: 0 });
});

describe('the roles of a group or a business', () => {
  const users = [{ userId: 'u1', userName: 'alice', password }];
  const groups = [{ groupName: 'heads', dependencies: [{ groupName: 'iam-auditors' }] }];
  const businesses = [{ businessId: 'acme', businessName: 'acme' }];
  const ops = { groupName: 'ops', roles: ['VIEW'], businesses: ['acme'] };
  const seed = { users, businesses, groups: [...groups, ops] };
  const administrator = { IAM_CLIENT_ID: adminClient.clientId, IAM_CLIENT_SECRET: adminClient.clientSecret };

  test('are read from all groups where there is no control plane', async () => {
    await using server = await startServer({ seed, flags: { 'disable-control-plane': true } });
    const add = (group: string) =>
      iam(['groups', 'users', 'add', group, 'u1'], { url: server.url, variables: administrator });
    const text = 'User u1 would gain IAM_ADMIN_READ_ONLY through heads. Continue?';
    expect(await add('heads')).toMatchObject({ code: 10, err: expect.stringContaining(text) });
    expect(await add('ops')).toMatchObject({ code: 0 });
    const assign = () =>
      iam(['users', 'update', 'u1', '--business-id', 'acme'], { url: server.url, variables: administrator });
    await server.admin.businessAccesses.addBusiness({ params: { groupId: 'heads' }, body: [{ businessId: 'acme' }] });
    const gain = 'User u1 would gain IAM_ADMIN_READ_ONLY through business acme. Continue?';
    expect(await assign()).toMatchObject({ code: 10, err: expect.stringContaining(gain) });
  });

  test('are found among many, which are read as one list', async () => {
    await using server = await startServer({ seed });
    const many = [...Array.from({ length: 25 }, (_, at) => `g${at}`), 'heads'];
    const words = ['groups', 'create', '--group-name', 'new', '--dependency', many.join(',')];
    expect(await iam(words, { url: server.url, variables: administrator })).toMatchObject({
      code: 10,
      err: expect.stringContaining('The members of new would gain IAM_ADMIN_READ_ONLY through heads.'),
    });
  });

  test('that the caller may not read are not asked for: the server refuses the write', async () => {
    await using server = await startServer({ seed, flags: { 'allow-remote': true } });
    const login = server.as({ basic: { clientId: 'alice', clientSecret: password } });
    const { accessToken } = await login.userIdentities.login({ query: { clientId: appClientId } });
    const run = (variables: Readonly<Record<string, string>>) =>
      iam(['groups', 'users', 'add', 'heads', 'u1'], { url: server.url, variables });
    expect(await run({ IAM_TOKEN: accessToken })).toMatchObject({ code: 5 });
    expect(await run({})).toMatchObject({ code: 4 });
    expect(await run(administrator)).toMatchObject({ code: 10 });
  });
});
