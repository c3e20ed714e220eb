/** "Can this user do that?": the groups that give a role to a user, or that would give it. */
import { Autocomplete, Group, Loader, Stack, Text } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { usePage } from '../../../api/use-page.ts';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ErrorPanel } from '../../../components/error-panel.tsx';
import { PageTitle } from '../../../components/page-title.tsx';
import { EntitySelect } from '../data/entity-select.tsx';
import { useKnownRoles } from '../edit/group-form.tsx';
import { GroupViewMenu } from '../group-views.tsx';
import { RoleAnswer } from './role-answer.tsx';
import { RolePathEquivalents, useRolePath } from './role-path.tsx';

const pauseInTyping = 400;

export function RoleCheck() {
  const { search, setSearch } = usePage();
  const { user, role } = search;
  return (
    <Stack gap="md">
      <PageTitle>Groups</PageTitle>
      <GroupViewMenu current="role" />
      <Group align="flex-end" gap="sm">
        <EntitySelect
          label="User"
          isRequired={false}
          kind="users"
          value={user}
          onChange={(value) => setSearch({ user: value })}
        />
        <RoleInput value={role} onChange={(value) => setSearch({ role: value })} />
      </Group>
      {user === undefined || role === undefined ? (
        <EmptyState icon="groups" title="Choose a user and a role" command="can USER_ID DEPLOY">
          The answer shows the groups that give the role to the user, or the groups that would.
        </EmptyState>
      ) : (
        <CheckedRole user={user} role={role} />
      )}
    </Stack>
  );
}

interface RoleInputProps {
  readonly value: string | undefined;
  onChange(value: string | undefined): void;
}

function RoleInput({ value = '', onChange }: RoleInputProps) {
  const roles = useKnownRoles();
  const [text, setText] = useState(value);
  const apply = useDebouncedCallback((typed: string) => onChange(typed === '' ? undefined : typed), pauseInTyping);
  useEffect(() => setText(value), [value]);
  return (
    <Autocomplete
      label="Role"
      data={roles}
      limit={20}
      value={text}
      onChange={(typed) => {
        setText(typed);
        apply(typed.trim());
      }}
    />
  );
}

function CheckedRole({ user, role }: { readonly user: string; readonly role: string }) {
  const answer = useRolePath(user, role);
  return (
    <>
      {answer.isLoading ? <Loader size="sm" aria-label="Loading" /> : undefined}
      {answer.error ? <ErrorPanel error={answer.error} onRetry={() => void answer.refetch()} /> : undefined}
      <div role="status">{answer.data === undefined ? undefined : <RoleAnswer answer={answer.data} />}</div>
      <RolePathEquivalents userId={user} role={role} />
      <Text size="sm" c="dimmed">
        Roles that the service gives at login, such as AUTH-MFA, do not come from groups.
      </Text>
    </>
  );
}
