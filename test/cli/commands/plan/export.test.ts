import { describe, expect, test } from 'vitest';
import type { SeedDocument } from '../../../../src/server/seed/schema.ts';
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
    expect(code).toBe(0);
    const keys = await fixture.server.admin.apiKey.list();
    const ofTestApp = keys.items.filter(({ clientId }) => clientId === 'test-app').map(({ apiKeyId }) => apiKeyId);
    for (const [what, names, why] of [
      ['groups', ['iam-administrators', 'business-owners'], 'but not the members and roles'],
      ['clients', ['c1 (a)', 'test-app (iam-app)'], 'no owner'],
      ['API keys', ['k1', ...ofTestApp], 'clients'],
    ] as const) {
      const line = err.split('\n').find((one) => one.startsWith(`left out: ${what} `)) ?? '';
      for (const name of names) expect(line).toContain(name);
      expect(line).toContain(why);
      if (more.length === 0) expect(out).toContain(`# ${line}`);
    }
    expect(out).not.toMatch(/iam-auditors"?$/m);
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

  test('--with-built-in includes the groups of the first start', async () => {
    await using fixture = await startPlanFixture();
    const { out, err } = await fixture.iam(['export', '--with-built-in', '--kind', 'groups']);
    expect(out).toContain('groupName: iam-administrators');
    expect(err).toBe('');
    const file = await fixture.write('all.yaml', out);
    expect(await fixture.iam(['plan', '-f', file, '--detailed-exitcode'])).toMatchObject({ code: 0 });
  });

  test('only names that no other entity can have stand in place of ids', async () => {
    await using fixture = await startPlanFixture({
      businesses: [
        { businessId: 'b1', businessName: 'One', document: '1' },
        { businessId: 'b2', businessName: 'Twin' },
        { businessId: 'b3', businessName: 'Twin' },
        { businessId: 'b4', businessName: 'b5' },
        { businessId: 'b5', businessName: 'name: of another' },
        { businessId: 'b6', businessName: 'b2' },
      ],
      users: [
        { userId: 'u1', userName: 'anna' },
        { userId: 'u2', userName: 'bert' },
        { userId: 'dan@example.com', userName: 'dan1' },
        { userId: 'u4', userName: 'dan@example.com' },
      ],
      groups: [{ groupName: 'ops', users: ['u1', 'u2', 'u4'], businesses: ['b1', 'b2', 'b4', 'b5'] }],
    });
    const { store } = fixture.server.appContext;
    const stranger = await store.users.get('u2');
    await store.transaction(async (tx) => {
      if (stranger) await tx.users.replace({ ...stranger, selfRegistered: true });
    });
    const { out, err } = await fixture.iam(['export', '--kind', 'groups', '-o', 'json']);
    expect(JSON.parse(out)).toEqual({
      groups: [
        {
          groupName: 'ops',
          users: ['anna', 'name:dan@example.com', 'u2'],
          businesses: ['One', 'b4', 'id:b2', 'name:name: of another'],
        },
      ],
    });
    expect(err).toContain('by id: users u2 (bert): they chose their login names themselves');
    expect(err).toContain('by id: businesses b2, b4: another business has the same name');
    const file = await fixture.write('ops.json', out);
    expect(await fixture.iam(['plan', '-f', file, '--detailed-exitcode'])).toMatchObject({ code: 0, err: '' });
  });
});

/** At full effort the size of a deployment. */
const size = isFullRun ? { groups: 5_000, users: 2_000, businesses: 500 } : { groups: 50, users: 60, businesses: 55 };

/** A directory whose ids have this prefix. Groups, clients and customers are in staging only. */
function directory(prefix: string, isStaging: boolean): SeedDocument {
  const range = (count: number) => Array.from({ length: count }, (_, at) => at);
  const business = (at: number) => `${prefix}-b${at}`;
  const user = (at: number) => `${prefix}-u${at % size.users}`;
  // The last ones do not exist in production.
  const count = isStaging ? size.businesses : size.businesses - 5;
  const services = isStaging ? ['billing', 'reports'] : [];
  return {
    businesses: range(count).map((at) => ({
      businessId: business(at),
      businessName: `Business ${at} & Sons`,
      document: String(1000 + at),
    })),
    users: range(size.users).map((at) => ({
      userId: user(at),
      userName: at % 2 === 0 ? `person${at}` : `person${at}@example.com`,
      businessId: business(at % (size.businesses - 5)),
    })),
    clients: services.map((id) => ({ clientId: `${prefix}-${id}`, serviceAccountId: id, appId: id, scope: ['READ'] })),
    apiKeys: services.map((id) => ({
      apiKeyId: `${prefix}-k-${id}`,
      clientId: `${prefix}-${id}`,
      appId: 'portal',
      apiKey: Buffer.alloc(32, `${prefix}${id}`).toString('base64'),
    })),
    corporateGroups: isStaging ? [{ corporateGroupName: 'holding', businesses: range(count).map(business) }] : [],
    groups: range(isStaging ? size.groups : 0).map((at) => ({
      groupName: `team ${at}`,
      roles: ['DEPLOY', `TEAM-${at}`],
      ...(at === 0 ? { services, businesses: range(count).map(business) } : {}),
      dependencies: at === 0 ? [{ groupName: 'business-users' }] : [{ groupName: `team ${Math.floor(at / 2)}` }],
      users: [user(at), user(at + 1)],
      businessUsers: [{ businessId: business((at % size.users) % (size.businesses - 5)), userId: user(at) }],
    })),
  };
}

