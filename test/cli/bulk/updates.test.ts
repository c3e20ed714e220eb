/** Rows that update: they change only the fields that they name, as the commands do. */
import { writeFile } from 'node:fs/promises';
import { beforeEach, describe, expect } from 'vitest';
import { adminClient, startServer, type TestServer } from '../../harness.ts';
import { Home, test } from '../run-cli.ts';

const variables = { IAM_CLIENT_ID: adminClient.clientId, IAM_CLIENT_SECRET: adminClient.clientSecret };

const seed = {
  businesses: [
    { businessId: 'b1', businessName: 'Acme' },
    { businessId: 'b2', businessName: 'Other' },
  ],
  clients: [{ clientId: 'c1', serviceAccountId: 'shop-service', appId: 'shop' }],
  groups: [
    { groupName: 'base', roles: ['BASE'] },
    { groupName: 'ops', organizationId: 'o1', roles: ['DEPLOY'], dependencies: [{ groupName: 'base' }] },
  ],
  corporateGroups: [{ corporateGroupId: 'cg', corporateGroupName: 'North', organizationId: 'o1', businesses: ['b1'] }],
  users: [{ userId: 'u1', userName: 'alice', userEmail: 'alice@example.com', emailVerified: true, lead: true }],
  apiKeys: [{ apiKeyId: 'k1', appId: 'shop', clientId: 'c1', keyHash: `sha256:${'0'.repeat(64)}`, hint: 'abcd' }],
};

