/** The dependency graph of groups, and the path by which a user gets a role. */
import { describe, expect, test } from 'vitest';
import type { SeedDocument } from '../../../../src/server/seed/schema.ts';
import { startServer, type TestServer } from '../../../harness.ts';
import { sharedServer } from '../../operations/access.ts';
import { group, member } from '../../store/rows.ts';
import { send } from '../control-client.ts';

const dependsOn = (...names: string[]) => names.map((groupName) => ({ groupName }));

const seed: SeedDocument = {
  businesses: [{ businessId: 'acme', businessName: 'Acme' }],
  users: [
    { userId: 'ann', userName: 'ann', businessId: 'acme' },
    { userId: 'bob', userName: 'bob' },
  ],
  clients: [{ clientId: 'c1', clientSecret: 'very secret', appId: 'billing', serviceAccountId: 's1' }],
  groups: [
    { groupId: 'g-base', groupName: 'base', roles: ['VIEW'], businesses: ['acme'], services: ['s1'] },
    { groupId: 'g-ops', groupName: 'ops', roles: ['DEPLOY', 'VIEW'], dependencies: dependsOn('base') },
    { groupId: 'g-mid', groupName: 'mid', dependencies: dependsOn('ops') },
    { groupId: 'g-lead', groupName: 'leads', dependencies: dependsOn('mid', 'ops'), users: ['ann'] },
    {
      groupId: 'g-act',
      groupName: 'actors',
      dependencies: dependsOn('mid'),
      businessUsers: [{ businessId: 'acme', userId: 'ann' }],
    },
    { groupId: 'g-other', groupName: 'others', roles: ['OTHER'], users: ['bob'] },
  ],
};

async function get<Body>(server: TestServer, path: string): Promise<Body> {
  const response = await send(server, `/_iam/${path}`);
  expect(response.status).toBe(200);
  return response.body as Body;
}

const shared = sharedServer(() => startServer({ seed }));

describe('the path of a role', () => {
  test('is the shortest from each direct group, over own and business memberships', async () => {
    const server = shared();
    const step = (id: string, groupName: string) => ({ groupId: `g-${id}`, groupName });
    expect(await get(server, 'users/ann/roles/ROLE_DEPLOY/path')).toEqual({
      userId: 'ann',
      userName: 'ann',
      role: 'DEPLOY',
      granted: true,
      reserved: false,
      paths: [
        { kind: 'user', groups: [step('lead', 'leads'), step('ops', 'ops')] },
        { kind: 'businessUser', groups: [step('act', 'actors'), step('mid', 'mid'), step('ops', 'ops')] },
      ],
      pathCount: 2,
      grantedByGroups: ['ops'],
    });
    expect(await get(server, 'users/ann/roles/VIEW/path')).toMatchObject({
      paths: [{ kind: 'business', groups: [step('base', 'base')] }, { kind: 'user' }, { kind: 'businessUser' }],
    });
  });

  test('leads through at most 10,000 groups, however many paths there are, and each group has its own roles in the graph', async () => {
    await using server = await startServer({ seed });
    const names = Array.from({ length: 1_500 }, (_, at) => `chain-${at}`);
    await server.appContext.store.transaction(async (tx) => {
      for (const [at, name] of names.entries()) {
        const dependencies = at === 0 ? [] : [`chain-${at - 1}`];
        await tx.groups.insert(group(name, { groupName: name, roles: [`ROLE-${at}`], dependencies }));
        if (at >= 1_470) await tx.memberships.insert(member(name, 'bob'));
      }
    });
    const { paths, pathCount } = await get<{ paths: readonly { groups: readonly unknown[] }[]; pathCount: number }>(
      server,
      'users/bob/roles/ROLE-0/path',
    );
    expect([pathCount, paths.map(({ groups }) => groups.length)]).toEqual([30, [1471, 1472, 1473, 1474, 1475, 1476]]);
    const { nodes } = await get<{ nodes: readonly { inheritedRoles: readonly string[] }[] }>(
      server,
      'groups/graph?root=chain-1499&limit=2',
    );
    expect(nodes.map(({ inheritedRoles }) => inheritedRoles.length)).toEqual([100, 0]);
  });

  test('is absent without such a group, which is no error', async () => {
    const server = shared();
    const none = { granted: false, paths: [], pathCount: 0 };
    expect(await get(server, 'users/bob/roles/DEPLOY/path')).toMatchObject({ ...none, grantedByGroups: ['ops'] });
    expect(await get(server, 'users/bob/roles/NOTHING/path')).toMatchObject({ ...none, grantedByGroups: [] });
    expect(await get(server, 'users/bob/roles/AUTH-MFA/path')).toMatchObject({ ...none, reserved: true });
    expect(await get(server, 'users/bob/roles/OTHER/path')).toMatchObject({ granted: true, pathCount: 1 });
  });

  test('requires a user and a role name', async () => {
    const server = shared();
    const error = (status: number, code: string) => ({ status, body: [{ code }] });
    for (const id of ['unknown', 'constructor', '__proto__'])
      expect(await send(server, `/_iam/users/${id}/roles/VIEW/path`)).toMatchObject(error(404, 'USER_NOT_FOUND'));
    for (const role of ['lo%20wer', '%00', 'X'.repeat(134)])
      expect(await send(server, `/_iam/users/ann/roles/${role}/path`)).toMatchObject(error(404, 'PATH_VALUE'));
  });
});

