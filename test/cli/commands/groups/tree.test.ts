import { describe, expect, test } from 'vitest';
import {
  buildGraph,
  drawDot,
  drawMermaid,
  drawText,
  findRoots,
  findSubgraph,
} from '../../../../src/cli/commands/groups/graph.ts';
import { startFakeServer } from '../../../client/fake-server.ts';
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

  test('of one group contains only its dependencies', () => {
    expect([...findSubgraph(buildGraph(groups), 'ops').keys()]).toEqual(['base', 'ops']);
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

  test.each(['ops', 'id-ops'])('starts at the group %s', async (reference) => {
    await using server = await paged();
    expect((await iam(['groups', 'tree', reference], server)).out).toBe('ops  DEPLOY + READ\n└─ base  READ\n');
  });

  test('prints each node with its effective roles for programs', async () => {
    await using server = await paged();
    const nodes = JSON.parse((await iam(['groups', 'tree', 'ops', '-o', 'json'], server)).out) as unknown[];
    expect(nodes[1]).toEqual({
      groupId: 'id-ops',
      groupName: 'ops',
      roles: ['DEPLOY'],
      effectiveRoles: ['DEPLOY', 'READ'],
      dependencies: ['base'],
    });
  });

  test('reports an unknown group', async () => {
    await using server = await paged();
    expect((await iam(['groups', 'tree', 'nothing'], server)).code).toBe(3);
  });
});
