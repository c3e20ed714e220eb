/**
 * Places the groups of a graph in columns: each left of the groups that it depends on. An edge over several columns has a
 * place of its own in those between, so that it is behind no group (layers, order and coordinates as by Sugiyama).
 */
import { collectNeighbours, collectTargets, type GroupEdge } from '../data/group-inheritance.ts';

export interface GraphPoint {
  readonly x: number;
  readonly y: number;
}

export interface GraphLayout {
  /** The upper left corner of each group, by its id. */
  readonly places: ReadonlyMap<string, GraphPoint>;
  /** Where an edge enters the columns that it crosses, by `edgeId`. */
  readonly routes: ReadonlyMap<string, readonly GraphPoint[]>;
}

export const nodeSize = { width: 200, height: 72 } as const;

const gap = { x: 52, y: 16 } as const;
/** How often the order within the columns is improved. */
const rounds = 4;
/** Groups without edges are below the others, in as many columns at least. */
const minColumns = 4;

/** What a column contains: a group, or an edge on its way through. */
interface Item {
  readonly id: string;
  readonly isGroup: boolean;
}

export function edgeId({ from, to }: GroupEdge): string {
  return `${from} ${to}`;
}

/** Edges to other ids are ignored. Needs a graph without cycles. */
export function layoutGraph(ids: readonly string[], edges: readonly GroupEdge[]): GraphLayout {
  const known = new Set(ids);
  const inside = edges.filter(({ from, to }) => known.has(from) && known.has(to));
  const connected = new Set(inside.flatMap(({ from, to }) => [from, to]));
  const depths = findDepths(
    ids.filter((id) => connected.has(id)),
    inside,
  );
  const { columns, links, routes } = routeEdges(depths, inside);
  const placed = placeColumns(orderColumns(columns, links), links);
  const loose = ids.filter((id) => !connected.has(id));
  const ends = [...placed].map(([id, { y }]) => y + (connected.has(id) ? nodeSize.height : 0));
  const top = Math.max(-gap.y, ...ends) + gap.y;
  const perRow = Math.max(columns.length, minColumns);
  for (const [at, id] of loose.entries())
    placed.set(id, {
      x: (at % perRow) * (nodeSize.width + gap.x),
      y: top + Math.floor(at / perRow) * (nodeSize.height + gap.y),
    });
  const pointOf = (id: string) => placed.get(id) ?? { x: 0, y: 0 };
  return {
    places: new Map(ids.map((id) => [id, pointOf(id)])),
    routes: new Map([...routes].map(([id, through]) => [id, through.map(pointOf)])),
  };
}

/** The longest way from each group to one without dependencies. */
function findDepths(ids: readonly string[], edges: readonly GroupEdge[]): Map<string, number> {
  const sources = collectTargets(edges.map(({ from, to }) => ({ from: to, to: from })));
  const open = new Map(ids.map((id) => [id, 0]));
  for (const { from } of edges) open.set(from, (open.get(from) ?? 0) + 1);
  const depths = new Map(ids.map((id) => [id, 0]));
  const queue = ids.filter((id) => open.get(id) === 0);
  for (const id of queue)
    for (const source of sources.get(id) ?? []) {
      depths.set(source, Math.max(depths.get(source) ?? 0, (depths.get(id) ?? 0) + 1));
      const left = (open.get(source) ?? 0) - 1;
      open.set(source, left);
      if (left === 0) queue.push(source);
    }
  return depths;
}

/** The columns from left to right, edges from one column to the next, and the items that each long edge passes. */
function routeEdges(depths: ReadonlyMap<string, number>, edges: readonly GroupEdge[]) {
  const last = Math.max(-1, ...depths.values());
  const columns: Item[][] = Array.from({ length: last + 1 }, () => []);
  for (const [id, depth] of depths) columns[last - depth]?.push({ id, isGroup: true });
  const links: GroupEdge[] = [];
  const routes = new Map<string, string[]>();
  for (const edge of edges) {
    const through: string[] = [];
    const start = last - (depths.get(edge.from) ?? 0);
    for (let column = start + 1; column < last - (depths.get(edge.to) ?? 0); column += 1) {
      const id = `${edgeId(edge)} ${column}`;
      columns[column]?.push({ id, isGroup: false });
      through.push(id);
    }
    routes.set(edgeId(edge), through);
    const way = [edge.from, ...through, edge.to];
    for (const [at, to] of way.slice(1).entries()) links.push({ from: way[at] ?? edge.from, to });
  }
  return { columns, links, routes };
}

