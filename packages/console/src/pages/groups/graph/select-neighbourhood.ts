/** Which groups of a large graph are drawn first. */
import type { GroupGraphData } from '../data/use-groups.ts';

/** Up to this number, all groups are drawn at once. */
export const maxDrawnAtOnce = 60;

/** The groups within a distance of a group, over dependencies in both directions. */
export function selectNeighbourhood(graph: GroupGraphData, focus: string, distance: number): GroupGraphData {
  const near = collectNear(graph);
  let reached = new Set([focus]);
  for (let step = 0; step < distance; step += 1) {
    const next = new Set([...reached, ...[...reached].flatMap((id) => near.get(id) ?? [])]);
    if (next.size === reached.size) break;
    reached = next;
  }
  return {
    ...graph,
    nodes: graph.nodes.filter(({ groupId }) => reached.has(groupId)),
    edges: graph.edges.filter(({ from, to }) => reached.has(from) && reached.has(to)),
  };
}

/** With more neighbours than these, the names are too small to read. */
const maxLegible = 24;

/** The group with the most neighbours that are legible when they are drawn together. */
export function findMostConnected(graph: GroupGraphData): string | undefined {
  const near = collectNear(graph);
  const sizeOf = ({ groupId }: { readonly groupId: string }) => {
    const size = near.get(groupId)?.length ?? 0;
    return size > maxLegible ? 0 : size;
  };
  return graph.nodes.toSorted((a, b) => sizeOf(b) - sizeOf(a))[0]?.groupId;
}

function collectNear({ edges }: GroupGraphData): Map<string, string[]> {
  const near = new Map<string, string[]>();
  const add = (id: string, other: string) => {
    const list = near.get(id);
    if (list) list.push(other);
    else near.set(id, [other]);
  };
  for (const { from, to } of edges) {
    add(from, to);
    add(to, from);
  }
  return near;
}
