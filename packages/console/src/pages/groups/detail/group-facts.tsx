/** What identifies a group, and how many members it has. */

import { ObjectFacts } from '../../../components/object-facts.tsx';
import { formatCount } from '../../../components/texts/format-count.ts';
import type { GroupGraphNode, GroupRecord } from '../data/use-groups.ts';

interface GroupFactsProps {
  readonly node: GroupGraphNode;
  /** Undefined until it is read. */
  readonly group: GroupRecord | undefined;
}

export function GroupFacts({ node, group }: GroupFactsProps) {
  return (
    <ObjectFacts
      label="Group"
      facts={{
        Organization: group?.organizationId,
        'Business unit': group?.businessUnitId,
        Members: formatMembers(node),
      }}
    />
  );
}

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
