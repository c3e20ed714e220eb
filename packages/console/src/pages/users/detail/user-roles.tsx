/** The effective roles of a user, each with the groups that have it; a role opens the path to it. */
import { Button, Loader, Stack } from '@mantine/core';
import { Fragment } from 'react';
import { usePage } from '../../../api/use-page.ts';
import { DataTable } from '../../../components/data-table.tsx';
import { ErrorPanel } from '../../../components/error-panel.tsx';
import { RoleChip } from '../../../components/object/role-chip.tsx';
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
      <DataTable
        aria-label="Effective roles"
        layout="auto"
        titles={['Role', 'From', 'Path']}
        rows={roleSources.map((source) => ({
          key: source.role,
          cells: [
            <RoleChip key="role" role={source.role} />,
            <RoleOrigin key="from" source={source} />,
            <PathButton
              key="path"
              role={source.role}
              isOpen={search.role === source.role}
              onToggle={(role) => setSearch({ role })}
            />,
          ],
          detail: search.role === source.role ? <RolePathText userId={userId} role={source.role} /> : undefined,
        }))}
      />
    </PageSection>
  );
}

/** The groups that have the role, and the groups of the user that depend on them. */
function RoleOrigin({ source }: { readonly source: ShownUser['roleSources'][number] }) {
  const { groups, groupCount, grantedBy, grantedByCount } = source;
  const through = groups.filter((name) => !grantedBy.includes(name));
  return (
    <span>
      <GroupLinks names={grantedBy} count={grantedByCount} />
      {through.length === 0 ? undefined : (
        <>
          , {through.length < groups.length ? 'also ' : ''}through{' '}
          <GroupLinks names={through} count={groupCount - groups.length + through.length} />
        </>
      )}
    </span>
  );
}

function GroupLinks({ names, count }: { readonly names: readonly string[]; readonly count: number }) {
  return (
    <>
      {names.map((name, at) => (
        <Fragment key={name}>
          {at === 0 ? '' : ', '}
          <Subject kind="group" id={name} name={name} />
        </Fragment>
      ))}
      {count > names.length ? ` and ${count - names.length} more groups` : ''}
    </>
  );
}

interface PathButtonProps {
  readonly role: string;
  readonly isOpen: boolean;
  /** With the role whose path is then shown. */
  onToggle(role: string | undefined): void;
}

function PathButton({ role, isOpen, onToggle }: PathButtonProps) {
  return (
    <Button
      size="compact-sm"
      variant="default"
      aria-label={`Path to ${role}`}
      aria-expanded={isOpen}
      onClick={() => onToggle(isOpen ? undefined : role)}
    >
      Path
    </Button>
  );
}

function RolePathText({ userId, role }: { readonly userId: string; readonly role: string }) {
  const { data, error } = useRolePath(userId, role);
  if (error) return <ErrorPanel error={error} />;
  if (data === undefined) return <Loader size="xs" aria-label="Loading" />;
  return (
    <Stack gap="xs">
      {data.paths.map((path) => (
        <RolePathDrawing key={`${path.kind} ${path.groups[0]?.groupId}`} path={path} answer={data} />
      ))}
      <RolePathEquivalents userId={userId} role={role} />
    </Stack>
  );
}