interface Graph {
  readonly nodes: { readonly groupId: string; readonly groupName: string; readonly inheritedRoleCount: number }[];
  readonly edges: { readonly from: string; readonly to: string }[];
  readonly groupCount: number;
  readonly edgeCount: number;
}

describe('the graph', () => {
  test('contains own and inherited roles, dependents and members by kind', async () => {
    const server = shared();
    const { nodes, edges, groupCount, edgeCount } = await get<Graph>(server, 'groups/graph');
    const noMembers = { user: 0, business: 0, businessUser: 0, service: 0 };
    expect(nodes.find(({ groupName }) => groupName === 'base')).toEqual({
      groupId: 'g-base',
      groupName: 'base',
      roles: ['VIEW'],
      roleCount: 1,
      inheritedRoles: [],
      inheritedRoleCount: 0,
      dependentCount: 1,
      members: { ...noMembers, business: 1, service: 1 },
    });
    expect(nodes.find(({ groupName }) => groupName === 'leads')).toMatchObject({
      roles: [],
      inheritedRoles: ['DEPLOY', 'VIEW'],
      dependentCount: 0,
      members: { ...noMembers, user: 1 },
    });
    expect(nodes.find(({ groupName }) => groupName === 'mid')).toMatchObject({ dependentCount: 2, members: noMembers });
    expect(edges).toContainEqual({ from: 'g-ops', to: 'g-base' });
    expect([groupCount, edgeCount]).toEqual([nodes.length, edges.length]);
  });

  test('of a root contains what it depends on and what depends on it', async () => {
    const server = shared();
    const names = ({ nodes }: Graph) => nodes.map(({ groupName }) => groupName);
    const all = await get<Graph>(server, 'groups/graph?root=mid');
    expect(names(all)).toEqual(['mid', 'actors', 'base', 'leads', 'ops']);
    expect(names(await get<Graph>(server, 'groups/graph?root=g-other'))).toEqual(['others']);
    const part = await get<Graph>(server, 'groups/graph?root=mid&limit=2');
    expect(part).toMatchObject({ groupCount: 5, edgeCount: 1, edges: [{ from: 'g-act', to: 'g-mid' }] });
    expect(await send(server, '/_iam/groups/graph?root=unknown')).toMatchObject({ status: 404 });
    for (const limit of ['0', '1001', 'x'])
      expect(await send(server, `/_iam/groups/graph?limit=${limit}`)).toMatchObject({ status: 400 });
  });

  test('reflects a change of members and dependencies at once', async () => {
    await using server = await startServer({ seed });
    const membersOf = async () => (await get<Graph>(server, 'groups/graph?root=others')).nodes;
    expect(await membersOf()).toMatchObject([{ members: { user: 1 }, inheritedRoleCount: 0 }]);
    await server.admin.userAccesses.addUser({ params: { groupName: 'others' }, body: [{ userId: 'ann' }] });
    await server.admin.groups.addDependency({ params: { groupId: 'others' }, body: { groupName: 'base' } });
    expect((await membersOf())[0]).toMatchObject({ members: { user: 2 }, inheritedRoleCount: 1 });
  });

  test('of a chain of 1,100 groups is bounded, and other requests are served meanwhile', async () => {
    await using server = await startServer();
    const idOf = (at: number) => `c${String(at).padStart(5, '0')}`;
    await server.appContext.store.transaction(async (tx) => {
      for (let at = 0; at < 1100; at += 1) {
        const dependencies = at < 1099 ? [idOf(at + 1)] : [];
        const group = { groupId: idOf(at), groupName: idOf(at), roles: [`R-${at}`], dependencies };
        await tx.groups.insert({ ...group, createdAt: '2026-03-01T12:00:00.000Z' });
      }
    });
    const graph = get<Graph>(server, `groups/graph?root=${idOf(0)}`);
    let served = false;
    const other = send(server, '/_iam/clock').then(() => {
      served = true;
    });
    await Promise.race([graph, other]);
    expect(served).toBe(true);
    const { nodes, groupCount, edgeCount } = await graph;
    expect([nodes.length, groupCount, edgeCount]).toEqual([1000, 1100, 999]);
    expect(nodes[0]).toMatchObject({ groupId: idOf(0), inheritedRoleCount: 1099 });
    expect((nodes[0] as unknown as { inheritedRoles: string[] }).inheritedRoles).toHaveLength(100);
  });
});

test('the graph of groups that depend on each other, as only a file that was changed contains them, ends', async () => {
  await using server = await startServer({ seed });
  await server.appContext.store.transaction(async (tx) => {
    const base = await tx.groups.get('g-base');
    if (base) await tx.groups.replace({ ...base, dependencies: ['g-mid', 'g-base'] });
  });
  for (const path of ['groups/graph', 'groups/graph?root=mid'])
    expect(await get<object>(server, path)).toMatchObject({ nodes: expect.any(Array) });
});
