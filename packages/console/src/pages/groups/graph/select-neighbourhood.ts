/** Which groups of a large graph are drawn first. */
import { collectNeighbours } from '../data/group-inheritance.ts';
import type { GroupGraphData } from '../data/use-groups.ts';

/** Up to this number, all groups are drawn at once. */
export const maxDrawnAtOnce = 60;

/** The groups within a distance of a group, over dependencies in both directions. */
export function selectNeighbourhood(graph: GroupGraphData, focus: string, distance: number): GroupGraphData {
  const near = collectNeighbours(graph.edges);
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
  const near = collectNeighbours(graph.edges);
  const sizeOf = ({ groupId }: { readonly groupId: string }) => {
    const size = near.get(groupId)?.length ?? 0;
    return size > maxLegible ? 0 : size;
  };
  return graph.nodes.toSorted((a, b) => sizeOf(b) - sizeOf(a))[0]?.groupId;
}
