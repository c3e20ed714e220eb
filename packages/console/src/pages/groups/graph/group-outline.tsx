/** The graph as text, for narrow screens: below each group those that it depends on, each part once. */
import type { ReactNode } from 'react';
import { Subject } from '../../../components/subject.tsx';
import { formatCount } from '../../../components/texts/format-count.ts';
import { collectTargets, countMembers } from '../data/group-inheritance.ts';
import type { GroupGraphData } from '../data/use-groups.ts';

export function GroupOutline({ graph }: { readonly graph: GroupGraphData }) {
  const nodes = new Map(graph.nodes.map((node) => [node.groupId, node]));
  const targets = collectTargets(graph.edges);
  const inner = new Set(graph.edges.map(({ to }) => to));
  const drawn = new Set<string>();
  const renderGroups = (ids: readonly string[]): ReactNode => (
    <ul className="group-outline">
      {ids.flatMap((id) => {
        const node = nodes.get(id);
        if (node === undefined) return [];
        const below = targets.get(id) ?? [];
        const isRepeated = drawn.has(id) && below.length > 0;
        drawn.add(id);
        return [
          <li key={id}>
            <div>
              <Subject kind="group" id={id} name={node.groupName} />
              <span>
                {isRepeated
                  ? 'see above'
                  : `${formatCount(node.roleCount, 'role')}, ${formatCount(countMembers(node), 'member')}`}
              </span>
            </div>
            {below.length === 0 || isRepeated ? undefined : renderGroups(below)}
          </li>,
        ];
      })}
    </ul>
  );
  return renderGroups(graph.nodes.map(({ groupId }) => groupId).filter((id) => !inner.has(id)));
}
