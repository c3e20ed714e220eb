/** The graph of groups for programs: from the control plane, or from the list of groups where there is none. */
import type { Context } from '../../context.ts';
import type { TableRow } from '../../output/table.ts';
import { buildListShape, callOptionalControlPlane } from '../../request/control-plane.ts';
import { printPages } from '../../request/pagination.ts';
import type { Graph } from './graph.ts';

interface GraphDataNode {
  readonly groupId: string;
  readonly groupName: string;
  readonly roles: readonly string[];
  readonly inheritedRoles: readonly string[];
  readonly dependentCount: number;
  /** Only from the control plane. */
  readonly members?: Readonly<Record<'user' | 'business' | 'businessUser' | 'service', number>>;
}

export interface GraphData {
  readonly nodes: readonly GraphDataNode[];
  /** By group id: `from` depends on `to`. */
  readonly edges: readonly { readonly from: string; readonly to: string }[];
  /** Numbers without the limit. */
  readonly groupCount: number;
  readonly edgeCount: number;
}

export interface GraphRequest {
  /** Id or name of a group. */
  readonly root: string | undefined;
  /** Max number of groups. */
  readonly limit: number | undefined;
}

const columns = ['groupName', 'roles', 'inheritedRoles', 'dependents', 'members'];
const shape = buildListShape(
  [...columns, 'groupId', 'users', 'businesses', 'businessUsers', 'services'],
  columns.length,
);

/** Reads the graph from the control plane. @returns undefined if the server has none */
export async function readGraphData(context: Context, { root, limit }: GraphRequest): Promise<GraphData | undefined> {
  const response = await callOptionalControlPlane(context, 'GET', '/_iam/groups/graph', { query: { root, limit } });
  return response?.body as GraphData | undefined;
}

/** The same data from the list of groups, without numbers of members. */
export function buildGraphData(all: Graph, shown: Graph, limit = Number.POSITIVE_INFINITY): GraphData {
  const dependents = new Map<string, number>();
  for (const { dependencies } of all.values())
    for (const name of dependencies) dependents.set(name, (dependents.get(name) ?? 0) + 1);
  const nodes = [...shown.values()].slice(0, limit);
  const listed = new Set(nodes.map(({ groupName }) => groupName));
  const edges = nodes.flatMap(({ groupId, dependencies }) =>
    dependencies
      .filter((name) => listed.has(name))
      .map((name) => ({ from: groupId, to: shown.get(name)?.groupId ?? '' })),
  );
  return {
    nodes: nodes.map(({ groupId, groupName, roles, effectiveRoles }) => ({
      groupId,
      groupName,
      roles,
      inheritedRoles: effectiveRoles.filter((role) => !roles.includes(role)),
      dependentCount: dependents.get(groupName) ?? 0,
    })),
    edges,
    groupCount: shown.size,
    edgeCount: edges.length,
  };
}

/** Prints the whole graph as JSON or YAML, or one row for each group. */
export async function printGraphData(context: Context, graph: GraphData): Promise<void> {
  const { format } = context.printer;
  if (format === 'json' || format === 'yaml') await context.printer.value(graph);
  else await printPages(context, async () => ({ items: graph.nodes.map(toRow) }), shape, { all: true });
  if (graph.groupCount > graph.nodes.length)
    context.notice(`Showing ${graph.nodes.length} of ${graph.groupCount} groups.`);
}

function toRow({ groupName, roles, inheritedRoles, dependentCount, members, groupId }: GraphDataNode): TableRow {
  const row = { groupName, roles, inheritedRoles, dependents: dependentCount, groupId };
  if (!members) return row;
  const { user, business, businessUser, service } = members;
  return {
    ...row,
    members: user + business + businessUser + service,
    users: user,
    businesses: business,
    businessUsers: businessUser,
    services: service,
  };
}
