import { describe, expect, test } from 'vitest';
import { isFullRun } from '../../../effort.ts';
import { adminClient } from '../../../harness.ts';
import { type PlanFixture, startPlanFixture } from '../../plan/plan-fixture.ts';
import { everything } from '../../plan/sample-documents.ts';

const apiKey = Buffer.alloc(32, 7).toString('base64');

/** A server with more than documents can create: two keys of one client, a client of a user, empty groups. */
async function rich(): Promise<PlanFixture> {
  const fixture = await startPlanFixture({
    clients: [
      {
        clientId: 'c1',
        clientSecret: 'a-secret-of-the-seed',
        appId: 'a',
        userId: 'u1',
        party: '3RDPARTY',
        authorities: ['DEPLOY'],
      },
    ],
    apiKeys: [{ apiKeyId: 'k1', appId: 'a', clientId: 'c1', apiKey }],
    corporateGroups: [{ corporateGroupName: 'quiet' }],
    groups: [{ groupName: 'empty' }, { groupName: 'a name: with, signs' }],
  });
  await fixture.iam(['apply', '-f', await fixture.write('iam.yaml', everything), '--yes']);
  await fixture.server.admin.apiKey.create({ body: { appId: 'iam-app', clientId: 'test-app' } });
  await fixture.server.admin.apiKey.create({ body: { appId: 'iam-app', clientId: 'test-app' } });
  return fixture;
}

describe('export', () => {
  test.each([[[]], [['-o', 'json']]])('%j prints a stable document with an empty plan', async (more) => {
    await using fixture = await rich();
    const { code, out, err } = await fixture.iam(['export', ...more]);
    expect([code, err]).toEqual([0, '']);
    expect((await fixture.iam(['export', ...more])).out).toBe(out);
    const file = await fixture.write('export.yaml', out);
    expect(await fixture.iam(['plan', '-f', file, '--detailed-exitcode'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('No changes'),
    });
    for (const secret of [apiKey, 'a-secret-of-the-seed', adminClient.clientSecret]) expect(out).not.toContain(secret);
  });

  test('--kind exports only these kinds', async () => {
    await using fixture = await rich();
    const { out } = await fixture.iam([
      'export',
      '--kind',
      'groups,corporateGroups',
      '--kind',
      'apiKeys',
      '-o',
      'json',
    ]);
    expect(Object.keys(JSON.parse(out))).toEqual(['groups', 'apiKeys', 'corporateGroups']);
  });

  test('an export applied to an empty server reproduces the first one', async () => {
    await using first = await startPlanFixture();
    await first.iam(['apply', '-f', await first.write('iam.yaml', everything), '--yes']);
    const kinds = ['--kind', 'groups,corporateGroups,customers'];
    const { out } = await first.iam(['export', ...kinds]);
    await using second = await startPlanFixture({ clients: [{ clientId: 'x', serviceAccountId: 'billing' }] });
    const ids = async (fixture: PlanFixture) =>
      (await fixture.server.dump()).users as { userId: string; bootstrap?: string }[];
    const [from, to] = await Promise.all(
      [first, second].map(async (fixture) => (await ids(fixture)).find(({ bootstrap }) => bootstrap)?.userId ?? ''),
    );
    const file = await second.write('copy.yaml', out.replaceAll(from ?? '', to ?? ''));
    expect((await second.iam(['apply', '-f', file, '--yes'])).code).toBe(0);
    expect((await second.iam(['export', ...kinds])).out.replaceAll(to ?? '', from ?? '')).toBe(out);
  });
});

describe('a server without a control plane', () => {
  test('exports what the interface lists, and reports what is missing', async () => {
    await using fixture = await startPlanFixture({}, { 'disable-control-plane': true });
    const { code, out, err } = await fixture.iam(['export', '-o', 'json']);
    expect([code, err]).toEqual([0, expect.stringContaining('control plane is disabled')]);
    expect(Object.keys(JSON.parse(out))).toEqual(['groups']);
    expect(await fixture.iam(['export', '--kind', 'clients'])).toMatchObject({ code: 3, out: '' });
  });

  test('accepts groups and members, and rejects clients before the first write', async () => {
    await using fixture = await startPlanFixture({}, { 'disable-control-plane': true });
    const text =
      'groups:\n  - {groupName: ops, roles: [A], users: [u1, u2], businesses: [b1], businessUsers: [{businessId: b1, userId: u1}]}\n';
    const file = await fixture.write('iam.yaml', text);
    expect((await fixture.iam(['apply', '-f', file, '--yes'])).code).toBe(0);
    const unknown = await fixture.write('bad.yaml', text.replace('u2', 'unknown'));
    expect((await fixture.iam(['apply', '-f', unknown, '--yes'])).err).toContain('user unknown not found');
    const clients = await fixture.write(
      'clients.yaml',
      'groups:\n  - groupName: new\nclients:\n  - {serviceAccountId: s, appId: a}\n',
    );
    expect((await fixture.iam(['apply', '-f', clients, '--yes'])).code).toBe(3);
    expect((await fixture.server.admin.groups.list()).items.map(({ groupName }) => groupName)).not.toContain('new');
  });
});

/** The CLI reads pages of 1,000. */
const manyEntries = isFullRun ? 2_300 : 1_050;

test('lists of several pages are read to their end', async () => {
  const users = Array.from({ length: manyEntries }, (_, at) => ({ userId: `m${at}` }));
  await using fixture = await startPlanFixture({
    users: [...users, { userId: 'u1' }],
    businesses: [],
    groups: [
      { groupName: 'all', roles: ['ALL'], users: users.map(({ userId }) => userId) },
      ...users.map(({ userId }) => ({ groupName: `g-${userId}` })),
    ],
  });
  const { out } = await fixture.iam(['export', '-o', 'json', '--kind', 'groups']);
  const { groups } = JSON.parse(out) as { groups: { groupName: string; users?: string[] }[] };
  expect(groups.length).toBeGreaterThan(manyEntries);
  expect(groups.find(({ groupName }) => groupName === 'all')?.users).toHaveLength(manyEntries);
  const file = await fixture.write(
    'iam.json',
    JSON.stringify({
      groups: groups.map((group) => (group.groupName === 'all' ? { ...group, users: ['u1'] } : group)),
    }),
  );
  const plan = JSON.parse((await fixture.iam(['plan', '-f', file, '-o', 'json'])).out) as {
    roles: unknown[];
    summary: unknown;
  };
  expect(plan.summary).toEqual({ create: 0, update: 1, delete: 0, gain: 1, lose: manyEntries });
});
