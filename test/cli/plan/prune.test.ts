import { describe, expect } from 'vitest';
import { dumpDirectory, type PlanFixture, startPlanFixture, test } from './plan-fixture.ts';
import { everything } from './sample-documents.ts';

const applyWords = (file: string, ...more: string[]) => ['apply', '-f', file, '--yes', ...more];

async function applyEverything(fixture: PlanFixture): Promise<string> {
  const file = await fixture.write('iam.yaml', everything);
  expect((await fixture.iam(applyWords(file))).code).toBe(0);
  return fixture.write('less.yaml', 'set: base\ngroups:\n  - groupName: ops\n');
}

describe('--prune', () => {
  test('deletes only resources created by an earlier apply of the set, dependents first', async ({ fixture }) => {
    const before = await dumpDirectory(fixture.server);
    await fixture.server.admin.groups.create({ body: { groupName: 'theirs', roles: ['DEPLOY'] } });
    const theirs = await dumpDirectory(fixture.server);
    await applyEverything(fixture);
    const empty = await fixture.write('empty.yaml', 'set: base\n');
    const outcome = await fixture.iam(applyWords(empty, '--prune', '--confirm', 'base'));
    expect([outcome.code, outcome.err]).toEqual([0, expect.stringContaining('5 deleted')]);
    const after = await dumpDirectory(fixture.server);
    expect(after.groups).toEqual(theirs.groups);
    for (const kind of ['memberships', 'clients', 'apiKeys', 'corporateGroups'])
      expect(after[kind]).toEqual(before[kind]);
    expect((await fixture.iam(['plan', '-f', empty, '--prune'])).out).toContain('No changes');
  });

  test('is off by default: orphans are reported and not deleted', async ({ fixture }) => {
    const less = await applyEverything(fixture);
    const before = await dumpDirectory(fixture.server);
    const outcome = await fixture.iam(applyWords(less));
    expect(outcome.code).toBe(0);
    expect(outcome.out).toContain('corporate group holding');
    expect(outcome.out).toContain('Delete them with --prune');
    expect(await dumpDirectory(fixture.server)).toEqual(before);
  });

  test('needs the set name as confirmation; --yes or another name is not enough', async ({ fixture }) => {
    const less = await applyEverything(fixture);
    const before = await dumpDirectory(fixture.server);
    expect((await fixture.iam(applyWords(less, '--prune'))).code).toBe(10);
    expect((await fixture.iam(applyWords(less, '--prune', '--confirm', 'other'))).code).toBe(2);
    expect(await dumpDirectory(fixture.server)).toEqual(before);
    expect((await fixture.iam(applyWords(less, '--prune', '--confirm', 'base'))).code).toBe(0);
  });

  test('accepts the name if nothing is removed', async ({ fixture }) => {
    const fewer = await fixture.write('only.yaml', 'groups:\n  - groupName: apart\n');
    expect((await fixture.iam(['apply', '-f', fewer, '--set', 'apart', '--prune', '--confirm', 'other'])).code).toBe(2);
    expect((await fixture.iam(['apply', '-f', fewer, '--set', 'apart', '--prune', '--confirm', 'apart'])).code).toBe(0);
  });

  test('does not delete resources of another set or server, or resources recreated under the same name', async ({
    fixture,
  }) => {
    await applyEverything(fixture);
    const { admin } = fixture.server;
    await admin.groups.remove({ params: { groupId: 'leads' } });
    await admin.groups.create({ body: { groupName: 'leads', roles: ['THEIRS'] } });
    const other = await fixture.write('other.yaml', 'set: other\n');
    expect((await fixture.iam(applyWords(other, '--prune'))).out).toContain('No changes');
    const empty = await fixture.write('empty.yaml', 'set: base\n');
    const elsewhere = fixture.server.url.replace('127.0.0.1', 'localhost');
    expect((await fixture.iam(applyWords(empty, '--prune'), { url: elsewhere })).out).toContain('No changes');
    expect((await fixture.iam(applyWords(empty, '--prune', '--confirm', 'base'))).code).toBe(0);
    expect(await admin.groups.get({ params: { groupId: 'leads' } })).toMatchObject({ roles: ['THEIRS'] });
  });

  test('is rejected if other groups depend on a deleted group, and nothing is written', async ({ fixture }) => {
    await applyEverything(fixture);
    const { admin } = fixture.server;
    await admin.groups.create({ body: { groupName: 'theirs', dependencies: [{ groupName: 'ops' }] } });
    const before = await dumpDirectory(fixture.server);
    const empty = await fixture.write('empty.yaml', 'set: base\n');
    const outcome = await fixture.iam(applyWords(empty, '--prune', '--confirm', 'base'));
    expect([outcome.code, outcome.err]).toEqual([2, expect.stringContaining('theirs depends on it')]);
    expect(await dumpDirectory(fixture.server)).toEqual(before);
  });

  test('is rejected for a client that the documents still reference, and nothing is written', async ({ fixture }) => {
    await applyEverything(fixture);
    const before = await dumpDirectory(fixture.server);
    const file = await fixture.write('iam.yaml', everything.replace(/clients:\n.*\n/, ''));
    const outcome = await fixture.iam(applyWords(file, '--prune', '--confirm', 'base'));
    expect(outcome.code).toBe(2);
    expect(outcome.err.match(/would be pruned/g)).toHaveLength(2);
    expect(await dumpDirectory(fixture.server)).toEqual(before);
  });

  test('reports the roles that a service of a deleted client loses', async ({ fixture }) => {
    await applyEverything(fixture);
    const { admin } = fixture.server;
    await admin.groups.create({ body: { groupName: 'theirs', roles: ['THEIRS'] } });
    await admin.serviceAccesses.addService({ params: { groupId: 'theirs' }, body: [{ serviceId: 'billing' }] });
    const empty = await fixture.write('empty.yaml', 'set: base\n');
    const { out } = await fixture.iam(['plan', '-f', empty, '--prune', '-o', 'json']);
    expect((JSON.parse(out) as { roles: unknown[] }).roles).toContainEqual({
      kind: 'service',
      id: 'billing',
      gains: [],
      loses: ['DEPLOY', 'THEIRS'],
    });
  });

  test('requires a set', async ({ fixture }) => {
    const file = await fixture.write('iam.yaml', 'groups: []\n');
    expect(await fixture.iam(applyWords(file, '--prune'))).toMatchObject({
      code: 2,
      err: expect.stringContaining('requires a set'),
    });
  });
});

