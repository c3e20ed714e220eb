/** What identifies a group, and how many members it has. */
import { Group } from '@mantine/core';
import { useMemo } from 'react';
import { ObjectFacts } from '../../../components/object-facts.tsx';
import { Subject } from '../../../components/subject.tsx';
import { formatCount } from '../../../components/texts/format-count.ts';
import { listNeighbours } from '../data/group-inheritance.ts';
import type { GroupGraphData, GroupGraphNode, GroupRecord } from '../data/use-groups.ts';

interface GroupFactsProps {
  readonly graph: GroupGraphData;
  readonly node: GroupGraphNode;
  /** Undefined until it is read. */
  readonly group: GroupRecord | undefined;
}

export function GroupFacts({ graph, node, group }: GroupFactsProps) {
  const { dependencies } = useMemo(() => listNeighbours(graph, node.groupId), [graph, node.groupId]);
  return (
    <ObjectFacts
      label="Group"
      facts={{
        Organization: group?.organizationId,
        'Business unit': group?.businessUnitId,
        Members: formatMembers(node),
        'Depends on': <DependencyList groups={dependencies} />,
      }}
    />
  );
}

function DependencyList({ groups }: { readonly groups: readonly GroupGraphNode[] }) {
  if (groups.length === 0) return 'none';
  return (
    <Group gap="0 xs">
      {groups.slice(0, maxListed).map(({ groupId, groupName }) => (
        <Subject key={groupId} kind="group" id={groupId} name={groupName} />
      ))}
      {groups.length > maxListed ? `and ${groups.length - maxListed} more` : undefined}
    </Group>
  );
}

/** The others are in a tab of the page. */
const maxListed = 5;

const kinds = [
  ['user', 'user', 'users'],
  ['business', 'business', 'businesses'],
  ['businessUser', 'user on behalf of a business', 'users on behalf of a business'],
  ['service', 'service account', 'service accounts'],
] as const;

/** "2 users, 1 business": the kinds that are present. */
export function formatMembers({ members }: GroupGraphNode): string {
  const parts = kinds
    .filter(([kind]) => members[kind] > 0)
    .map(([kind, one, many]) => formatCount(members[kind], one, many));
  return parts.length === 0 ? 'none' : parts.join(', ');
}
