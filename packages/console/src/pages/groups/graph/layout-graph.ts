/** Places the groups of a graph in layers: each above the groups that it depends on. */
import { collectNeighbours, collectTargets, type GroupEdge } from '../data/group-inheritance.ts';

export interface NodePlace {
  readonly x: number;
  readonly y: number;
}

export const nodeSize = { width: 220, height: 104 } as const;

const gap = { x: 32, y: 72 } as const;

/** A layer with more groups continues in another row. Wide layers have longer rows, to keep the form of the window. */
function maxPerRow({ length }: readonly string[]): number {
  return Math.max(5, Math.ceil(1.2 * Math.sqrt(length)));
}

/** How often the order within the layers is improved. */
const rounds = 4;

/** The place of each id. Edges to other ids are ignored. Needs a graph without cycles. */
export function layoutGraph(ids: readonly string[], edges: readonly GroupEdge[]): Map<string, NodePlace> {
  const known = new Set(ids);
  const inside = edges.filter(({ from, to }) => known.has(from) && known.has(to));
  const layers = orderLayers(groupByLayer(ids, inside), inside);
  const places = new Map<string, NodePlace>();
  let row = 0;
  for (const layer of layers)
    for (let start = 0; start < layer.length; start += maxPerRow(layer), row += 1)
      placeRow(layer.slice(start, start + maxPerRow(layer)), row, places);
  return places;
}

/** Rows are centred on each other. */
function placeRow(ids: readonly string[], row: number, places: Map<string, NodePlace>): void {
  const step = nodeSize.width + gap.x;
  const left = (-(ids.length - 1) * step) / 2;
  for (const [at, id] of ids.entries()) places.set(id, { x: left + at * step, y: row * (nodeSize.height + gap.y) });
}

/** The longest way from a group on which no other depends. */
function groupByLayer(ids: readonly string[], edges: readonly GroupEdge[]): string[][] {
  const targets = collectTargets(edges);
  const open = new Map(ids.map((id) => [id, 0]));
  for (const { to } of edges) open.set(to, (open.get(to) ?? 0) + 1);
  const depths = new Map(ids.map((id) => [id, 0]));
  const queue = ids.filter((id) => open.get(id) === 0);
  for (const id of queue)
    for (const target of targets.get(id) ?? []) {
      depths.set(target, Math.max(depths.get(target) ?? 0, (depths.get(id) ?? 0) + 1));
      const left = (open.get(target) ?? 0) - 1;
      open.set(target, left);
      if (left === 0) queue.push(target);
    }
  const layers: string[][] = [];
  for (const id of ids) {
    const depth = depths.get(id) ?? 0;
    layers[depth] = [...(layers[depth] ?? []), id];
  }
  return layers;
}

/** Moves each group near its neighbours, so that fewer edges cross. */
function orderLayers(layers: readonly string[][], edges: readonly GroupEdge[]): string[][] {
  const neighbours = collectNeighbours(edges);
  let ordered = layers.map((layer) => [...layer]);
  for (let round = 0; round < rounds; round += 1) {
    const ranks = new Map(ordered.flatMap((layer) => layer.map((id, at) => [id, (at + 0.5) / layer.length] as const)));
    const rankOf = (id: string) => {
      const near = neighbours.get(id) ?? [];
      const own = ranks.get(id) ?? 0;
      return near.length === 0 ? own : near.reduce((sum, other) => sum + (ranks.get(other) ?? own), 0) / near.length;
    };
    ordered = ordered.map((layer) => layer.toSorted((a, b) => rankOf(a) - rankOf(b)));
  }
  return ordered;
}
