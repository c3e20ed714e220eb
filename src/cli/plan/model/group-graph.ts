/** Dependency graph of groups: topological order, cycles and effective roles. Pure. */

/** Dependencies by group name. Unknown names are ignored. */
export type Dependencies = ReadonlyMap<string, { readonly dependencies: readonly string[] }>;

export interface TopologicalOrder {
  /** Every group after its dependencies. */
  readonly order: readonly string[];
  /** Cycles, each from a group back to itself: `a, b, a`. */
  readonly cycles: readonly (readonly string[])[];
}

/** Depth-first search without recursion, because dependency chains can be very long. */
export function sortTopologically(graph: Dependencies): TopologicalOrder {
  const order: string[] = [];
  const done = new Set<string>();
  const cycles: string[][] = [];
  for (const start of graph.keys()) {
    const path: { readonly name: string; next: number }[] = done.has(start) ? [] : [{ name: start, next: 0 }];
    const onPath = new Set(path.map(({ name }) => name));
    for (let at = path.at(-1); at; at = path.at(-1)) {
      const below = graph.get(at.name)?.dependencies[at.next++];
      if (below === undefined) {
        path.pop();
        onPath.delete(at.name);
        done.add(at.name);
        order.push(at.name);
      } else if (onPath.has(below)) cycles.push([...sliceFrom(path, below), below]);
      else if (!done.has(below) && graph.has(below)) {
        path.push({ name: below, next: 0 });
        onPath.add(below);
      }
    }
  }
  return { order, cycles };
}

function sliceFrom(path: readonly { readonly name: string }[], start: string): string[] {
  const names = path.map(({ name }) => name);
  return names.slice(names.indexOf(start));
}

/** Groups by level: those of a level depend on groups of lower levels only. The graph must be acyclic. */
export function computeLevels(graph: Dependencies): string[][] {
  const levels: string[][] = [];
  const levelOf = new Map<string, number>();
  for (const name of sortTopologically(graph).order) {
    const below = graph.get(name)?.dependencies ?? [];
    const level = below.reduce((highest, one) => Math.max(highest, (levelOf.get(one) ?? -1) + 1), 0);
    levelOf.set(name, level);
    if (level === levels.length) levels.push([]);
    levels[level]?.push(name);
  }
  return levels;
}

/** Whether `start` depends on `end`, directly or transitively. */
export function isReachable(graph: Dependencies, start: string, end: string): boolean {
  const seen = new Set([start]);
  // Iterating a Set includes elements added during the iteration.
  for (const name of seen) {
    if (name === end) return true;
    for (const below of graph.get(name)?.dependencies ?? []) seen.add(below);
  }
  return false;
}

type RoleGraph = ReadonlyMap<string, { readonly roles: readonly string[]; readonly dependencies: readonly string[] }>;

/** Computes the effective roles of each group: its own and those of all dependencies. The graph must be acyclic. */
export function computeGroupRoles(groups: RoleGraph): Map<string, ReadonlySet<string>> {
  const rolesByGroup = new Map<string, ReadonlySet<string>>();
  for (const name of sortTopologically(groups).order) {
    const { roles = [], dependencies = [] } = groups.get(name) ?? {};
    const roleNames = new Set(roles);
    for (const below of dependencies) for (const role of rolesByGroup.get(below) ?? []) roleNames.add(role);
    rolesByGroup.set(name, roleNames);
  }
  return rolesByGroup;
}
