import { describe, expect } from 'vitest';
import { appClientId } from '../../harness.ts';
import { dumpDirectory, type PlanFixture, startPlanFixture, test } from './plan-fixture.ts';
import { startInterposingProxy } from './write-proxy.ts';

/** Creates a client whose roles come only from a group; returns its environment variables. */
async function createOperator({ server }: PlanFixture) {
  const client = await server.makeClient({ serviceAccountId: 'operator', authorities: ['AUTH-MFA'] });
  await server.admin.groups.create({ body: { groupName: 'operators', roles: ['ADMIN', 'IAM_ADMIN_MAINTENANCE'] } });
  await server.admin.serviceAccesses.addService({
    params: { groupId: 'operators' },
    body: [{ serviceId: 'operator' }],
  });
  return { IAM_CLIENT_ID: client.clientId, IAM_CLIENT_SECRET: client.clientSecret };
}

describe('a change that would lock out the caller', () => {
  test.each([
    ['by its membership', 'groups:\n  - {groupName: operators, services: []}\n'],
    ['by the roles of the group', 'groups:\n  - {groupName: operators, roles: [DEPLOY]}\n'],
  ])('%s is rejected, also with --yes and the name', async (_how, text) => {
    await using fixture = await startPlanFixture();
    const variables = await createOperator(fixture);
    const file = await fixture.write('iam.yaml', text);
    const before = await dumpDirectory(fixture.server);
    const runOptions = { variables };
    const host = new URL(fixture.server.url).host;
    const outcome = await fixture.iam(['apply', '-f', file, '--yes', '--confirm', host], runOptions);
    expect(outcome).toMatchObject({
      code: 2,
      err: expect.stringContaining('You would lose ADMIN and IAM_ADMIN_MAINTENANCE'),
    });
    expect(await dumpDirectory(fixture.server)).toEqual(before);
    expect((await fixture.iam(['plan', '-f', file], runOptions)).out).toContain('! You would lose');
    const allowed = ['apply', '-f', file, '--yes', '--allow-self-lockout'];
    expect((await fixture.iam(allowed, runOptions)).code).toBe(10);
    expect((await fixture.iam([...allowed, '--confirm', host], runOptions)).code).toBe(0);
  });

  test('is accepted if the caller keeps its roles through another group', async ({ fixture }) => {
    const variables = await createOperator(fixture);
    await fixture.server.admin.groups.create({
      body: { groupName: 'more', roles: ['ADMIN', 'IAM_ADMIN_MAINTENANCE'] },
    });
    await fixture.server.admin.serviceAccesses.addService({
      params: { groupId: 'more' },
      body: [{ serviceId: 'operator' }],
    });
    const file = await fixture.write('iam.yaml', 'groups:\n  - {groupName: operators, services: []}\n');
    const outcome = await fixture.iam(['apply', '-f', file, '--yes'], { variables });
    expect([outcome.code, outcome.err]).toEqual([0, expect.stringContaining('Applied')]);
    expect(outcome.out).not.toContain('operator  ');
  });
});

test('rejects a user who would lose its own administrative role', async ({ fixture }) => {
  const { admin } = fixture.server;
  await admin.userAccesses.addUser({ params: { groupName: 'iam-administrators' }, body: [{ userId: 'u2' }] });
  const variables = {
    IAM_USERNAME: 'admin',
    IAM_PASSWORD: 'correct horse battery staple',
    IAM_CLIENT_ID: appClientId,
    IAM_CLIENT_SECRET: '',
  };
  const text = 'groups:\n  - {groupName: iam-administrators, users: [u2]}\n';
  const words = ['apply', '-f', await fixture.write('iam.yaml', text), '--yes'];
  expect(await fixture.iam(words, { variables })).toMatchObject({
    code: 2,
    err: expect.stringContaining('You would lose'),
  });
  expect((await fixture.iam(words)).code).toBe(10);
});

test('rejects a plan that leaves no administrator', async ({ fixture }) => {
  const file = await fixture.write('iam.yaml', 'groups:\n  - {groupName: iam-administrators, users: []}\n');
  const before = await dumpDirectory(fixture.server);
  const outcome = await fixture.iam(['apply', '-f', file, '--yes']);
  expect(outcome).toMatchObject({ code: 2, err: expect.stringContaining('No user would be able') });
  expect(await dumpDirectory(fixture.server)).toEqual(before);
});

