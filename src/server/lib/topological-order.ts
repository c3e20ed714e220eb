/** Checks the whole of a graph of references in one pass. */
import { createPause } from './event-loop-turns.ts';

export interface GraphNode {
  readonly key: string;
  /** Keys of other nodes, each once; those that are no node are ignored. */
  readonly targets: readonly string[];
}

export interface Chains {
  /** The number of nodes of the longest chain of references, without those that lead into a cycle. */
  readonly longest: number;
  /** The nodes of cycles, and those that lead into one. */
  readonly endless: readonly GraphNode[];
}

/** @returns the chains of references between these nodes. */
export async function measureChains(nodes: readonly GraphNode[]): Promise<Chains> {
  const lengths = new Map<string, number>();
  let longest = 0;
  const endless = await visitFromEnds(nodes, ({ key, targets }) => {
    let length = 1;
    for (const target of targets) length = Math.max(length, (lengths.get(target) ?? 0) + 1);
    lengths.set(key, length);
    longest = Math.max(longest, length);
  });
  return { longest, endless };
}

/**
 * Visits each node after all that it refers to: follows each reference once, from the ends of the chains, by Kahn's
 * algorithm (Topological sorting of large networks, 1962). Yields to the event loop.
 * @returns the nodes of cycles, and those that lead into one: they are not visited
 */
export async function visitFromEnds<Node extends GraphNode>(
  nodes: readonly Node[],
  visit: (node: Node) => void,
): Promise<readonly Node[]> {
  const pause = createPause();
  const nodesByKey = new Map(nodes.map((node) => [node.key, node]));
  const open = new Map<string, number>();
  const sources = new Map<string, string[]>();
  const ended: string[] = [];
  for (const { key, targets } of nodes) {
    const known = targets.filter((target) => nodesByKey.has(target));
    for (const target of known) {
      const pausing = pause();
      if (pausing) await pausing;
      const list = sources.get(target);
      if (list) list.push(key);
      else sources.set(target, [key]);
    }
    open.set(key, known.length);
    if (known.length === 0) ended.push(key);
  }
  for (let key = ended.pop(); key !== undefined; key = ended.pop()) {
    open.delete(key);
    const node = nodesByKey.get(key);
    if (node) visit(node);
    for (const source of sources.get(key) ?? []) {
      const pausing = pause();
      if (pausing) await pausing;
      const rest = (open.get(source) ?? 0) - 1;
      open.set(source, rest);
      if (rest === 0) ended.push(source);
    }
  }
  return nodes.filter(({ key }) => open.has(key));
}

/** The keys of nodes on a cycle, and of those between two cycles. */
export async function findCyclicNodes(nodes: readonly GraphNode[]): Promise<ReadonlySet<string>> {
  const { endless } = await measureChains(nodes);
  if (endless.length === 0) return new Set();
  const { endless: cyclic } = await measureChains(reverse(endless));
  return new Set(cyclic.map(({ key }) => key));
}

function reverse(nodes: readonly GraphNode[]): GraphNode[] {
  const sources = new Map<string, string[]>(nodes.map(({ key }) => [key, []]));
  for (const { key, targets } of nodes) for (const target of targets) sources.get(target)?.push(key);
  return [...sources].map(([key, targets]) => ({ key, targets }));
}

interface Visit {
  readonly key: string;
  readonly index: number;
  /** The lowest index of a node on the stack that this one reaches. */
  low: number;
  /** The next target to follow. */
  next: number;
}

/**
 * The strongly connected components, each after all that it refers to and with the node first by which it was reached: in
 * one, each node reaches all others. Tarjan's algorithm (Depth-first search and linear graph algorithms, 1972) without recursion, as chains can be long.
 */
export function findComponents(nodes: readonly GraphNode[]): readonly (readonly string[])[] {
  const targetsByKey = new Map(nodes.map(({ key, targets }) => [key, targets]));
  const visits = new Map<string, Visit>();
  const stack: string[] = [];
  const onStack = new Set<string>();
  const components: string[][] = [];
  const enter = (key: string): Visit => {
    const visit = { key, index: visits.size, low: visits.size, next: 0 };
    visits.set(key, visit);
    stack.push(key);
    onStack.add(key);
    return visit;
  };
  for (const { key: start } of nodes) {
    const path = visits.has(start) ? [] : [enter(start)];
    for (let visit = path.at(-1); visit; visit = path.at(-1)) {
      const target = targetsByKey.get(visit.key)?.[visit.next];
      visit.next += 1;
      if (target !== undefined) {
        const known = visits.get(target);
        if (known && onStack.has(target)) visit.low = Math.min(visit.low, known.index);
        else if (!known && targetsByKey.has(target)) path.push(enter(target));
        continue;
      }
      path.pop();
      const parent = path.at(-1);
      if (parent) parent.low = Math.min(parent.low, visit.low);
      if (visit.low !== visit.index) continue;
      const component: string[] = [];
      for (let key = stack.pop(); key !== undefined; key = key === visit.key ? undefined : stack.pop()) {
        onStack.delete(key);
        component.push(key);
      }
      components.push(component.reverse());
    }
  }
  return components;
}