/** Moves each item near its neighbours, so that fewer edges cross. */
function orderColumns(
  columns: readonly (readonly Item[])[],
  links: readonly GroupEdge[],
): readonly (readonly Item[])[] {
  const neighbours = collectNeighbours(links);
  let ordered = columns;
  for (let round = 0; round < rounds; round += 1) {
    const ranks = new Map(
      ordered.flatMap((column) => column.map(({ id }, at) => [id, (at + 0.5) / column.length] as const)),
    );
    const rankOf = ({ id }: Item) => mean(neighbours.get(id) ?? [], ranks) ?? ranks.get(id) ?? 0;
    ordered = ordered.map((column) => column.toSorted((a, b) => rankOf(a) - rankOf(b)));
  }
  return ordered;
}

/** Moves the items of each column towards their neighbours in the others, without changing their order. */
function placeColumns(columns: readonly (readonly Item[])[], links: readonly GroupEdge[]): Map<string, GraphPoint> {
  const neighbours = collectNeighbours(links);
  const middles = new Map<string, number>();
  for (const column of columns) spread(column, () => undefined, middles);
  for (let round = 0; round < rounds; round += 1)
    for (const column of round % 2 === 0 ? columns.toReversed() : columns)
      spread(column, ({ id }) => mean(neighbours.get(id) ?? [], middles), middles);
  const items = columns.flatMap((column, at) =>
    column.map((item) => {
      const height = heightOf(item);
      return { id: item.id, x: at * (nodeSize.width + gap.x), y: (middles.get(item.id) ?? 0) - height / 2, height };
    }),
  );
  return closeGaps(items);
}

interface PlacedItem extends GraphPoint {
  readonly id: string;
  readonly height: number;
}

/** Moves up what is below a band without items: parts that are not connected drift apart. */
function closeGaps(items: readonly PlacedItem[]): Map<string, GraphPoint> {
  const places = new Map<string, GraphPoint>();
  const sorted = items.toSorted((a, b) => a.y - b.y);
  let end = sorted[0]?.y ?? 0;
  let shift = end;
  for (const { id, x, y, height } of sorted) {
    shift += Math.max(0, y - end - gap.y);
    end = Math.max(end, y + height);
    places.set(id, { x, y: y - shift });
  }
  return places;
}

/** Gives each item the nearest place to the wanted one that keeps the order and the gaps: an isotonic regression. */
function spread(
  column: readonly Item[],
  wanted: (item: Item) => number | undefined,
  middles: Map<string, number>,
): void {
  const blocks: { readonly items: Item[]; offsets: number[]; start: number; height: number }[] = [];
  for (const item of column) {
    const height = heightOf(item) + gap.y;
    const start = (wanted(item) ?? middles.get(item.id) ?? 0) - height / 2;
    let block = { items: [item], offsets: [height / 2], start, height };
    for (let above = blocks.at(-1); above && above.start + above.height > block.start; above = blocks.at(-1)) {
      blocks.pop();
      const { items, offsets } = above;
      const weight = items.length + block.items.length;
      const aim = above.start * items.length + (block.start - above.height) * block.items.length;
      block = {
        items: [...items, ...block.items],
        offsets: [...offsets, ...block.offsets.map((offset) => offset + above.height)],
        start: aim / weight,
        height: above.height + block.height,
      };
    }
    blocks.push(block);
  }
  for (const { items, offsets, start } of blocks)
    for (const [at, { id }] of items.entries()) middles.set(id, start + (offsets[at] ?? 0));
}

function heightOf({ isGroup }: Item): number {
  return isGroup ? nodeSize.height : 0;
}

function mean(ids: readonly string[], values: ReadonlyMap<string, number>): number | undefined {
  const found = ids.flatMap((id) => values.get(id) ?? []);
  return found.length === 0 ? undefined : found.reduce((sum, value) => sum + value, 0) / found.length;
}