test('a service with the role is no administrator that remains', async () => {
  await using fixture = await startPlanFixture();
  await createOperator(fixture);
  const file = await fixture.write('iam.yaml', 'groups:\n  - {groupName: iam-administrators, users: []}\n');
  const before = await dumpDirectory(fixture.server);
  const outcome = await fixture.iam(['apply', '-f', file, '--yes']);
  expect(outcome).toMatchObject({ code: 2, err: expect.stringContaining('No user would be able') });
  expect(await dumpDirectory(fixture.server)).toEqual(before);
});

test('removing one of several administrators needs the server name', async ({ fixture }) => {
  const { admin } = fixture.server;
  await admin.userAccesses.addUser({ params: { groupName: 'iam-administrators' }, body: [{ userId: 'u2' }] });
  const { items } = await admin.userAccesses.listUsers({ params: { groupName: 'iam-administrators' } });
  const first = items.find(({ userId }) => userId !== 'u2')?.userId;
  const file = await fixture.write('iam.yaml', `groups:\n  - {groupName: iam-administrators, users: [${first}]}\n`);
  expect((await fixture.iam(['apply', '-f', file, '--yes'])).code).toBe(10);
  const host = new URL(fixture.server.url).host;
  expect((await fixture.iam(['apply', '-f', file, '--confirm', host])).code).toBe(0);
});

describe('a concurrent change', () => {
  const text = 'groups:\n  - {groupName: ops, organizationId: acme, roles: [A, C]}\n';

  async function withOps(fixture: PlanFixture) {
    await fixture.server.admin.groups.create({ body: { groupName: 'ops', roles: ['A', 'B'] } });
    return fixture.write('iam.yaml', text);
  }

  test('is preserved; only planned entries are added and removed', async ({ fixture }) => {
    const file = await withOps(fixture);
    const others = () =>
      fixture.server.admin.groups.addRole({ params: { groupId: 'ops' }, body: { roleName: 'THEIRS' } });
    await using between = await startInterposingProxy(fixture.server.url, 1, others);
    expect((await fixture.iam(['apply', '-f', file, '--yes'], { url: between.url })).code).toBe(0);
    const group = await fixture.server.admin.groups.get({ params: { groupId: 'ops' } });
    expect([...group.roles].sort()).toEqual(['A', 'C', 'THEIRS']);
    expect(group.organizationId).toBe('acme');
  });

  test('is a conflict if it changes the same value', async ({ fixture }) => {
    const file = await withOps(fixture);
    const others = () =>
      fixture.server.admin.groups.update({
        params: { groupId: 'ops' },
        body: { groupName: 'ops', organizationId: 'globex' },
      });
    await using between = await startInterposingProxy(fixture.server.url, 1, others);
    expect(await fixture.iam(['apply', '-f', file, '--yes'], { url: between.url })).toMatchObject({
      code: 6,
      err: expect.stringContaining('unexpected value of organizationId'),
    });
    expect((await fixture.server.admin.groups.get({ params: { groupId: 'ops' } })).organizationId).toBe('globex');
  });

  test('is a conflict if the group was deleted', async ({ fixture }) => {
    const file = await withOps(fixture);
    const others = () => fixture.server.admin.groups.remove({ params: { groupId: 'ops' } });
    await using between = await startInterposingProxy(fixture.server.url, 1, others);
    const outcome = await fixture.iam(['apply', '-f', file, '--yes'], { url: between.url });
    expect(outcome).toMatchObject({ code: 6, err: expect.stringContaining('no longer exists') });
  });

  test('is not pruned with resources of an earlier apply', async ({ fixture }) => {
    let work = async (): Promise<unknown> => undefined;
    await using between = await startInterposingProxy(fixture.server.url, 2, () => work());
    const runOptions = { url: between.url };
    const created = await fixture.write('created.yaml', 'set: s\ngroups:\n  - {groupName: ops, roles: [A]}\n');
    expect((await fixture.iam(['apply', '-f', created, '--yes'], runOptions)).code).toBe(0);
    work = () => fixture.server.admin.groups.addRole({ params: { groupId: 'ops' }, body: { roleName: 'THEIRS' } });
    const none = await fixture.write('none.yaml', 'set: s\n');
    const outcome = await fixture.iam(['apply', '-f', none, '--prune', '--confirm', 's'], runOptions);
    expect(outcome.code).toBe(6);
    expect((await fixture.server.admin.groups.get({ params: { groupId: 'ops' } })).roles).toEqual(['A', 'THEIRS']);
  });
});
