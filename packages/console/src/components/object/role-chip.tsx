/** A role or another name that is given to an object, in lists and tables. */
import { Badge, Group, Text } from '@mantine/core';

export function RoleChip({ role }: { readonly role: string }) {
  return (
    <Badge color="gray" className="role-chip">
      <bdi>{role}</bdi>
    </Badge>
  );
}

interface RoleChipsProps {
  readonly roles: readonly string[];
  /** How many there are, also those that are not listed. */
  readonly total?: number;
}

export function RoleChips({ roles, total = roles.length }: RoleChipsProps) {
  const others = total - roles.length;
  return (
    <Group gap={4} component="span" className="role-chips">
      {roles.map((role) => (
        <RoleChip key={role} role={role} />
      ))}
      {others > 0 ? (
        <Text span size="sm">
          and {others} more
        </Text>
      ) : undefined}
    </Group>
  );
}
