/** `iam explain` and `iam call OPERATION --help`, for every operation. */
import { writeFile } from 'node:fs/promises';
import { describe, expect } from 'vitest';
import { manifest } from '../../../src/contract/manifest.ts';
import type { Operation } from '../../../src/contract/operation.ts';
import { listOperationErrors } from '../../../src/contract/operation-errors.ts';
import { operations } from '../../../src/server/operations/index.ts';
import { errorResponse, startFakeServer } from '../../client/fake-server.ts';
import { iam, test } from '../run-cli.ts';

interface Field {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
}

interface Explanation {
  readonly kind: string;
  readonly operation: string;
  readonly fields: readonly Field[];
  readonly statuses: readonly { readonly status: number; readonly errors: readonly string[] }[];
  readonly examples: readonly string[];
  readonly exampleBody?: unknown;
}

const registry: Readonly<Record<string, Operation<never>>> = Object.fromEntries(
  Object.values(operations).map((operation) => [operation.id, operation as Operation<never>]),
);

async function explain<Data = Explanation>(name: string): Promise<Data> {
  const { code, out, err } = await iam(['explain', ...name.split(' '), '-o', 'json']);
  expect([code, err]).toEqual([0, '']);
  return JSON.parse(out) as Data;
}

/** The words of a command line whose quotes are single quotes around whole words. */
function splitLine(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

describe.each(manifest.operations.map((operation) => ({ id: operation.id, operation })))('$id', ({ id, operation }) => {
  test('is explained by its declaration', async () => {
    const { kind, operation: found, fields, statuses } = await explain(id);
    expect([kind, found]).toEqual(['operation', id]);
    const { params, query, headers = [], body } = operation;
    const declared = [
      ...params.map((field) => ({ ...field, in: 'path' })),
      ...query.map((field) => ({ ...field, in: 'query' })),
      ...headers.map((field) => ({ ...field, in: 'header' })),
    ];
    for (const { name, required, in: location } of declared)
      expect(fields).toContainEqual(expect.objectContaining({ name, required, in: location }));
    for (const name of Object.keys(body?.properties ?? {}))
      expect(fields).toContainEqual(
        expect.objectContaining({ name, in: 'body', required: body?.required?.includes(name) ?? false }),
      );
    const errors = listOperationErrors(registry[id] as Operation<never>);
    for (const [code, status] of errors)
      expect(statuses).toContainEqual({ status, errors: expect.arrayContaining([code]) });
    expect(statuses.map(({ status }) => status)).toEqual(expect.arrayContaining([...operation.statuses]));
  });

  test('has help in at most 80 columns that contains all of it', async () => {
    const { code, out, err } = await iam(['call', id, '--help'], { columns: 80 });
    expect([code, err]).toEqual([0, '']);
    const { fields, statuses } = await explain(id);
    const [text = ''] = out.split('\nExamples:\n');
    expect(out.split('\n').filter((line) => line.length > 80 && /\S+ \S+/.test(line.trim()))).toEqual([]);
    for (const { name } of fields) expect(text).toContain(`  ${name}`);
    for (const { status, errors } of statuses)
      for (const one of [String(status), ...errors]) expect(text).toContain(one);
    expect(text.replaceAll(/\s+/g, ' ')).toContain(operation.roles);
    expect(out).toContain(`\n  iam call ${id}`);
  });

  test('has an example that --dry-run accepts and the service would', async ({ home }) => {
    const { examples, exampleBody } = await explain(id);
    const body = registry[id]?.request.body;
    if (body && exampleBody !== undefined) expect(body.safeParse(exampleBody).error).toBeUndefined();
    await using server = await startFakeServer(() => ({ status: 500 }));
    await writeFile(home.file('body.json'), JSON.stringify(exampleBody ?? null));
    const [first = ''] = examples;
    const [, ...words] = splitLine(first).map((word) => (word === 'body.json' ? home.file('body.json') : word));
    const outcome = await home.iam([...words, '--dry-run', '-o', 'json'], server);
    expect(outcome).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(outcome.out)).toMatchObject({
      method: operation.method,
      url: expect.not.stringContaining('{'),
    });
    // The roles of a business can be read.
    expect(server.received.filter(({ method }) => method !== 'GET')).toEqual([]);
  });
});

