/** The effective roles of a user, each with the groups that give it; a role opens the path to it. */
import { Button, Code, Group, List, Loader, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useConsole } from '../../../api/console-context.ts';
import { unwrap } from '../../../api/errors.ts';
import { usePage } from '../../../api/use-page.ts';
import { Equivalents, quotePositional } from '../../../components/equivalents.tsx';
import { ErrorPanel } from '../../../components/error-panel.tsx';
import { PageSection } from '../../../components/section.tsx';
import type { ShownUser } from '../data/use-users.ts';

export function UserRoles({ user: { userId, roleSources, effectiveRoleCount } }: { readonly user: ShownUser }) {
  const { search, setSearch } = usePage();
  return (
    <PageSection
      title={`Effective roles (${effectiveRoleCount})`}
      emptyText={effectiveRoleCount === 0 ? 'No roles from groups.' : undefined}
    >
      <List listStyleType="none" spacing={4}>
        {roleSources.map(({ role, groups, groupCount }) => (
          <List.Item key={role}>
            <Group gap="xs">
              <Code>{role}</Code>
              <Text size="sm">
                from <bdi>{groups.join(', ')}</bdi>
                {groupCount > groups.length ? ` and ${groupCount - groups.length} more groups` : ''}
              </Text>
              <Button
                size="compact-xs"
                variant="default"
                aria-label={`Path to ${role}`}
                aria-expanded={search.role === role}
                onClick={() => setSearch({ role: search.role === role ? undefined : role })}
              >
                Path
              </Button>
            </Group>
            {search.role === role ? <RolePathText userId={userId} role={role} /> : undefined}
          </List.Item>
        ))}
      </List>
    </PageSection>
  );
}

function RolePathText({ userId, role }: { readonly userId: string; readonly role: string }) {
  const { control } = useConsole();
  const { data, error } = useQuery({
    queryKey: ['users', 'path', userId, role],
    queryFn: ({ signal }) =>
      unwrap(control.GET('/users/{id}/roles/{role}/path', { params: { path: { id: userId, role } }, signal })),
  });
  if (error) return <ErrorPanel error={error} />;
  if (data === undefined) return <Loader size="xs" aria-label="Loading" />;
  return (
    <Stack gap="xs" p="xs">
      {data.paths.map(({ kind, groups }) => (
        <Text size="sm" key={`${kind} ${groups[0]?.groupId}`}>
          {userId} → {groups.map(({ groupName }) => groupName).join(' → ')} → {role}
        </Text>
      ))}
      <Equivalents
        command={`can ${quotePositional(userId)} ${quotePositional(role)}`}
        call={{ path: `/_iam/users/${encodeURIComponent(userId)}/roles/${encodeURIComponent(role)}/path` }}
      />
    </Stack>
  );
}
