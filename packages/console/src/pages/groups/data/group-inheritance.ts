/** Which groups give a group its inherited roles, from the graph of its dependencies. */
import type { GroupGraphData, GroupGraphNode } from './use-groups.ts';

export interface InheritedRole {
  readonly role: string;
  /** Groups that have the role themselves, the nearest first; empty if the server left them out. */
  readonly sources: readonly GroupGraphNode[];
}

/** @param node a group of the graph, read with this group as its root */
export function listInheritedRoles(graph: GroupGraphData, node: GroupGraphNode): InheritedRole[] {
  const reached = listDependencyNodes(graph, node.groupId);
  return node.inheritedRoles.map((role) => ({ role, sources: reached.filter(({ roles }) => roles.includes(role)) }));
}

/** All dependencies of a group, direct and indirect, the nearest first. */
function listDependencyNodes(graph: GroupGraphData, groupId: string): GroupGraphNode[] {
  const nodes = new Map(graph.nodes.map((node) => [node.groupId, node]));
  const targets = collectTargets(graph.edges);
  const seen = new Set([groupId]);
  const queue = [groupId];
  for (const from of queue)
    for (const to of targets.get(from) ?? []) {
      if (seen.has(to)) continue;
      seen.add(to);
      queue.push(to);
    }
  return queue.slice(1).flatMap((id) => nodes.get(id) ?? []);
}

export type GroupEdge = GroupGraphData['edges'][number];

/** The groups to which edges lead, by the group from which they come. */
export function collectTargets(edges: readonly GroupEdge[]): Map<string, string[]> {
  const targets = new Map<string, string[]>();
  for (const { from, to } of edges) {
    const found = targets.get(from);
    if (found) found.push(to);
    else targets.set(from, [to]);
  }
  return targets;
}

/** The groups with which a group is connected, in either direction. */
export function collectNeighbours(edges: readonly GroupEdge[]): Map<string, string[]> {
  return collectTargets([...edges, ...edges.map(({ from, to }) => ({ from: to, to: from }))]);
}

/** The groups that a group depends on itself, and those that depend on it, by name. */
export function listNeighbours(graph: GroupGraphData, groupId: string) {
  const nodes = new Map(graph.nodes.map((node) => [node.groupId, node]));
  const toNodes = (ids: readonly string[]) => ids.flatMap((id) => nodes.get(id) ?? []).toSorted(compareNames);
  return {
    dependencies: toNodes(graph.edges.filter(({ from }) => from === groupId).map(({ to }) => to)),
    dependents: toNodes(graph.edges.filter(({ to }) => to === groupId).map(({ from }) => from)),
  };
}

function compareNames(a: GroupGraphNode, b: GroupGraphNode): number {
  return a.groupName.localeCompare(b.groupName);
}

/** Members of all kinds. */
export function countMembers({ members }: GroupGraphNode): number {
  return members.user + members.business + members.businessUser + members.service;
}
