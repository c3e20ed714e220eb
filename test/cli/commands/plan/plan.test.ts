import { stat } from 'node:fs/promises';
import { describe, expect } from 'vitest';
import { dumpDirectory, startPlanFixture, test } from '../../plan/plan-fixture.ts';
import { everything } from '../../plan/sample-documents.ts';

describe('plan', () => {
  test('prints changes, gained roles and totals; and writes nothing', async ({ fixture }) => {
    const before = await dumpDirectory(fixture.server);
    const file = await fixture.write('iam.yaml', everything);
    const { code, out, err } = await fixture.iam(['plan', '-f', file], { columns: 80, variables: { NO_COLOR: '1' } });
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('+ group ops\n    organizationId  acme\n    roles           + DEPLOY\n');
    expect(out).toContain('    user u1 (anna)   + APPROVE  + DEPLOY  + LEAD\n');
    expect(out).toContain('    business b9      + DEPLOY\n');
    expect(out.trimEnd().split('\n').slice(-2).join(' ')).toBe(
      'Plan: 7 to create, none to change, none to delete; 5 gain roles, none lose roles.',
    );
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(81);
    expect(await dumpDirectory(fixture.server)).toEqual(before);
  });

  test('names who would gain administrative roles, in every format and in the question', async () => {
    const users = Array.from({ length: 30 }, (_, at) => ({ userId: `many-${at + 10}`, userName: `many${at}` }));
    await using fixture = await startPlanFixture({ users: [...users, { userId: 'z', userName: 'zoe' }] });
    const ids = users.map(({ userId }) => userId).join(', ');
    const file = await fixture.write(
      'iam.yaml',
      `groups:\n  - {groupName: many, roles: [DEPLOY_WITHOUT_ANY_APPROVAL], users: [${ids}]}\n  - {groupName: boss, roles: [ADMIN], users: [z]}\n`,
    );
    const warning = 'user z (zoe) would gain administrative roles.';
    const { out } = await fixture.iam(['plan', '-f', file]);
    expect(out).toContain(`! ${warning}`);
    expect(out).not.toContain('user z (zoe)  ');
    const wrapped = await fixture.iam(['plan', '-f', file, '--color', 'never'], { columns: 40 });
    expect(wrapped.out.split('\n').filter((line) => line.length > 40)).toEqual([]);
    expect(wrapped.out).toContain('user many-10 (many0)\n        + DEPLOY_WITHOUT_ANY_APPROVAL\n');
    expect(wrapped.out).toContain('! user z (zoe) would gain administrative\n  roles.\n');
    expect(JSON.parse((await fixture.iam(['plan', '-f', file, '-o', 'json'])).out)).toMatchObject({
      warnings: [warning],
    });
    expect((await fixture.iam(['plan', '-f', file, '-o', 'csv'])).err).toContain(warning);
    const applied = await fixture.iam(['apply', '-f', file]);
    expect(applied).toMatchObject({
      code: 10,
      err: expect.stringContaining('Apply 2 changes, with administrative roles for 1?'),
    });
    const saved = await fixture.write('plan.json', '');
    await fixture.iam(['plan', '-f', file, '--out', saved]);
    const reviewed = await fixture.iam(['apply', saved]);
    expect(reviewed).toMatchObject({ code: 0, out: expect.stringContaining(`! ${warning}`) });
  });

  test('of many groups reads their members in pages, and sees the same', async () => {
    const groups = Array.from({ length: 60 }, (_, at) => ({ groupName: `many-${at}`, users: ['u1'] }));
    const seeded = { ...groups[7], groupName: 'many-7', users: ['u1', 'u2'] };
    await using fixture = await startPlanFixture({ groups: groups.with(7, seeded) });
    const file = await fixture.write('iam.json', JSON.stringify({ groups }));
    const { out, err } = await fixture.iam(['plan', '-f', file, '--verbose']);
    expect(out).toContain('~ group many-7\n    users  - u2 (bert)\n');
    expect(out).toContain('none to create, 1 to change, none to delete');
    expect(err).toContain('GET /_iam/memberships?');
    expect(err).not.toContain('/_iam/groups/');
  });

  test('colors changes with --color before or after the command', async ({ fixture }) => {
    const file = await fixture.write('iam.yaml', 'groups:\n  - {groupName: ops}\n');
    const plan = ['plan', '-f', file];
    const colored = '\u001b[32m+ group ops\u001b[39m';
    expect((await fixture.iam([...plan, '--color', 'always'])).out).toContain(colored);
    expect((await fixture.iam(['--color', 'always', ...plan])).out).toContain(colored);
    expect((await fixture.iam(plan)).out).toContain('+ group ops\n');
  });

  test('prints removals and lost roles, except roles that remain through another group', async ({ fixture }) => {
    await fixture.iam(['apply', '-f', await fixture.write('iam.yaml', everything), '--yes']);
    const file = await fixture.write(
      'next.yaml',
      'groups:\n  - {groupName: ops, users: [], organizationId: globex, roles: [DEPLOY, X]}\n',
    );
    const plan = JSON.parse((await fixture.iam(['plan', '-f', file, '-o', 'json'])).out) as {
      roles: unknown;
      changes: unknown;
    };
    expect(plan.changes).toMatchObject([
      {
        action: 'update',
        fields: [
          { field: 'organizationId', before: 'acme', after: 'globex' },
          { field: 'roles', added: ['X'], removed: [] },
          { field: 'users', added: [], removed: ['u2', 'u3'] },
        ],
      },
    ]);
    expect(plan.roles).toEqual([
      { kind: 'user', id: 'u1', name: 'anna', gains: ['X'], loses: [] },
      { kind: 'user', id: 'u2', name: 'bert', gains: [], loses: ['DEPLOY'] },
      { kind: 'user', id: 'u3', name: 'cleo', gains: [], loses: ['DEPLOY'] },
      { kind: 'business', id: 'b9', name: 'Nine', gains: ['X'], loses: [] },
      { kind: 'service', id: 'billing', gains: ['X'], loses: [] },
    ]);
  });

  test('a user who keeps a role through the business does not lose it', async ({ fixture }) => {
    const groups =
      'groups:\n  - {groupName: a, roles: [R], users: [u1, u2]}\n  - {groupName: b, roles: [R], businesses: [b1]}\n';
    await fixture.iam(['apply', '-f', await fixture.write('a.yaml', groups), '--yes']);
    const file = await fixture.write('b.yaml', 'groups:\n  - {groupName: a, users: []}\n');
    const plan = JSON.parse((await fixture.iam(['plan', '-f', file, '-o', 'json'])).out) as { roles: unknown };
    expect(plan.roles).toEqual([{ kind: 'user', id: 'u2', name: 'bert', gains: [], loses: ['R'] }]);
  });

  test('returns the exit code for changes only with --detailed-exitcode', async ({ fixture }) => {
    const file = await fixture.write('iam.yaml', everything);
    const words = ['plan', '-f', file, '--detailed-exitcode'];
    expect((await fixture.iam(words)).code).toBe(9);
    await fixture.iam(['apply', '-f', file, '--yes']);
    expect((await fixture.iam(words)).code).toBe(0);
  });

  test('reads several documents, folders and standard input as one', async ({ fixture }) => {
    const one = await fixture.write('one.yaml', 'groups:\n  - groupName: a\n---\ngroups:\n  - groupName: b\n');
    const two = await fixture.write(
      'two.json',
      '{\n\t"groups": [{"groupName": "c", "dependencies": [{"groupName": "a"}]}]\n}',
    );
    const names = async (words: string[], stdin = '') =>
      (await fixture.iam(['plan', '-o', 'name', '-q', ...words], { stdin })).out.trim().split('\n').length;
    expect(await names(['-f', one, two])).toBe(3);
    expect(await names(['-f', fixture.home.folder])).toBe(3);
    expect(await names(['-f', '-', '-f', one], 'groups: [{groupName: d}]')).toBe(3);
  });

  test.each([
    [['plan'], '-f is required'],
    [['plan', '-f', '/nonexistent.yaml'], 'Cannot read'],
    [['plan', '-f', '-', '-f', '-'], 'only once'],
    [['apply', 'no-plan.json'], 'Cannot read no-plan.json: file not found'],
    [['apply', 'package.json'], 'is not a saved plan'],
    [['export', '--kind', 'users'], 'Use one of'],
    [['export', '-o', 'csv'], 'YAML or JSON'],
  ])('%j is a usage error', async (words, message) => {
    await using fixture = await startPlanFixture();
    expect(await fixture.iam(words)).toMatchObject({ code: 2, out: '', err: expect.stringContaining(message) });
  });
});

