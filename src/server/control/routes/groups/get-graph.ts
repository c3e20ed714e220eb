import * as z from 'zod';
import { GroupReference } from '../../../../contract/schemas/group.ts';
import { exampleText } from '../../../../contract/schemas/primitives.ts';
import { type GroupNode, readGroupGraph } from '../../../directory/group-graph.ts';
import { requireGroup } from '../../../directory/groups.ts';
import { defineRoute } from '../../define.ts';

const maxNodes = 1000;
const maxEdges = 10_000;
const maxRoles = 100;

const count = (description: string) => z.int().meta({ description, examples: [1] });

const Node = z.strictObject({
  groupId: exampleText('64b0c0ffee00000000000001'),
  groupName: exampleText('ops'),
  roles: z.array(z.string()).meta({ description: `Own roles; the first ${maxRoles}`, examples: [['DEPLOY']] }),
  roleCount: count('Number of own roles'),
  inheritedRoles: z.array(z.string()).meta({
    description: `Roles of dependencies, direct and transitive, that it does not have itself; sorted; the first ${maxRoles}`,
    examples: [['VIEW']],
  }),
  inheritedRoleCount: count('Number of inherited roles'),
  dependentCount: count('Number of groups that directly depend on it; while there are any, it cannot be deleted'),
  members: z
    .strictObject({
      user: count('Users'),
      business: count('Businesses, with all their users'),
      businessUser: count('Users on behalf of a business'),
      service: count('Service accounts'),
    })
    .describe('Number of direct members by kind'),
});

const Graph = z.strictObject({
  nodes: z.array(Node).describe('Groups, by id; with root, first the root'),
  edges: z
    .array(
      z.strictObject({
        from: exampleText('64b0c0ffee00000000000001', 'Id of the group'),
        to: exampleText('64b0c0ffee00000000000002', 'Id of the group whose roles it inherits'),
      }),
    )
    .describe(`Dependencies between these groups; the first ${maxEdges}`),
  groupCount: count('Number of groups without the limit'),
  edgeCount: count('Number of dependencies between these groups'),
});

export default defineRoute({
  capability: 'read',
  id: 'control.group-graph',
  title: 'Get the dependency graph of groups',
  description:
    'Groups with own and inherited roles, number of dependents and of members by kind, and the dependencies between them. With root, the group, the groups that it depends on, and the groups that depend on it, directly and transitively.',
  method: 'GET',
  path: '/groups/graph',
  audit: { kind: 'read', targets: {} },
  request: {
    query: {
      root: GroupReference.optional().describe('Id or name of a group'),
      limit: z
        .number()
        .int('must be a whole number')
        .min(1, 'must be at least 1')
        .max(maxNodes, `must be at most ${maxNodes}`)
        .optional()
        .meta({ description: `Max number of groups, 1 to ${maxNodes} (default: ${maxNodes})`, examples: [100] }),
    },
  },
  response: { status: 200, body: Graph },
  errors: ['GROUP_NOT_FOUND'],

  async handle({ query: { root, limit = maxNodes } }, { store }) {
    const group = root === undefined ? undefined : await requireGroup(store, root);
    const { nodes, groupCount } = await readGroupGraph(store, { root: group, limit });
    const edges = listEdges(nodes);
    return { nodes: nodes.map(toNode), edges: edges.slice(0, maxEdges), groupCount, edgeCount: edges.length };
  },
});

function listEdges(nodes: readonly GroupNode[]) {
  const shown = new Set(nodes.map(({ group }) => group.groupId));
  return nodes.flatMap(({ group: { groupId, dependencies } }) =>
    dependencies.filter((to) => shown.has(to)).map((to) => ({ from: groupId, to })),
  );
}

function toNode({ group, inheritedRoles, dependentCount, members }: GroupNode): z.input<typeof Node> {
  const { groupId, groupName, roles } = group;
  return {
    groupId,
    groupName,
    roles: roles.slice(0, maxRoles),
    roleCount: roles.length,
    inheritedRoles: inheritedRoles.slice(0, maxRoles),
    inheritedRoleCount: inheritedRoles.length,
    dependentCount,
    members,
  };
}
