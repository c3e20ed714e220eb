/** Creates a group, and opens its page. */
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { quoteShellArgument } from '../../../components/equivalents.tsx';
import { WriteAction } from '../../../components/write-action.tsx';
import { groupQueries } from '../data/use-groups.ts';
import { emptyGroup, type GroupFields, toGroupInputBody } from './group-changes.ts';
import { GroupForm } from './group-form.tsx';

export function CreateGroup() {
  const navigate = useNavigate();
  const [fields, setFields] = useState<GroupFields>(emptyGroup);
  return (
    <WriteAction
      operation="groups.create"
      label="Create a group"
      isPrimary
      title="Create a group"
      confirmLabel="Create"
      size="lg"
      isReady={fields.groupName !== ''}
      command={formatCreateCommand(fields)}
      request={({ service }) => service.POST('/groups', { body: toGroupInputBody(fields) })}
      changes={groupQueries}
      onDone={({ groupId }) => {
        setFields(emptyGroup);
        return navigate({ to: '/groups/$', params: { _splat: groupId } as never });
      }}
      onCancel={() => setFields(emptyGroup)}
    >
      <GroupForm fields={fields} onChange={(changes) => setFields({ ...fields, ...changes })} />
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
