/** Edits a group. What changes is shown before it is sent. */
import type { Versioned } from '../../../api/use-versioned.ts';
import { EditAction } from '../../../components/edit/edit-action.tsx';
import { useEditForm } from '../../../components/edit/use-edit-form.ts';
import { quotePositional } from '../../../components/equivalents.tsx';
import { type GroupRecord, groupQueries } from '../data/use-groups.ts';
import { ChangeList } from './change-list.tsx';
import { emptyGroup, listGroupChanges, toGroupFields, toGroupInputBody } from './group-changes.ts';
import { GroupForm } from './group-form.tsx';

interface EditGroupProps {
  readonly groupId: string;
  /** Undefined until it is read. */
  readonly current: Versioned<GroupRecord> | undefined;
}

export function EditGroup({ groupId, current }: EditGroupProps) {
  const shown = current === undefined ? emptyGroup : toGroupFields(current.value);
  const edit = useEditForm({ value: shown, etag: current?.etag });
  const { values } = edit.form;
  const { groupName } = shown;
  const changes = listGroupChanges(edit.before, values);
  const params = { path: { groupId }, header: { 'If-Match': edit.etag } };
  return (
    <EditAction
      edit={edit}
      object={{ entity: 'group', id: groupId }}
      operation="groups.update"
      disabledReason={current === undefined ? 'The group is still being read.' : undefined}
      title={`Edit ${groupName}`}
      isReady={values.groupName !== ''}
      command={['groups update', quotePositional(groupName), ...changes.map(({ option }) => option)].join(' ')}
      request={({ service }) => service.PUT('/groups/{groupId}', { params, body: toGroupInputBody(values) })}
      changes={groupQueries}
      done={{ text: 'Saved:', subject: { kind: 'group', id: groupId, name: values.groupName } }}
    >
      <GroupForm form={edit.form} />
      <ChangeList changes={changes} />
    </EditAction>
  );
}