test('staging is exported and applied to production, where ids differ, and a second plan is empty', async () => {
  await using staging = await startPlanFixture(directory('s', true));
  await using production = await startPlanFixture(directory('p', false));
  const countRequests = (fixture: PlanFixture) =>
    fixture.server.log.filter((line) => line.includes('"msg":"request"')).length;
  const exported = await staging.iam(['export']);
  expect(exported.code).toBe(0);
  // Comments name what has no id in the document.
  const contentOf = ({ out }: { readonly out: string }) => out.replaceAll(/^#.*\n/gm, '');
  expect(contentOf(exported)).not.toMatch(/\bs-[ub]\d/);
  // One for the members of each group; of all others the pages.
  expect(countRequests(staging)).toBeLessThan(size.groups + 40);
  const same = await staging.write('staging.yaml', exported.out);
  expect(await staging.iam(['plan', '-f', same, '--detailed-exitcode'])).toMatchObject({ code: 0 });

  const before = await production.server.dump();
  const file = await production.write('staging.yaml', exported.out);
  const planned = await production.iam(['plan', '-f', file, '--detailed-exitcode']);
  expect([planned.code, planned.err]).toEqual([9, expect.any(String)]);
  expect(await production.server.dump()).toEqual(before);
  expect(countRequests(production)).toBeLessThan(40);
  expect(await production.iam(['apply', '-f', file, '--yes', '-q'])).toMatchObject({ code: 0 });
  expect(await production.iam(['plan', '-f', file, '--detailed-exitcode'])).toMatchObject({ code: 0 });
  const again = await production.iam(['export']);
  expect(contentOf(again)).toBe(contentOf(exported));
}, 300_000);

test('users of a business follow the documented order: users, customers, their business, everything', async () => {
  const alice = { userId: 's-alice', userName: 'alice' };
  await using staging = await startPlanFixture({
    users: [{ ...alice, businessId: 'globex' }],
    businesses: [{ businessId: 'globex', businessName: 'Globex', document: '7' }],
    groups: [{ groupName: 'ops', businessUsers: [{ businessId: 'globex', userId: 's-alice' }] }],
  });
  await using production = await startPlanFixture({ users: [{ ...alice, userId: 'p-alice' }], businesses: [] });
  const exported = await staging.iam(['export']);
  expect(exported.err).toContain('of a business: users alice (Globex): ');
  expect(exported.err).toContain('without their chosen ids: businesses globex: ');
  const file = await production.write('all.yaml', exported.out);
  const before = await production.server.dump();
  const refused = await production.iam(['apply', '-f', file, '--yes']);
  expect([refused.code, refused.err]).toEqual([
    2,
    expect.stringContaining('the user p-alice (alice) does not belong to the business Globex'),
  ]);
  expect(await production.server.dump()).toEqual(before);
  const { out } = await staging.iam(['export', '--kind', 'customers']);
  const customers = await production.write('customers.yaml', out);
  expect(await production.iam(['apply', '-f', customers, '--yes'])).toMatchObject({ code: 0 });
  const unrelated = await production.iam(['plan', '-f', file]);
  expect(unrelated.err).toMatch(/first run `iam users update p-alice --business-id \S+`/);
  expect(await production.iam(['users', 'update', 'alice', '--business-id', 'Globex'])).toMatchObject({ code: 0 });
  expect(await production.iam(['apply', '-f', file, '--yes'])).toMatchObject({ code: 0 });
  expect(await production.iam(['plan', '-f', file, '--detailed-exitcode'])).toMatchObject({ code: 0 });
});

describe('a server without a control plane', () => {
  test('exports what the interface lists, and reports what is missing', async () => {
    const groups = [{ groupName: 'ops', users: ['u1'] }];
    await using fixture = await startPlanFixture({ groups }, { 'disable-control-plane': true });
    const { code, out, err } = await fixture.iam(['export', '-o', 'json']);
    expect([code, err]).toEqual([0, expect.stringContaining('control plane is disabled')]);
    expect(JSON.parse(out)).toEqual({ groups: [{ groupName: 'ops', users: ['u1'] }] });
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
