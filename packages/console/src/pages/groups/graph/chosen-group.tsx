/** What the group that was chosen in the graph gives, and the way to its page. */
import { ActionIcon, Button, Group, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Icon } from '../../../components/icon.tsx';
import { RoleChips } from '../../../components/object/role-chip.tsx';
import type { GroupGraphNode } from '../data/use-groups.ts';
import { formatMembers } from '../detail/group-facts.tsx';

interface ChosenGroupProps {
  readonly node: GroupGraphNode;
  onFocus(groupId: string): void;
  onClose(): void;
}

const maxRoles = 20;

export function ChosenGroup({ node, onFocus, onClose }: ChosenGroupProps) {
  const { groupId, groupName, roles, inheritedRoles, inheritedRoleCount, roleCount, dependentCount } = node;
  return (
    <section className="split-panel group-panel" aria-label="Chosen group" aria-live="polite">
      <Group className="split-head" gap={4} wrap="nowrap">
        <Title order={2} size="h4" flex={1}>
          {groupName}
        </Title>
        <ActionIcon variant="subtle" color="gray" size={28} aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </ActionIcon>
      </Group>
      <Stack className="split-content" gap="sm">
        <Fact title="Own roles">
          {roleCount === 0 ? 'None' : <RoleChips roles={roles.slice(0, maxRoles)} total={roleCount} />}
        </Fact>
        <Fact title="Inherited roles">
          {inheritedRoleCount === 0 ? (
            'None'
          ) : (
            <RoleChips roles={inheritedRoles.slice(0, maxRoles)} total={inheritedRoleCount} />
          )}
        </Fact>
        <Fact title="Members">{formatMembers(node)}</Fact>
        <Fact title="Groups that depend on it">{dependentCount === 0 ? 'None' : dependentCount}</Fact>
        <Group gap="xs">
          <Button component={Link} to="/groups/$" params={{ _splat: groupId } as never} variant="default">
            Open the group
          </Button>
          <Button variant="default" onClick={() => onFocus(groupId)}>
            Show only its connections
          </Button>
        </Group>
      </Stack>
    </section>
  );
}

function Fact({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div>
      <Text size="xs" c="dimmed" mb={2}>
        {title}
      </Text>
      {children}
    </div>
  );
}
