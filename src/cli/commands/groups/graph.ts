/** Builds the dependency graph of groups and renders it as text, Graphviz DOT or Mermaid. Pure. */
import { escapeControls } from '../../io/control-characters.ts';

interface GraphNode {
  readonly groupId: string;
  readonly groupName: string;
  readonly roles: readonly string[];
  /** Own roles and those of all direct and transitive dependencies. */
  readonly effectiveRoles: readonly string[];
  /** Names of direct dependencies. */
  readonly dependencies: readonly string[];
}

interface GroupLike {
  readonly groupId: string;
  readonly groupName: string;
  readonly roles: readonly string[];
  readonly dependencies: readonly { readonly groupName: string }[];
}

export type Graph = ReadonlyMap<string, GraphNode>;

/** Builds the graph of these groups, keyed and sorted by name. */
export function buildGraph(groups: readonly GroupLike[]): Graph {
  const byName = new Map(groups.map((group) => [group.groupName, group]));
  const nodes = groups.map((group) => {
    const reached = findReachable(group.groupName, byName);
    const effectiveRoles = [...new Set(reached.flatMap(({ roles }) => roles))].sort();
    const { groupId, groupName, roles } = group;
    return {
      groupId,
      groupName,
      roles: [...roles].sort(),
      effectiveRoles,
      dependencies: listDependencyNames(group).sort(),
    };
  });
  return new Map(nodes.sort((a, b) => (a.groupName < b.groupName ? -1 : 1)).map((node) => [node.groupName, node]));
}

function listDependencyNames({ dependencies }: GroupLike): string[] {
  return dependencies.map(({ groupName }) => groupName);
}

function findReachable(name: string, byName: ReadonlyMap<string, GroupLike>): GroupLike[] {
  const seen = new Set([name]);
  // Iterating a Set includes elements added during the iteration.
  for (const next of seen)
    for (const below of byName.has(next) ? listDependencyNames(byName.get(next) as GroupLike) : []) seen.add(below);
  return [...seen].flatMap((found) => byName.get(found) ?? []);
}

/** Returns the subgraph of a group: it, the groups that it depends on, and those that depend on it. */
export function findSubgraph(graph: Graph, name: string): Graph {
  const below = new Set([name]);
  for (const next of below) for (const dependency of graph.get(next)?.dependencies ?? []) below.add(dependency);
  const shown = new Set([...below, ...listDependents(graph, name)]);
  return new Map([...graph].filter(([found]) => shown.has(found)));
}

/** The names of the groups that depend on a group, the direct ones first. */
export function listDependents(graph: Graph, name: string): string[] {
  const above = new Map<string, string[]>([...graph.keys()].map((key) => [key, []]));
  for (const { groupName, dependencies } of graph.values())
    for (const dependency of dependencies) above.get(dependency)?.push(groupName);
  const seen = new Set([name]);
  for (const next of seen) for (const dependent of above.get(next) ?? []) seen.add(dependent);
  seen.delete(name);
  return [...seen];
}

/** Returns the groups that no other group depends on. */
export function findRoots(graph: Graph): string[] {
  const below = new Set([...graph.values()].flatMap(({ dependencies }) => dependencies));
  return [...graph.keys()].filter((name) => !below.has(name));
}

/** Renders text trees. Each group shows its own roles and, after a plus, its inherited roles. */
export function drawText(graph: Graph, roots: readonly string[], width?: number): string[] {
  const drawn = new Set<string>();
  return roots.flatMap((name) => drawNode(graph, name, '', '', drawn, width));
}

function drawNode(
  graph: Graph,
  name: string,
  first: string,
  rest: string,
  drawn: Set<string>,
  width?: number,
): string[] {
  const node = graph.get(name);
  if (!node) return [`${first}${escapeControls(name)}`];
  const isRepeated = drawn.has(name) && node.dependencies.length > 0;
  drawn.add(name);
  const stem = node.dependencies.length > 0 && !isRepeated ? '│ ' : '  ';
  const head = wrapWords(
    `${first}${escapeControls(name)}  `,
    `${rest}${stem}  `,
    isRepeated ? ['(drawn above)'] : formatRoles(node),
    width,
  );
  if (isRepeated) return head;
  const below = node.dependencies.flatMap((dependency, at) => {
    const isLast = at === node.dependencies.length - 1;
    return drawNode(
      graph,
      dependency,
      `${rest}${isLast ? '└─ ' : '├─ '}`,
      `${rest}${isLast ? '   ' : '│  '}`,
      drawn,
      width,
    );
  });
  return [...head, ...below];
}

function formatRoles({ roles, effectiveRoles }: GraphNode): string[] {
  const inherited = effectiveRoles.filter((role) => !roles.includes(role));
  const own = roles.length > 0 ? roles : inherited.length > 0 ? [] : ['(no roles)'];
  return [
    ...own.map(escapeControls),
    ...inherited.map((role, at) => (at === 0 ? `+ ${escapeControls(role)}` : escapeControls(role))),
  ];
}

/** Wraps words at `width`; continuation lines start with `indent`. */
function wrapWords(
  first: string,
  indent: string,
  words: readonly string[],
  width = Number.POSITIVE_INFINITY,
): string[] {
  const lines = [first];
  for (const word of words) {
    const line = lines.at(-1) ?? '';
    const isStart = line === first || line === indent;
    if (!isStart && line.length + 1 + word.length > width) lines.push(indent + word);
    else lines[lines.length - 1] = isStart ? line + word : `${line} ${word}`;
  }
  return lines.map((line) => line.trimEnd());
}

/** Renders Graphviz DOT. */
export function drawDot(graph: Graph): string[] {
  const quoted = (text: string) => `"${escapeControls(text).replace(/["\\]/g, '\\$&')}"`;
  const nodes = [...graph.values()].map(({ groupName, effectiveRoles }) => {
    const label = [groupName, ...effectiveRoles].map((line) => quoted(line).slice(1, -1)).join('\\n');
    return `  ${quoted(groupName)} [label="${label}"];`;
  });
  const edges = [...graph.values()].flatMap(({ groupName, dependencies }) =>
    dependencies.map((dependency) => `  ${quoted(groupName)} -> ${quoted(dependency)};`),
  );
  return ['digraph groups {', '  node [shape=box];', ...nodes, ...edges, '}'];
}

/** Renders a Mermaid graph. */
export function drawMermaid(graph: Graph): string[] {
  const ids = new Map([...graph.keys()].map((name, at) => [name, `g${at}`]));
  const escaped = (text: string) => escapeControls(text).replace(/["#<>&]/g, (letter) => `#${letter.charCodeAt(0)};`);
  const nodes = [...graph.values()].map(({ groupName, effectiveRoles }) => {
    return `  ${ids.get(groupName)}["${[groupName, ...effectiveRoles].map(escaped).join('<br>')}"]`;
  });
  const edges = [...graph.values()].flatMap(({ groupName, dependencies }) =>
    dependencies.filter((name) => ids.has(name)).map((name) => `  ${ids.get(groupName)} --> ${ids.get(name)}`),
  );
  return ['graph TD', ...nodes, ...edges];
}
