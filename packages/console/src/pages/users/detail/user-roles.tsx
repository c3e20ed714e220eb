/** The effective roles of a user, each with the groups that give it; a role opens the path to it. */
import { Button, Code, Group, List, Loader, Stack, Text } from '@mantine/core';
import { Fragment } from 'react';
import { usePage } from '../../../api/use-page.ts';
import { ErrorPanel } from '../../../components/error-panel.tsx';
import { PageSection } from '../../../components/section.tsx';
import { Subject } from '../../../components/subject.tsx';
import { RolePathEquivalents, useRolePath } from '../../groups/role-path/role-path.tsx';
import { RolePathDrawing } from '../../groups/role-path/role-path-drawing.tsx';
import type { ShownUser } from '../shown-user.ts';

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
                from{' '}
                {groups.map((name, at) => (
                  <Fragment key={name}>
                    {at === 0 ? '' : ', '}
                    <Subject kind="group" id={name} name={name} />
                  </Fragment>
                ))}
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
  const { data, error } = useRolePath(userId, role);
  if (error) return <ErrorPanel error={error} />;
  if (data === undefined) return <Loader size="xs" aria-label="Loading" />;
  return (
    <Stack gap="xs" p="xs">
      {data.paths.map((path) => (
        <RolePathDrawing key={`${path.kind} ${path.groups[0]?.groupId}`} path={path} answer={data} />
      ))}
      <RolePathEquivalents userId={userId} role={role} />
    </Stack>
  );
}
