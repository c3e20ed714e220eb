/** The fields of a group, for its creation and for an edit. */
import { Stack, TagsInput, type TagsInputProps, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useConsole } from '../../../api/console-context.ts';
import { unwrap } from '../../../api/errors.ts';
import { useGroupGraph } from '../data/use-groups.ts';
import type { GroupFields } from './group-changes.ts';

interface GroupFormProps {
  readonly form: UseFormReturnType<GroupFields>;
}

export function GroupForm({ form }: GroupFormProps) {
  const roles = useKnownRoles();
  return (
    <Stack gap="sm">
      <TextInput label="Name" required {...form.getInputProps('groupName')} />
      <TagsInput
        label="Roles"
        description="Enter adds a role, Backspace removes the last one"
        data={roles}
        limit={20}
        {...form.getInputProps('roles')}
        splitChars={[',', ' ']}
      />
      <DependencyInput {...form.getInputProps('dependencies')} />
      <TextInput label="Organization" {...form.getInputProps('organizationId')} />
      <TextInput label="Business unit" {...form.getInputProps('businessUnitId')} />
    </Stack>
  );
}

/** The roles that groups have, as suggestions. */
export function useKnownRoles(): string[] {
  const { data } = useGroupGraph(undefined);
  return useMemo(() => [...new Set(data?.nodes.flatMap(({ roles }) => roles))].sort(), [data]);
}

const pauseInTyping = 250;

/** Suggests groups as they are typed. The server decides whether a group exists and whether a circle would arise. */
function DependencyInput(field: Pick<TagsInputProps, 'value' | 'onChange' | 'error'>) {
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
      {...field}
      searchValue={text}
      onSearchChange={setText}
    />
  );
}