describe('an explanation', () => {
  test('of a resource or an ambiguous command lists operations', async () => {
    const groups = await explain<{ operation: string; command: string }[]>('groups');
    expect(groups).toContainEqual(expect.objectContaining({ operation: 'groups.remove', command: 'groups delete' }));
    expect(groups).toContainEqual(expect.objectContaining({ operation: 'user-accesses.add-user' }));
    const ids = (await explain<{ operation: string }[]>('login')).map(({ operation }) => operation);
    expect(ids).toEqual(['client-identities.login', 'user-identities.login']);
  });

  test.each(['groups.create.roles', 'groups create roles', 'group.create.roles'])(
    'of %s is about the field of the operation',
    async (name) => {
      const { kind, occurrences } = await explain<{ kind: string; occurrences: object[] }>(name);
      expect(kind).toBe('field');
      expect(occurrences).toMatchObject([{ operation: 'groups.create', in: 'body', type: 'list of string' }]);
    },
  );

  test('of a field lists where it occurs, also by the name of its option', async () => {
    const { out } = await iam(['explain', 'groupName'], { columns: 80 });
    expect(out).toMatch(
      /Unique name of a group[\s\S]*\n {2}body: groupName, required {2}groups\.create, groups\.update\n/,
    );
    expect(out).toMatch(/ {2}path: groupName, required +user-accesses/);
    expect((await iam(['explain', 'group-name'], { columns: 80 })).out.replace('group-name', 'groupName')).toBe(out);
    const users = await explain<{ occurrences: { operation: string }[] }>('users.userName');
    expect(users.occurrences.map(({ operation }) => operation)).toContain('user-identities.create');
    expect(users.occurrences.map(({ operation }) => operation)).not.toContain('generate-token.create');
  });

  test('of an error code has status, hint, exit code and operations', async () => {
    expect(await explain('group_name_taken')).toMatchObject({
      ...{ kind: 'error', code: 'GROUP_NAME_TAKEN', status: 412, category: 'taken', exitCode: 6 },
      hint: expect.stringMatching(/\S/),
      operations: [
        { operation: 'groups.create', status: 412 },
        { operation: 'groups.update', status: 422 },
      ],
    });
    expect((await iam(['explain', 'INTERNAL'])).out).toContain('500  every operation');
    expect((await iam(['explain', 'SANDBOX_NOT_FOUND'])).out).toContain('No operation documents it');
  });

  test.each(manifest.errors.map(({ code }) => code))('of %s fits 80 columns', async (code) => {
    const { out } = await iam(['explain', code], { columns: 80 });
    expect(out).toContain(code);
    expect(out.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  test('of a role has the operations that require, accept and reject it', async () => {
    expect(await explain('ROLE_IAM_ADMIN_READ_ONLY')).toMatchObject({
      ...{ kind: 'role', role: 'IAM_ADMIN_READ_ONLY', grantedByGroups: true, requiredBy: [], rejectedBy: [] },
      acceptedBy: expect.arrayContaining(['groups.get', 'groups.list']),
    });
    expect(await explain('IAM_ADMIN_MAINTENANCE')).toMatchObject({
      requiredBy: expect.arrayContaining(['groups.create']),
    });
    expect(await explain('BUSINESS')).toMatchObject({
      rejectedBy: expect.arrayContaining(['service-accesses.add-service']),
    });
    expect((await iam(['explain', 'AUTH-MFA'])).out).toContain('No group can grant it');
  });

  test('of a role of many groups says how many more grant it', async () => {
    const json = Array.from({ length: 60 }, (_, at) => ({ groupName: `g${at}` }));
    await using server = await startFakeServer(() => ({ json }));
    const runOptions = { url: server.url, variables: { IAM_TOKEN: 'test-token' } };
    const { out } = await iam(['explain', 'DEPLOY'], runOptions);
    expect(out.replace(/\s+/g, ' ')).toContain('g48, g49, and 10 more ');
    const all = await iam(['explain', 'DEPLOY', '-o', 'json', '--query', 'length(groups)'], runOptions);
    expect(all.out).toBe('60\n');
  });

  test('of a role that only groups of the server name has these groups', async () => {
    await using server = await startFakeServer(() => ({ json: [{ groupName: 'ops' }, { groupName: 'leads' }] }));
    const variables = { IAM_TOKEN: 'test-token' };
    const { out, code } = await iam(['explain', 'ROLE_DEPLOY'], { url: server.url, variables });
    expect(server.received.map(({ path }) => path)).toEqual([expect.stringContaining('role=DEPLOY')]);
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/Role {2}DEPLOY\n[\s\S]*Groups that grant it directly:\n {2}ops, leads\n/),
    ]);
    await using upper = await startFakeServer(({ path }) => ({
      json: path.includes('role=DEPLOY') ? [{ groupName: 'ops' }] : [],
    }));
    const lower = await iam(['explain', 'deploy'], { url: upper.url, variables });
    expect([lower.code, lower.out]).toEqual([0, expect.stringContaining('Role  DEPLOY\n')]);
    await using other = await startFakeServer(() => errorResponse(403, 'ROLE_MISSING'));
    const { err } = await iam(['explain', 'DEPLOY'], { url: other.url, variables });
    expect(err).toContain('The groups of the server were not searched for a role with this name: ');
    expect(err).toContain('error: "DEPLOY" is no operation, field, error code or role.');
  });

  test('of an option is that of its field', async () => {
    expect((await iam(['explain', '--user-name'])).out).toBe((await iam(['explain', 'user-name'])).out);
    expect((await iam(['explain', '-lead'])).out).toBe((await iam(['explain', 'lead'])).out);
  });

  test.each([
    ['grop', 'Did you mean groups?'],
    ['ROLE_MISING', 'Did you mean ROLE_MISSING?'],
    ['users.userNam', 'Did you mean userName?'],
    ['lock', 'Did you mean users lock?'],
    ['groups.create.rolse', 'or groups.create.roles?'],
    ['bulk run', 'See `iam bulk run --help`.'],
    ['rotate', '`iam keys rotate`?'],
    ['xyzzyx', 'is no operation, field, error code or role.'],
  ])('of %s is rejected with the nearest names', async (name, message) => {
    const outcome = await iam(['explain', name]);
    expect(outcome).toMatchObject({ code: 2, out: '', err: expect.stringContaining(message) });
  });
});

describe('the help of call', () => {
  test('finds the operation by its command, before and after other options', async () => {
    const { out } = await iam(['call', 'users.create', '--help']);
    for (const words of [
      ['call', 'users', 'create', '-h'],
      ['call', '--help', 'users', 'create'],
      ['call', '-p', 'clientId=x', 'users.create', '--help'],
    ])
      expect(await iam(words)).toEqual({ code: 0, out, err: '' });
  });

  test('rejects an unknown operation', async () => {
    const outcome = await iam(['call', 'users.creat', '--help']);
    expect(outcome).toMatchObject({ code: 2, out: '', err: expect.stringContaining('Did you mean users create') });
  });

  test('is that of the command without an operation', async () => {
    expect((await iam(['call', '--help'])).out).toContain('Usage: iam call [options] <operation> [words...]');
  });
});
