/** Creates a group, and opens its page. */
import { useForm } from '@mantine/form';
import { useNavigate } from '@tanstack/react-router';
import { quoteShellArgument } from '../../../components/equivalents.tsx';
import { WriteAction } from '../../../components/write-action.tsx';
import { groupQueries } from '../data/use-groups.ts';
import { emptyGroup, type GroupFields, toGroupInputBody } from './group-changes.ts';
import { GroupForm } from './group-form.tsx';

export function CreateGroup() {
  const navigate = useNavigate();
  const form = useForm<GroupFields>({ initialValues: emptyGroup });
  return (
    <WriteAction
      operation="groups.create"
      label="Create a group"
      isPrimary
      title="Create a group"
      confirmLabel="Create"
      form={form}
      isReady={form.values.groupName !== ''}
      command={formatCreateCommand(form.values)}
      request={({ service }) => service.POST('/groups', { body: toGroupInputBody(form.values) })}
      changes={groupQueries}
      done={({ groupId: id }) => ({
        text: 'The group was created:',
        subject: { kind: 'group', id, name: form.values.groupName },
      })}
      onDone={({ groupId }) => {
        form.reset();
        return navigate({ to: '/groups/$', params: { _splat: groupId } as never });
      }}
      onCancel={form.reset}
    >
      <GroupForm form={form} />
    </WriteAction>
  );
}

function formatCreateCommand({ groupName, organizationId, businessUnitId, roles, dependencies }: GroupFields): string {
  const options = [
    ['group-name', groupName],
    ...roles.map((role) => ['role', role]),
    ...dependencies.map((dependency) => ['dependency', dependency]),
    ['organization-id', organizationId],
    ['business-unit-id', businessUnitId],
  ] as const;
  const given = options.filter(([, value]) => value !== undefined && value !== '');
  return ['groups create', ...given.map(([name, value]) => `--${name} ${quoteShellArgument(value ?? '')}`)].join(' ');
}