describe('a plan in a file', () => {
  test.each(['--out', '-o'])('with %s is applied unchanged, contains no secret and is private', async (option) => {
    await using fixture = await startPlanFixture();
    const file = await fixture.write('iam.yaml', everything);
    const planFile = fixture.home.file('plan.json');
    expect((await fixture.iam(['plan', '-f', file, option, planFile])).code).toBe(0);
    expect((await stat(planFile)).mode & 0o777).toBe(0o600);
    expect(await fixture.read('plan.json')).not.toContain('secret-of');
    await fixture.write('iam.yaml', 'groups: []\n');
    expect((await fixture.iam(['apply', planFile])).code).toBe(0);
    expect((await fixture.iam(['diff', '-f', await fixture.write('iam.yaml', everything)])).code).toBe(0);
  });

  test('-o is still the output format', async ({ fixture }) => {
    const file = await fixture.write('iam.yaml', everything);
    expect(JSON.parse((await fixture.iam(['plan', '-f', file, '-o', 'json'])).out)).toHaveProperty('summary');
    expect(await fixture.iam(['plan', '-f', file, '-o', 'jason'])).toMatchObject({ code: 2 });
    const both = ['plan', '-f', file, '-o', fixture.home.file('p.json'), '-o', 'json'];
    expect(JSON.parse((await fixture.iam(both)).out)).toHaveProperty('summary');
  });

  test('is rejected if its basis has changed, and nothing is written', async ({ fixture }) => {
    const { admin } = fixture.server;
    await admin.groups.create({ body: { groupName: 'ops', roles: ['A'] } });
    const file = await fixture.write('iam.yaml', 'groups:\n  - {groupName: ops, roles: [B], users: [u1]}\n');
    const planFile = fixture.home.file('plan.json');
    await fixture.iam(['plan', '-f', file, '--out', planFile]);
    await admin.groups.create({ body: { groupName: 'unrelated', roles: ['Z'] } });
    await admin.userAccesses.addUser({ params: { groupName: 'ops' }, body: [{ userId: 'u2' }] });
    const before = await dumpDirectory(fixture.server);
    expect(await fixture.iam(['apply', planFile, '--yes'])).toMatchObject({
      code: 6,
      err: expect.stringContaining('stale'),
    });
    expect(await dumpDirectory(fixture.server)).toEqual(before);
    await admin.userAccesses.removeUser({ params: { groupName: 'ops', userId: 'u2' } });
    expect((await fixture.iam(['apply', planFile, '--yes'])).code).toBe(0);
  });

  test('names what changed since, for people and for programs', async ({ fixture }) => {
    const { admin } = fixture.server;
    await admin.groups.create({ body: { groupName: 'ops', roles: ['A'] } });
    const { groupId } = await admin.groups.create({ body: { groupName: 'gone', roles: ['G'] } });
    const text =
      'groups:\n  - {groupName: ops, organizationId: o1, users: [u1]}\n  - {groupName: gone, roles: [H]}\n  - {groupName: fresh, roles: [F]}\n';
    const planFile = fixture.home.file('plan.json');
    await fixture.iam(['plan', '-f', await fixture.write('iam.yaml', text), '--out', planFile]);
    await admin.groups.remove({ params: { groupId } });
    await admin.groups.create({ body: { groupName: 'fresh', roles: ['F'] } });
    await admin.userAccesses.addUser({ params: { groupName: 'ops' }, body: [{ userId: 'u2' }] });
    const listed = await admin.groups.list({ query: { limit: 1000 } });
    const ops = listed.items.find(({ groupName }) => groupName === 'ops');
    await admin.groups.update({
      params: { groupId: ops?.groupId ?? '' },
      body: { groupName: 'ops', roles: ['A', 'C'], organizationId: 'o2' },
    });
    const before = await dumpDirectory(fixture.server);
    const stale = await fixture.iam(['apply', planFile, '--yes']);
    expect(stale).toMatchObject({ code: 6, out: '' });
    for (const pattern of [
      /~ group ops\n/,
      /organizationId +\(none\) -> o2\n/,
      /roles +\+ C\n/,
      /users +\+ u2 \(bert\)\n/,
      /- group gone was deleted\n/,
      /\+ group fresh was created\n/,
      /now, but not then:\n +create group gone\n/,
      /then, but not now:\n +create group fresh\n/,
      /iam plan -f FILE --out \S*plan\.json/,
    ])
      expect(stale.err).toMatch(pattern);
    const { error } = JSON.parse((await fixture.iam(['apply', planFile, '--yes', '-o', 'json'])).err);
    expect(error).toMatchObject({ code: 'PLAN_STALE', details: { administrators: false } });
    expect(error.details.resources).toContainEqual({
      action: 'update',
      kind: 'group',
      name: 'ops',
      fields: expect.arrayContaining([
        { field: 'organizationId', after: 'o2' },
        { field: 'roles', added: ['C'], removed: [] },
        { field: 'users', added: ['u2'], removed: [] },
      ]),
    });
    expect(await dumpDirectory(fixture.server)).toEqual(before);
  });

  test('limits the lines of the report', async ({ fixture }) => {
    const names = Array.from({ length: 40 }, (_, at) => `g${at}`);
    const text = `groups:\n${names.map((name) => `  - {groupName: ${name}, roles: [R]}\n`).join('')}`;
    const planFile = fixture.home.file('plan.json');
    await fixture.iam(['plan', '-f', await fixture.write('iam.yaml', text), '--out', planFile]);
    for (const groupName of names) await fixture.server.admin.groups.create({ body: { groupName, roles: ['R'] } });
    const { code, err } = await fixture.iam(['apply', planFile, '--yes']);
    expect(code).toBe(6);
    expect(err).toMatch(/and \d+ more lines/);
    expect(err.split('\n').length).toBeLessThan(40);
  });

  test.each([
    ['an older format', (text: string) => text.replace('iam-plan/2', 'iam-plan/1'), 'iam-plan/1'],
    ['an edit', (text: string) => text.replace('"DEPLOY"', '"ROOT"'), 'changed after it was saved'],
  ])('with %s is refused, and nothing is written', async (_, edit, message) => {
    await using fixture = await startPlanFixture();
    const planFile = fixture.home.file('plan.json');
    await fixture.iam(['plan', '-f', await fixture.write('iam.yaml', everything), '--out', planFile]);
    await fixture.write('plan.json', edit(await fixture.read('plan.json')));
    const before = await dumpDirectory(fixture.server);
    expect(await fixture.iam(['apply', planFile, '--yes'])).toMatchObject({
      code: 2,
      err: expect.stringContaining(message),
    });
    expect(await dumpDirectory(fixture.server)).toEqual(before);
  });

  test('is valid only for its own server', async ({ fixture }) => {
    const planFile = fixture.home.file('plan.json');
    await fixture.iam(['plan', '-f', await fixture.write('iam.yaml', everything), '--out', planFile]);
    const url = fixture.server.url.replace('127.0.0.1', 'localhost');
    expect(await fixture.iam(['apply', planFile, '--yes'], { url })).toMatchObject({ code: 2 });
  });
});
