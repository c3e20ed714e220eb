/** What the group that was chosen in the graph gives, and the way to its page. */
import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { formatNames } from '../../../components/texts/format-names.ts';
import type { GroupGraphNode } from '../data/use-groups.ts';
import { formatMembers } from '../detail/group-facts.tsx';

interface ChosenGroupProps {
  readonly node: GroupGraphNode;
  onFocus(groupId: string): void;
}

const maxRoles = 20;

export function ChosenGroup({ node, onFocus }: ChosenGroupProps) {
  const { groupId, groupName, roles, inheritedRoles, inheritedRoleCount, roleCount, dependentCount } = node;
  return (
    <Paper withBorder p="md" component="section" aria-label="Chosen group" aria-live="polite">
      <Stack gap="xs" style={{ overflowWrap: 'anywhere' }}>
        <Title order={2} size="h5">
          {groupName}
        </Title>
        <Text size="sm">Own roles: {formatNames(roles, roleCount, maxRoles)}</Text>
        <Text size="sm">Inherited roles: {formatNames(inheritedRoles, inheritedRoleCount, maxRoles)}</Text>
        <Text size="sm">
          Members: {formatMembers(node)}. Groups that depend on it: {dependentCount}.
        </Text>
        <Group gap="xs">
          <Button component={Link} to="/groups/$" params={{ _splat: groupId } as never} size="compact-md">
            Open the group
          </Button>
          <Button size="compact-md" variant="default" onClick={() => onFocus(groupId)}>
            Show what it is connected to
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}
