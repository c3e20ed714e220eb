/** The roles of a group: its own, and those of its dependencies with the groups that have them. */
import { Group, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useMemo } from 'react';
import { DataTable } from '../../../components/data-table.tsx';
import { RoleChip, RoleChips } from '../../../components/object/role-chip.tsx';
import { Subject } from '../../../components/subject.tsx';
import { listInheritedRoles } from '../data/group-inheritance.ts';
import type { GroupGraphData, GroupGraphNode } from '../data/use-groups.ts';

interface RoleFactsProps {
  readonly graph: GroupGraphData;
  readonly node: GroupGraphNode;
}

/** More groups than these that give the same role are counted. */
const maxSources = 5;

export function OwnRoles({ node }: Pick<RoleFactsProps, 'node'>) {
  return (
    <FactSection
      title="Own roles"
      count={node.roleCount}
      shown={node.roles.length}
      empty="This group has no roles of its own."
    >
      <RoleChips roles={node.roles} />
    </FactSection>
  );
}

export function InheritedRoles({ graph, node }: RoleFactsProps) {
  const inherited = useMemo(() => listInheritedRoles(graph, node), [graph, node]);
  return (
    <FactSection
      title="Inherited roles"
      count={node.inheritedRoleCount}
      shown={inherited.length}
      empty="This group inherits no roles."
    >
      <DataTable
        aria-label="Inherited roles"
        style={{ overflowWrap: 'anywhere' }}
        titles={['Role', 'From']}
        rows={inherited.map(({ role, sources }) => ({
          key: role,
          cells: [
            <RoleChip key="role" role={role} />,
            <Group key="sources" gap="xs">
              {sources.slice(0, maxSources).map((source) => (
                <Subject key={source.groupId} kind="group" id={source.groupId} name={source.groupName} />
              ))}
              {sources.length > maxSources ? <Text>and {sources.length - maxSources} more</Text> : undefined}
            </Group>,
          ],
        }))}
      />
    </FactSection>
  );
}

interface FactSectionProps {
  readonly title: string;
  readonly count: number;
  readonly shown: number;
  /** Said if there is nothing to show. */
  readonly empty: string;
  readonly children: ReactNode;
}

/** A part of the page with its heading, number of entries, and what is left out. */
export function FactSection({ title, count, shown, empty, children }: FactSectionProps) {
  return (
    <Stack gap="xs" component="section" aria-label={title}>
      <Title order={2} size="h5">
        {title} {count > 0 ? `(${count.toLocaleString('en')})` : ''}
      </Title>
      {count === 0 ? <Text c="dimmed">{empty}</Text> : children}
      {shown < count ? (
        <Text size="sm" c="dimmed">
          The first {shown} are shown.
        </Text>
      ) : undefined}
    </Stack>
  );
}
