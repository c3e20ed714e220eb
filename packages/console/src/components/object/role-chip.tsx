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

/** In characters, with what surrounds a name: the narrowest column has them. */
const lineLength = 34;
const chipLength = 2;

/** In a row of one line: as many roles as it holds, and how many others there are. */
export function RoleLine({ roles }: { readonly roles: readonly string[] }) {
  let used = 0;
  const fitting = roles.filter((role) => {
    used += role.length + chipLength;
    return used <= lineLength;
  });
  const shown = fitting.length === 0 ? roles.slice(0, 1) : fitting;
  const others = roles.slice(shown.length);
  return (
    <Group gap={4} component="span" className="role-chips" title={roles.join(', ')}>
      {shown.map((role) => (
        <RoleChip key={role} role={role} />
      ))}
      {others.length > 0 ? (
        <Text span size="xs" c="dimmed">
          +{others.length}
        </Text>
      ) : undefined}
    </Group>
  );
}
