/** The groups whose roles a group inherits, and the groups that inherit its roles. */
import { SimpleGrid } from '@mantine/core';
import { useMemo } from 'react';
import { DataTable } from '../../../components/data-table.tsx';
import { RoleChips } from '../../../components/object/role-chip.tsx';
import { Subject } from '../../../components/subject.tsx';
import { listNeighbours } from '../data/group-inheritance.ts';
import type { GroupGraphData, GroupGraphNode } from '../data/use-groups.ts';
import { FactSection } from './role-facts.tsx';

interface DependencyFactsProps {
  readonly graph: GroupGraphData;
  readonly node: GroupGraphNode;
}

/** More neighbours than these are in the graph only. */
const maxShown = 50;
const maxRoles = 5;

export function DependencyFacts({ graph, node }: DependencyFactsProps) {
  const { dependencies, dependents } = useMemo(() => listNeighbours(graph, node.groupId), [graph, node.groupId]);
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }}>
      <FactSection
        title="Dependencies"
        count={dependencies.length}
        shown={Math.min(dependencies.length, maxShown)}
        empty="This group depends on no other group."
      >
        <NeighbourTable label="Dependencies" nodes={dependencies} />
      </FactSection>
      <FactSection
        title="Dependents"
        count={node.dependentCount}
        shown={Math.min(dependents.length, maxShown)}
        empty="No group depends on this group."
      >
        <NeighbourTable label="Dependents" nodes={dependents} />
      </FactSection>
    </SimpleGrid>
  );
}

function NeighbourTable({ label, nodes }: { readonly label: string; readonly nodes: readonly GroupGraphNode[] }) {
  return (
    <DataTable
      aria-label={label}
      style={{ overflowWrap: 'anywhere' }}
      titles={['Group', 'Own roles']}
      rows={nodes.slice(0, maxShown).map((node) => ({
        key: node.groupId,
        cells: [
          <Subject key={node.groupId} kind="group" id={node.groupId} name={node.groupName} />,
          <RoleChips key="roles" roles={node.roles.slice(0, maxRoles)} total={node.roleCount} />,
        ],
      }))}
    />
  );
}
