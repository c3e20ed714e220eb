/** Walks all operations that create something: each has a natural key, and `--if-not-exists` makes no second one. */
import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { assertHasNaturalKey, naturalKeyOf } from '../../../src/cli/create/natural-keys.ts';
import { canGrant } from '../../../src/cli/request/grants/role-grants.ts';
import { manifest } from '../../../src/contract/manifest.ts';
import { startFakeServer } from '../../client/fake-server.ts';
import { adminClient, appClientId, startServer, type TestServer } from '../../harness.ts';
import { Home, iam, type RunOptions } from '../run-cli.ts';

interface CreateCase {
  /** The body of the request. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Fields that differ from those of the existing one, and what is printed for it. */
  readonly other: Readonly<Record<string, unknown>>;
  readonly printed: string;
  readonly id: string;
  readonly as?: 'root';
}

const mobile = (at: number) => ({ regionCode: 49, areaCode: 170, phoneNumber: 1_700_000_000 + at });

const cases: Readonly<Record<string, CreateCase>> = {
  'groups create': {
    body: { groupName: 'ops', roles: ['ROLE_VIEW'], dependencies: [{ groupName: 'administrators' }] },
    other: { roles: ['VIEW', 'DEPLOY'], organizationId: 'org' },
    printed: '  ~ organizationId: (none) -> org\n  + role DEPLOY\n',
    id: 'groupId',
  },
  'corporate-groups create': {
    body: { corporateGroupName: 'holding', businesses: [{ businessId: 'acme' }] },
    other: { businesses: [] },
    printed: '  - business acme\n',
    id: 'corporateGroupId',
  },
  'users create': {
    body: { userName: 'bob', userEmail: 'bob@example.com', userMobile: mobile(1) },
    other: { businessId: 'acme', userEmail: 'bo@example.com', userMobile: mobile(2) },
    printed:
      '  ~ userEmail: bob@example.com -> bo@example.com\n  ~ businessId: (none) -> acme\n  ~ userMobile.phoneNumber: 1700000001 -> 1700000002\n',
    id: 'userId',
  },
  'customers create-business': {
    body: { businessName: 'Shop', document: '12345' },
    other: { businessName: 'Store' },
    printed: '  ~ businessName: Shop -> Store\n',
    id: 'customerId',
  },
  'customers create-user': {
    body: { userId: 'u-root', document: '777', name: 'Root' },
    other: { document: '778' },
    printed: '  ~ document: 777 -> 778\n',
    id: 'customerId',
  },
  'clients create': {
    body: { appId: 'billing', serviceAccountId: 'billing-service', scope: ['READ'] },
    other: { scope: ['READ', 'WRITE'] },
    printed: '  + scope WRITE\n',
    id: 'clientId',
  },
  'my-clients create': {
    body: { appId: 'reports', redirectURI: 'https://example.com/' },
    other: { redirectURI: 'https://example.com/callback' },
    printed: '  ~ redirectURI: https://example.com/ -> https://example.com/callback\n',
    id: 'clientId',
    as: 'root',
  },
  'api-key create': {
    body: { appId: 'billing', clientId: 'c1' },
    other: { apiKey: `${'k'.repeat(42)}E=` },
    printed: '',
    id: 'apiKeyId',
  },
};

/** Keys of clients without a service account, which the server does not keep unique. */
const moreCases: readonly (readonly [string, CreateCase])[] = [
  [
    'clients create',
    { ...requireCase('clients create'), body: { appId: 'web', userId: 'u-root' }, other: {}, printed: '' },
  ],
  ['clients create', { ...requireCase('clients create'), body: { appId: 'web' }, other: {}, printed: '' }],
];

function requireCase(command: string): CreateCase {
  const found = cases[command];
  if (!found) throw new Error(command);
  return found;
}

const creations = manifest.operations.filter(({ creates, command }) => creates !== undefined && command !== undefined);
const operationOf = (command: string) => creations.find((one) => one.command === command) as (typeof creations)[number];

test('every operation that creates something has a natural key and a case', () => {
  expect(creations.filter((operation) => !naturalKeyOf(operation)).map(({ id }) => id)).toEqual([]);
  expect(Object.keys(cases).sort()).toEqual(creations.map(({ command }) => command).sort());
});

const seed = {
  users: [{ userId: 'u-root', userName: 'root' }],
  groups: [{ groupName: 'administrators', roles: ['ADMIN'], users: ['u-root'] }],
  businesses: [{ businessId: 'acme', businessName: 'acme' }],
  clients: [{ clientId: 'c1', appId: 'one' }],
};

