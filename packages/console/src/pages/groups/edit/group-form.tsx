/** The fields of a group, for its creation and for an edit. */
import { Stack, TagsInput, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useConsole } from '../../../api/console-context.ts';
import { unwrap } from '../../../api/errors.ts';
import { useGroupGraph } from '../data/use-groups.ts';
import type { GroupFields } from './group-changes.ts';

interface GroupFormProps {
  readonly fields: GroupFields;
  onChange(changes: Partial<GroupFields>): void;
}

export function GroupForm({ fields, onChange }: GroupFormProps) {
  const roles = useKnownRoles();
  return (
    <Stack gap="sm">
      <TextInput
        label="Name"
        required
        maxLength={100}
        value={fields.groupName}
        onChange={({ currentTarget }) => onChange({ groupName: currentTarget.value })}
        data-autofocus
      />
      <TagsInput
        label="Roles"
        description="Enter adds a role, Backspace removes the last one"
        data={roles}
        limit={20}
        value={[...fields.roles]}
        onChange={(value) => onChange({ roles: value })}
        splitChars={[',', ' ']}
      />
      <DependencyInput value={fields.dependencies} onChange={(dependencies) => onChange({ dependencies })} />
      <TextInput
        label="Organization"
        maxLength={64}
        value={fields.organizationId}
        onChange={({ currentTarget }) => onChange({ organizationId: currentTarget.value })}
      />
      <TextInput
        label="Business unit"
        maxLength={64}
        value={fields.businessUnitId}
        onChange={({ currentTarget }) => onChange({ businessUnitId: currentTarget.value })}
      />
    </Stack>
  );
}

/** The roles that groups have, as suggestions. */
export function useKnownRoles(): string[] {
  const { data } = useGroupGraph(undefined);
  return useMemo(() => [...new Set(data?.nodes.flatMap(({ roles }) => roles))].sort(), [data]);
}

const pauseInTyping = 250;

interface DependencyInputProps {
  readonly value: readonly string[];
  onChange(value: string[]): void;
}

/** Suggests groups as they are typed. The server decides whether a group exists and whether a circle would arise. */
function DependencyInput({ value, onChange }: DependencyInputProps) {
  const { control } = useConsole();
  const [text, setText] = useState('');
  const [search] = useDebouncedValue(text, pauseInTyping);
  const { data = [] } = useQuery({
    queryKey: ['groups', 'names', search],
    queryFn: async ({ signal }) => {
      const query = { limit: 20, search: search === '' ? undefined : search };
      const groups = await unwrap(control.GET('/groups', { params: { query }, signal }));
      return groups.map(({ groupName }) => groupName);
    },
    placeholderData: (previous) => previous,
  });
  return (
    <TagsInput
      label="Dependencies"
      description="Names of groups whose roles the members inherit"
      data={data}
      value={[...value]}
      onChange={onChange}
      searchValue={text}
      onSearchChange={setText}
    />
  );
}
