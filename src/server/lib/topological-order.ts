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

/**
 * Follows each reference once, from the ends of the chains, by Kahn's algorithm (Topological sorting of large networks,
 * 1962). Yields to the event loop.
 */
export async function measureChains(nodes: readonly GraphNode[]): Promise<Chains> {
  const pause = createPause();
  const lengths = new Map(nodes.map(({ key }) => [key, 0]));
  const open = new Map<string, number>();
  const sources = new Map<string, string[]>();
  const ended: string[] = [];
  for (const { key, targets } of nodes) {
    const known = targets.filter((target) => lengths.has(target));
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
  let longest = 0;
  for (let key = ended.pop(); key !== undefined; key = ended.pop()) {
    open.delete(key);
    const length = (lengths.get(key) ?? 0) + 1;
    longest = Math.max(longest, length);
    for (const source of sources.get(key) ?? []) {
      const pausing = pause();
      if (pausing) await pausing;
      lengths.set(source, Math.max(lengths.get(source) ?? 0, length));
      const rest = (open.get(source) ?? 0) - 1;
      open.set(source, rest);
      if (rest === 0) ended.push(source);
    }
  }
  return { longest, endless: nodes.filter(({ key }) => open.has(key)) };
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