describe('a row of', () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await startServer({ seed });
    return () => server[Symbol.asyncDispose]();
  });

  const bulk = async (home: Home, text: string, operation: string, name = 'rows.csv') => {
    await writeFile(home.file(name), text);
    const words = ['bulk', 'run', home.file(name), '--operation', operation, '-o', 'jsonl', '--yes'];
    return home.iam(words, { url: server.url, variables });
  };
  const get = async (home: Home, words: readonly string[]) =>
    JSON.parse((await home.iam([...words, '-o', 'json'], { url: server.url, variables })).out);

  test.each([
    [
      'groups update',
      'groupId,roles\nops,DEPLOY;VIEW\n',
      ['groups', 'get', 'ops'],
      { groupName: 'ops', organizationId: 'o1', roles: ['DEPLOY', 'VIEW'], dependencies: [{ groupName: 'base' }] },
    ],
    [
      'corporate-groups update',
      'corporateGroupId,corporateGroupName\nNorth,South\n',
      ['corporate-groups', 'get', 'South'],
      { corporateGroupName: 'South', organizationId: 'o1', businesses: [{ businessId: 'b1' }] },
    ],
    ['api-key update', 'apiKeyId,appId\nk1,other\n', ['api-key', 'get', 'k1'], { appId: 'other', clientId: 'c1' }],
    ['users update', 'userId,lead\nalice,false\n', ['users', 'get', 'u1'], { userName: 'alice', lead: false }],
  ])('%s leaves what it does not name', async (operation, text, read, expected) => {
    await using home = await Home.make();
    expect(await bulk(home, text, operation)).toMatchObject({ code: 0, err: '1 of 1 rows done.\n' });
    expect(await get(home, read)).toMatchObject(expected);
    const again = await bulk(home, text.replace('North,', 'South,'), operation, 'again.csv');
    expect(JSON.parse(again.out)).toMatchObject({ state: 'ok', message: 'nothing to change' });
  });

  test('JSON lines clears a field with null', async ({ home }) => {
    const row = { params: { groupId: 'ops' }, body: { organizationId: null } };
    expect((await bulk(home, `${JSON.stringify(row)}\n`, 'groups update')).code).toBe(0);
    const group = await get(home, ['groups', 'get', 'ops']);
    expect(group).not.toHaveProperty('organizationId');
    expect(group).toMatchObject({ roles: ['DEPLOY'] });
  });

  test('JSON lines clears no field that must have a value', async ({ home }) => {
    for (const [operation, params, body] of [
      ['users update', { id: 'alice' }, { lead: null }],
      ['groups update', { groupId: 'ops' }, { groupName: null }],
    ] as const) {
      const row = `${JSON.stringify({ params, body })}\n`;
      const { out } = await bulk(home, row, operation, `${operation}.jsonl`);
      const message = `${Object.keys(body)[0]} cannot be cleared.`;
      expect(JSON.parse(out)).toMatchObject({ state: 'failed', message });
    }
  });

  test('--dry-run shows the request with what the row does not name, and the differences', async ({ home }) => {
    const rows = [
      { params: { groupId: 'ops' }, body: { roles: ['VIEW'] } },
      { params: { groupId: 'ops' }, body: { organizationId: 'o1' } },
      { params: { groupId: 'nix' }, body: { roles: [] } },
    ];
    await writeFile(home.file('dry.jsonl'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    const words = ['bulk', 'run', home.file('dry.jsonl'), '--operation', 'groups update', '--dry-run', '-o', 'json'];
    const { code, out } = await home.iam(words, { url: server.url, variables });
    expect(code).toBe(0);
    const body = { groupName: 'ops', organizationId: 'o1', roles: ['VIEW'], dependencies: [{ groupName: 'base' }] };
    expect(JSON.parse(out)).toMatchObject([
      { method: 'PUT', body, message: '+ role VIEW, - role DEPLOY' },
      { line: 2, message: 'nothing to change' },
      { line: 3, message: 'nix: Group not found.' },
    ]);
    expect(await get(home, ['groups', 'get', 'ops'])).toMatchObject({ roles: ['DEPLOY'] });
  });

  test('a value of a wrong type is refused with its line, and the name of what is missing is shown', async ({
    home,
  }) => {
    const rows = [
      { params: { groupId: 'ops' }, body: { roles: 'e' } },
      { params: { groupId: 'nix' }, body: { roles: ['A'] } },
    ];
    const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
    const refused = await bulk(home, text, 'groups update', 'wrong.jsonl');
    expect(refused.code).toBe(2);
    expect(refused.err).toContain(String.raw`line 1: roles must be a list, not \"e\"; write [\"e\"]`);
    const { out } = await bulk(home, text.slice(text.indexOf('\n') + 1), 'groups update', 'missing.jsonl');
    expect(out).toContain('"message":"nix: Group not found."');
  });

  test.each([
    ['groups update', 'groupId,groupName\nops,leads\n', 'groups.update'],
    ['groups update', 'groupId,groupName\nname:ops,leads\n', 'groups.update'],
    ['users update', 'id,userName\nalice,alicia\n', 'user-identities.update'],
  ])('%s that renames counts as done if its lost response is all that is missing', async (operation, text, id) => {
    await using home = await Home.make();
    const fault = ['faults', 'add', '--operation', id, '--drop', 'after', '--times', '1', '-q'];
    await home.iam(fault, { url: server.url, variables });
    expect(JSON.parse((await bulk(home, text, operation)).out)).toMatchObject({ state: 'unknown' });
    expect(JSON.parse((await bulk(home, text, operation)).out)).toMatchObject({
      state: 'ok',
      message: 'applied before',
    });
    const again = await bulk(home, text.replace('\n', '\n\n'), operation, 'again.csv');
    expect(JSON.parse(again.out)).toMatchObject({
      state: 'failed',
      message: expect.stringContaining('renamed before'),
    });
  });

  test.each([
    ['groups.update', { groupId: 'ops', roles: null }],
    ['groups.update', { groupId: 'ops', roles: [] }],
    ['groups.update', { params: { groupId: 'ops' }, body: { dependencies: null } }],
    ['corporate-groups.update', { corporateGroupId: 'North', businesses: [] }],
  ])('a list that a row empties is asked for, as `update` does: %s %j', async (operation, row) => {
    await using home = await Home.make();
    const before = await server.dump();
    await writeFile(home.file('rows.jsonl'), JSON.stringify({ operation, ...row }));
    const refused = await home.iam(['bulk', 'run', home.file('rows.jsonl')], { url: server.url, variables });
    expect(refused).toMatchObject({ code: 10, err: expect.stringContaining('One row deletes something or replaces') });
    expect(await server.dump()).toEqual(before);
  });

  test('JSON lines has the names of CSV columns, or the parts of the request', async ({ home }) => {
    const userMobile = { regionCode: 55, areaCode: 11, phoneNumber: 912345678 };
    const created = { userName: 'bob', userEmail: 'bob@example.com', userMobile };
    const rows = [
      { operation: 'groups.update', groupId: 'ops', roles: ['VIEW', 'DEPLOY'], organizationId: null },
      { operation: 'groups.add-role', groupId: 'ops', roleName: 'PAGE' },
      { operation: 'user-accesses.add-user', groupName: 'ops', userId: ['alice'] },
      { operation: 'user-identities.create', ...created },
      { operation: 'groups.update', groupId: 'ops', body: { roles: [] } },
      { operation: 'groups.update', groupId: 'ops', roels: [] },
      { operation: 'groups.update', groupId: ['ops'] },
      { operation: 'user-identities.create', 'userMobile.areaCode': 12, ...created },
    ];
    await writeFile(home.file('flat.jsonl'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    const words = ['bulk', 'run', home.file('flat.jsonl'), '--concurrency', '1', '--yes'];
    expect((await home.iam(words, { url: server.url, variables })).err.split('\n').slice(1, 5)).toEqual([
      expect.stringContaining('line 5: unknown key "groupId"; use operation, params, query, body, ifMatch, or only'),
      expect.stringContaining('line 6: key roels: groups.update has no field "roels"; use groupId'),
      'line 7: key groupId: must be a string, number or boolean',
      'line 8: key userMobile: is the same field as key userMobile.areaCode',
    ]);
    expect((await home.iam([...words, '--skip-invalid'], { url: server.url, variables })).code).toBe(8);
    const group = await get(home, ['groups', 'get', 'ops']);
    expect(group).toMatchObject({ roles: ['VIEW', 'DEPLOY', 'PAGE'] });
    expect(group).not.toHaveProperty('organizationId');
    const users = (await get(home, ['users', 'list'])) as object[];
    expect(users).toContainEqual(expect.objectContaining({ userName: 'bob', userEmail: 'bob@example.com' }));
    expect(await get(home, ['groups', 'users', 'list', 'ops'])).toMatchObject([{ userId: 'u1' }]);
  });

  test('JSON lines with a field that is not one fails, and changes nothing', async ({ home }) => {
    for (const body of [{ roels: ['X'], organizationId: 'o7' }, { organisationId: 'o7' }]) {
      const row = `${JSON.stringify({ params: { groupId: 'ops' }, body })}\n`;
      const outcome = await bulk(home, row, 'groups update', `${Object.keys(body).length}.jsonl`);
      expect(JSON.parse(outcome.out)).toMatchObject({ state: 'failed', code: 'FIELD_UNKNOWN' });
    }
    expect(await get(home, ['groups', 'get', 'ops'])).toMatchObject({ organizationId: 'o1', roles: ['DEPLOY'] });
  });

  test('a file finds its own names: a row before it can have given them to another', async ({ home }) => {
    const rows = [
      { operation: 'corporate-groups.update', params: { corporateGroupId: 'North' }, body: { organizationId: 'o2' } },
      {
        operation: 'corporate-groups.update',
        params: { corporateGroupId: 'North' },
        body: { corporateGroupName: 'Old' },
      },
      { operation: 'corporate-groups.create', body: { corporateGroupName: 'North' } },
      { operation: 'corporate-groups.update', params: { corporateGroupId: 'North' }, body: { organizationId: 'o9' } },
    ];
    await writeFile(home.file('names.jsonl'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    const words = ['bulk', 'run', home.file('names.jsonl'), '--concurrency', '1'];
    expect((await home.iam(words, { url: server.url, variables })).code).toBe(0);
    expect(await get(home, ['corporate-groups', 'get', 'Old'])).toMatchObject({ organizationId: 'o2' });
    expect(await get(home, ['corporate-groups', 'get', 'North'])).toMatchObject({ organizationId: 'o9' });
  });

  test('an update with a stale ifMatch fails, and changes nothing', async ({ home }) => {
    const outcome = await bulk(home, 'groupId,roles,ifMatch\nops,VIEW,"""stale"""\n', 'groups update');
    expect(JSON.parse(outcome.out)).toMatchObject({ state: 'failed', code: 'CHANGED_MEANWHILE' });
    expect(await get(home, ['groups', 'get', 'ops'])).toMatchObject({ roles: ['DEPLOY'] });
  });

  test.each(['[{"groupName": "x"}]', '- groupName: x\n', '---\ngroupName: x\n', 'groupName: x\nroles: [A]\n'])(
    'an array or YAML is refused with what to do: %j',
    async (text) => {
      await using home = await Home.make();
      const err = expect.stringContaining('one object per line');
      expect(await bulk(home, text, 'groups create')).toMatchObject({ code: 2, err });
    },
  );

  test('a removal names what is no member as the row does', async ({ home }) => {
    const { out } = await bulk(home, '{"groupName":"ops","userId":"alice"}\n', 'groups users remove', 'r.jsonl');
    expect(JSON.parse(out)).toMatchObject({ message: 'ops, alice: Not a member of this group.' });
  });
});