describe('--prune of memberships', () => {
  const listing = 'set: base\ngroups:\n  - groupName: ops\n    users: [u1, u2]\n    services: []\n';
  const unlisted = 'set: base\ngroups:\n  - groupName: ops\n';
  const pruneWords = (file: string) => applyWords(file, '--prune', '--confirm', 'base');
  const listUsers = async ({ server }: PlanFixture) =>
    (await server.admin.userAccesses.listUsers({ params: { groupName: 'ops' } })).items.map(({ userId }) => userId);

  /** A group outside the set, with members u1 and u2 from the set and u3 from another writer. */
  async function addMembers(fixture: PlanFixture): Promise<void> {
    const { admin } = fixture.server;
    await admin.groups.create({ body: { groupName: 'ops', roles: ['DEPLOY'] } });
    expect((await fixture.iam(applyWords(await fixture.write('listing.yaml', listing)))).code).toBe(0);
    await admin.userAccesses.addUser({ params: { groupName: 'ops' }, body: [{ userId: 'u3' }] });
  }

  test.each([
    ['the group without its users', unlisted],
    ['not even the group', 'set: base\n'],
  ])('removes memberships of the set and keeps others if the documents name %s', async (_what, text) => {
    await using fixture = await startPlanFixture();
    await addMembers(fixture);
    const file = await fixture.write('less.yaml', text);
    expect((await fixture.iam(pruneWords(file))).err).toContain('- ops: user u1');
    expect(await listUsers(fixture)).toEqual(['u3']);
    expect((await fixture.server.admin.groups.get({ params: { groupId: 'ops' } })).roles).toEqual(['DEPLOY']);
    expect((await fixture.iam(['plan', '-f', file, '--prune'])).out).toContain('No changes');
  });

  test('needs the set name as confirmation, and is only reported without --prune', async ({ fixture }) => {
    await addMembers(fixture);
    const file = await fixture.write('less.yaml', unlisted);
    expect((await fixture.iam(applyWords(file))).out).toContain('member of ops: user u1, member of ops: user u2');
    const outcome = await fixture.iam(applyWords(file, '--prune'));
    expect([outcome.code, outcome.err]).toEqual([
      10,
      expect.stringContaining('This permanently removes 2 memberships.'),
    ]);
    expect(await listUsers(fixture)).toEqual(['u1', 'u2', 'u3']);
  });

  test('reports lost roles', async ({ fixture }) => {
    await addMembers(fixture);
    const file = await fixture.write('less.yaml', unlisted);
    const { out } = await fixture.iam(['plan', '-f', file, '--prune', '-o', 'json']);
    expect((JSON.parse(out) as { roles: unknown[] }).roles).toEqual(
      ['u1', 'u2'].map((id) => ({ kind: 'user', id, gains: [], loses: ['DEPLOY'] })),
    );
  });

  test('keeps memberships that existed before, belong to another set or were withdrawn', async ({ fixture }) => {
    const { admin } = fixture.server;
    await admin.groups.create({ body: { groupName: 'ops' } });
    await admin.userAccesses.addUser({ params: { groupName: 'ops' }, body: [{ userId: 'u1' }] });
    await fixture.iam(applyWords(await fixture.write('listing.yaml', listing)));
    await fixture.iam(applyWords(await fixture.write('fewer.yaml', listing.replace(', u2', ''))));
    await admin.userAccesses.addUser({ params: { groupName: 'ops' }, body: [{ userId: 'u2' }] });
    const other = 'set: other\ngroups:\n  - groupName: ops\n    users: [u1, u2, u3]\n';
    await fixture.iam(applyWords(await fixture.write('other.yaml', other)));
    expect((await fixture.iam(pruneWords(await fixture.write('less.yaml', unlisted)))).out).toContain('No changes');
    expect(await listUsers(fixture)).toEqual(['u1', 'u2', 'u3']);
  });

  test('removes business users', async ({ fixture }) => {
    const text = `${unlisted}    businessUsers: [{ businessId: b1, userId: u1 }]\n`;
    expect((await fixture.iam(applyWords(await fixture.write('iam.yaml', text)))).code).toBe(0);
    expect((await fixture.iam(pruneWords(await fixture.write('less.yaml', unlisted)))).code).toBe(0);
    const params = { groupName: 'ops', businessId: 'b1' };
    expect((await fixture.server.admin.userAccesses.listBusinessUsers({ params })).items).toEqual([]);
  });
});
