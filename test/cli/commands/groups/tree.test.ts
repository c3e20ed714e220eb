import { describe, expect, test } from 'vitest';
import {
  buildGraph,
  drawDot,
  drawMermaid,
  drawText,
  findRoots,
  findSubgraph,
  listDependents,
} from '../../../../src/cli/commands/groups/graph.ts';
import { errorResponse, startFakeServer } from '../../../client/fake-server.ts';
import { iam } from '../../run-cli.ts';

const group = (groupName: string, roles: string[], ...dependencies: string[]) => ({
  groupId: `id-${groupName}`,
  groupName,
  roles,
  dependencies: dependencies.map((name) => ({ groupName: name })),
});
const groups = [
  group('leads', ['APPROVE'], 'ops', 'audit'),
  group('ops', ['DEPLOY'], 'base'),
  group('audit', [], 'base'),
  group('base', ['READ']),
];

describe('the tree', () => {
  test('prints own roles, then inherited ones after a plus, and each group once', () => {
    const graph = buildGraph([...groups, group('lonely', [])]);
    expect(drawText(graph, findRoots(graph))).toEqual([
      'leads  APPROVE + DEPLOY READ',
      '├─ audit  + READ',
      '│  └─ base  READ',
      '└─ ops  DEPLOY + READ',
      '   └─ base  READ',
      'lonely  (no roles)',
    ]);
  });

  test('fits a narrow terminal', () => {
    const roles = Array.from({ length: 12 }, (_, at) => `A_LONG_ROLE_${at}`);
    const graph = buildGraph([group('top', roles, 'below'), group('below', roles)]);
    const lines = drawText(graph, ['top'], 40);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(40);
    expect(lines.slice(0, 2)).toEqual(['top  A_LONG_ROLE_0 A_LONG_ROLE_1', '│   A_LONG_ROLE_10 A_LONG_ROLE_11']);
  });

  test('terminates for cyclic dependencies', () => {
    const graph = buildGraph([group('a', ['A'], 'b'), group('b', ['B'], 'a')]);
    expect(drawText(graph, ['a'])).toEqual(['a  A + B', '└─ b  B + A', '   └─ a  (drawn above)']);
  });

  test('of one group contains its dependencies and what depends on it', () => {
    const graph = buildGraph([...groups, group('lonely', [])]);
    expect([...findSubgraph(graph, 'ops').keys()]).toEqual(['base', 'leads', 'ops']);
    expect(listDependents(graph, 'base')).toEqual(['audit', 'ops', 'leads']);
  });
});

test('names are quoted for Graphviz and Mermaid', () => {
  const graph = buildGraph([group('a "b"\\', ['R'], 'c'), group('c', [])]);
  expect(drawDot(graph)).toContain('  "a \\"b\\"\\\\" -> "c";');
  expect(drawMermaid(graph)).toEqual(['graph TD', '  g0["a #34;b#34;\\<br>R"]', '  g1["c"]', '  g0 --> g1']);
});

describe('groups tree', () => {
  /** One group per page. */
  const paged = () =>
    startFakeServer(({ path }) => {
      const at = Number(new URL(path, 'http://x').searchParams.get('after') ?? 0);
      const isLast = at === groups.length - 1;
      return {
        status: isLast ? 200 : 206,
        json: [groups[at]],
        ...(isLast ? {} : { headers: { link: `</x?after=${at + 1}>; rel="next"` } }),
      };
    });

  test('reads all pages', async () => {
    await using server = await paged();
    expect((await iam(['groups', 'tree'], server)).out.split('\n')[0]).toBe('leads  APPROVE + DEPLOY READ');
    expect(server.received).toHaveLength(4);
  });

  test.each(['ops', 'id-ops'])('starts at the group %s, and names its dependents', async (reference) => {
    await using server = await paged();
    expect((await iam(['groups', 'tree', reference], server)).out).toBe(
      'ops  DEPLOY + READ\n└─ base  READ\ndependents  leads\n',
    );
  });

  test('reports an unknown group', async () => {
    await using server = await paged();
    expect((await iam(['groups', 'tree', 'nothing'], server)).code).toBe(3);
  });
});

describe('groups tree as data', () => {
  const members = { user: 2, business: 0, businessUser: 0, service: 1 };
  const node = {
    groupName: 'ops',
    groupId: 'g1',
    roles: ['DEPLOY'],
    inheritedRoles: ['VIEW'],
    dependentCount: 3,
    members,
  };
  const graph = { nodes: [node], edges: [], groupCount: 5, edgeCount: 0 };

  test('is the graph of the control plane as JSON, and one row for each group otherwise', async () => {
    await using server = await startFakeServer(() => ({ json: graph }));
    const json = await iam(['groups', 'tree', 'my ops', '--limit', '2', '-o', 'json'], server);
    expect(JSON.parse(json.out)).toEqual(graph);
    expect(json.err).toContain('Showing 1 of 5 groups.');
    expect(server.received[0]?.path).toBe('/_iam/groups/graph?root=my+ops&limit=2');
    expect((await iam(['groups', 'tree', '-o', 'csv', '--columns', 'groupName,dependents,members'], server)).out).toBe(
      'groupName,dependents,members\nops,3,3\n',
    );
  });

  test('comes from the list of groups without a control plane, without members', async () => {
    await using server = await startFakeServer(({ path }) =>
      path.startsWith('/_iam') ? { status: 404, text: 'no such page' } : { json: groups },
    );
    const { out } = await iam(['groups', 'tree', 'ops', '-o', 'json'], server);
    expect(JSON.parse(out)).toEqual({
      nodes: [
        {
          groupId: 'id-base',
          groupName: 'base',
          roles: ['READ'],
          inheritedRoles: [],
          dependentCount: 2,
        },
        {
          groupId: 'id-leads',
          groupName: 'leads',
          roles: ['APPROVE'],
          inheritedRoles: ['DEPLOY', 'READ'],
          dependentCount: 0,
        },
        { groupId: 'id-ops', groupName: 'ops', roles: ['DEPLOY'], inheritedRoles: ['READ'], dependentCount: 1 },
      ],
      edges: [
        { from: 'id-leads', to: 'id-ops' },
        { from: 'id-ops', to: 'id-base' },
      ],
      groupCount: 3,
      edgeCount: 2,
    });
  });

  test('reports an unknown group', async () => {
    await using server = await startFakeServer(() => errorResponse(404, 'GROUP_NOT_FOUND'));
    expect((await iam(['groups', 'tree', 'nothing', '-o', 'json'], server)).code).toBe(3);
  });
});
