import { describe, expect, test } from 'vitest';
import { everything } from './documents.ts';
import { startWorld, stateOf, type World } from './world.ts';

const words = (file: string, ...more: string[]) => ['apply', '-f', file, '--yes', ...more];

async function made(world: World): Promise<string> {
  const file = await world.write('iam.yaml', everything);
  expect((await world.iam(words(file))).code).toBe(0);
  return world.write('less.yaml', 'set: base\ngroups:\n  - groupName: ops\n');
}

describe('--prune', () => {
  test('removes what an earlier apply of the set made, what rests on others first, and nothing that others made', async () => {
    await using world = await startWorld();
    const before = await stateOf(world.server);
    await world.server.admin.groups.create({ body: { groupName: 'theirs', roles: ['DEPLOY'] } });
    const theirs = await stateOf(world.server);
    await made(world);
    const empty = await world.write('empty.yaml', 'set: base\n');
    const outcome = await world.iam(words(empty, '--prune', '--confirm', 'base'));
    expect([outcome.code, outcome.err]).toEqual([0, expect.stringContaining('5 deleted')]);
    const after = await stateOf(world.server);
    expect(after.groups).toEqual(theirs.groups);
    for (const kind of ['memberships', 'clients', 'apiKeys', 'corporateGroups'])
      expect(after[kind]).toEqual(before[kind]);
    expect((await world.iam(['plan', '-f', empty, '--prune'])).out).toContain('No changes');
  });

  test('is off: what is no longer asked for stays, and is told of', async () => {
    await using world = await startWorld();
    const less = await made(world);
    const before = await stateOf(world.server);
    const outcome = await world.iam(words(less));
    expect(outcome.code).toBe(0);
    expect(outcome.out).toContain('corporate group holding');
    expect(outcome.out).toContain('--prune removes them');
    expect(await stateOf(world.server)).toEqual(before);
  });

  test('needs the name of the set to be typed: --yes is not enough, and another name is not', async () => {
    await using world = await startWorld();
    const less = await made(world);
    const before = await stateOf(world.server);
    expect((await world.iam(words(less, '--prune'))).code).toBe(10);
    expect((await world.iam(words(less, '--prune', '--confirm', 'other'))).code).toBe(2);
    expect(await stateOf(world.server)).toEqual(before);
    expect((await world.iam(words(less, '--prune', '--confirm', 'base'))).code).toBe(0);
  });

  test('reaches no other set, no other server, and nothing that was made anew under an old name', async () => {
    await using world = await startWorld();
    await made(world);
    const { admin } = world.server;
    await admin.groups.remove({ params: { groupId: 'leads' } });
    await admin.groups.create({ body: { groupName: 'leads', roles: ['THEIRS'] } });
    const other = await world.write('other.yaml', 'set: other\n');
    expect((await world.iam(words(other, '--prune'))).out).toContain('No changes');
    const empty = await world.write('empty.yaml', 'set: base\n');
    const elsewhere = world.server.url.replace('127.0.0.1', 'localhost');
    expect((await world.iam(words(empty, '--prune'), { url: elsewhere })).out).toContain('No changes');
    expect((await world.iam(words(empty, '--prune', '--confirm', 'base'))).code).toBe(0);
    expect(await admin.groups.get({ params: { groupId: 'leads' } })).toMatchObject({ roles: ['THEIRS'] });
  });

  test('is refused where others depend on what would go, and nothing is written', async () => {
    await using world = await startWorld();
    await made(world);
    const { admin } = world.server;
    await admin.groups.create({ body: { groupName: 'theirs', dependencies: [{ groupName: 'ops' }] } });
    const before = await stateOf(world.server);
    const empty = await world.write('empty.yaml', 'set: base\n');
    const outcome = await world.iam(words(empty, '--prune', '--confirm', 'base'));
    expect([outcome.code, outcome.err]).toEqual([2, expect.stringContaining('theirs depends on it')]);
    expect(await stateOf(world.server)).toEqual(before);
  });

  test('is refused for a client that the documents still use, and nothing is written', async () => {
    await using world = await startWorld();
    await made(world);
    const before = await stateOf(world.server);
    const file = await world.write('iam.yaml', everything.replace(/clients:\n.*\n/, ''));
    const outcome = await world.iam(words(file, '--prune', '--confirm', 'base'));
    expect(outcome.code).toBe(2);
    expect(outcome.err.match(/would be pruned/g)).toHaveLength(2);
    expect(await stateOf(world.server)).toEqual(before);
  });

  test('tells which roles a service loses whose client goes, in groups that stay as well', async () => {
    await using world = await startWorld();
    await made(world);
    const { admin } = world.server;
    await admin.groups.create({ body: { groupName: 'theirs', roles: ['THEIRS'] } });
    await admin.serviceAccesses.addService({ params: { groupId: 'theirs' }, body: [{ serviceId: 'billing' }] });
    const empty = await world.write('empty.yaml', 'set: base\n');
    const { out } = await world.iam(['plan', '-f', empty, '--prune', '-o', 'json']);
    expect((JSON.parse(out) as { roles: unknown[] }).roles).toContainEqual({
      kind: 'service',
      id: 'billing',
      gains: [],
      loses: ['DEPLOY', 'THEIRS'],
    });
  });

  test('needs a set', async () => {
    await using world = await startWorld();
    const file = await world.write('iam.yaml', 'groups: []\n');
    expect(await world.iam(words(file, '--prune'))).toMatchObject({
      code: 2,
      err: expect.stringContaining('needs a set'),
    });
  });
});