describe.each([...Object.entries(cases), ...moreCases])(
  '%s --if-not-exists',
  (command, { body, other, printed, id, as }) => {
    let server: TestServer;
    let home: Home;
    let variables: Record<string, string>;
    const operation = operationOf(command);
    const isOwnSecret = operation.response.secret && command !== 'users create';

    beforeAll(async () => {
      home = await Home.make();
      server = await startServer({ seed, recordsStatuses: false });
      const { accessToken } = await server.as({ basic: adminClient }).clientIdentities.login();
      variables = { IAM_BASE_URL: server.url, IAM_TOKEN: accessToken };
      if (as === undefined) return;
      const words = ['sessions', 'create', 'root', '--client-id', appClientId, '--level', 'AUTH-MFA', '--show-token'];
      const session = JSON.parse((await home.iam([...words, '-o', 'json'], { variables })).out) as Record<
        string,
        string
      >;
      variables = { IAM_BASE_URL: server.url, IAM_TOKEN: session.accessToken ?? '' };
    });

    afterAll(async () => {
      await server[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    });

    /** A group of the cases has an administrative role. */
    const confirmation = canGrant(operation) ? ['--yes'] : [];
    const run = (fields: object, more: readonly string[] = [], options: RunOptions = {}) =>
      home.iam([...command.split(' '), '--if-not-exists', '-f', '-', ...more], {
        variables,
        stdin: JSON.stringify(fields),
        ...options,
      });
    const bulk = async (rows: readonly object[], ...more: string[]) => {
      const file = home.file(`${crypto.randomUUID()}.jsonl`);
      await writeFile(file, rows.map((row) => JSON.stringify({ body: row })).join('\n'));
      const secrets = isOwnSecret ? ['--secret-output', `${file}.secrets`] : [];
      const words = ['bulk', 'run', file, '--operation', operation.id, '--if-not-exists', ...secrets, '--yes', ...more];
      const { code, out, err } = await home.iam([...words, '-o', 'jsonl'], { variables });
      const reports = out.split('\n').filter(Boolean);
      return { code, err, rows: reports.map((row) => JSON.parse(row) as Record<string, unknown>) };
    };

    test('creates it once, also with several rows at once, and prints the id of the existing one', async () => {
      const first = await bulk([body, body, body]);
      expect(first).toMatchObject({ code: 0, rows: [{ state: 'ok' }, { state: 'ok' }, { state: 'ok' }] });
      const before = await server.dump();
      const again = await run(body, ['-o', 'json', ...confirmation]);
      expect(again).toMatchObject({ code: 0, err: expect.stringContaining('Already exists; nothing was changed.\n') });
      expect(again.err).not.toContain('From the existing one');
      const found = JSON.parse(again.out) as Record<string, unknown>;
      expect(found).toMatchObject({ [id]: expect.anything(), created: false });
      const differing = await run({ ...body, ...other }, ['-o', 'json', ...confirmation]);
      expect([differing.code, JSON.parse(differing.out)]).toEqual([0, found]);
      if (printed !== '') expect(differing.err).toContain(`From the existing one to the request:\n${printed}`);
      expect(await bulk([{ ...body, ...other }])).toMatchObject({
        code: 0,
        rows: [{ state: 'ok', message: expect.stringContaining('Already exists; nothing was changed.') }],
      });
      expect(await server.dump()).toEqual(before);
    });
  },
);

describe('several of one key', () => {
  const body = { appId: 'billing', clientId: 'c1' };

  test('are a conflict with their ids, and a rotated key is one', async () => {
    await using server = await startServer({ seed });
    const variables = {
      IAM_BASE_URL: server.url,
      IAM_CLIENT_ID: adminClient.clientId,
      IAM_CLIENT_SECRET: adminClient.clientSecret,
    };
    const run = (words: string) => iam(words.split(' '), { variables });
    const create = 'api-key create --app-id billing --client-id c1';
    const first = (await server.admin.apiKey.create({ body })).apiKeyId;
    expect(await run(`api-key rotate ${first} --overlap 1h --yes`)).toMatchObject({ code: 0 });
    const found = await run(`${create} --if-not-exists -o json`);
    expect([found.code, JSON.parse(found.out)]).toEqual([0, { apiKeyId: first, created: false }]);
    expect(found.err).toContain(`\`iam api-key rotate ${first}\``);
    const second = (await server.admin.apiKey.create({ body })).apiKeyId;
    const before = await server.dump();
    const outcome = await run(`${create} --if-not-exists -o json`);
    expect(outcome).toMatchObject({ code: 6, out: '' });
    expect(JSON.parse(outcome.err).error).toMatchObject({ code: 'SEVERAL_EXIST', details: { ids: [first, second] } });
    expect(await server.dump()).toEqual(before);
    expect(await run(`api-key delete ${first} --yes`)).toMatchObject({ code: 0 });
    expect(JSON.parse((await run(`${create} --if-not-exists -o json`)).out)).toMatchObject({ apiKeyId: second });
  });
});

test('no other command has --if-not-exists, and bulk refuses it for every other operation; nothing is sent', async () => {
  // A test of generated documents compares the list with the commands.
  const listed = [
    ...(await readFile('docs/reference/public-api.md', 'utf8')).matchAll(/^iam ([a-z -]+?) [[<].*--if-not-exists/gm),
  ];
  const commands = [...Object.keys(cases), 'bulk run', 'bulk retry'];
  expect(listed.map(([, command]) => command).sort()).toEqual(commands.sort());
  for (const operation of manifest.operations.filter((one) => !naturalKeyOf(one)))
    expect(() => assertHasNaturalKey(operation), operation.id).toThrow('cannot be used with');
  await using server = await startFakeServer(() => ({ json: {} }));
  await using home = await Home.make();
  const run = async (...words: string[]) => (await home.iam([...words, '--if-not-exists'], { url: server.url })).code;
  expect(await run('sandbox', 'create', 'a')).toBe(2);
  const file = home.file('rows.csv');
  await writeFile(file, 'groupId\nops\n');
  expect(await run('bulk', 'run', file, '--operation', 'groups.remove', '--yes')).toBe(2);
  const rows = [{ operation: 'groups.create', body: { groupName: 'ops' } }, { operation: 'groups.list' }];
  await writeFile(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  expect(await run('bulk', 'run', file)).toBe(2);
  expect(server.received).toEqual([]);
});
