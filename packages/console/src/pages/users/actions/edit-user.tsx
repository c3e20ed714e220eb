/** Changes a user. Only what was edited is sent, so that the other fields stay as they are. */
import { Text } from '@mantine/core';
import { unchangedText } from '../../../components/confirm-dialog.tsx';
import { quotePositional } from '../../../components/equivalents.tsx';
import { useEditForm } from '../../../components/forms/use-edit-form.ts';
import { WriteAction } from '../../../components/write-action.tsx';
import { type ShownUser, userQueries } from '../shown-user.ts';
import {
  formatUserOptions,
  isMobileReady,
  toUserBody,
  UserFields,
  type UserFieldValues,
  userFieldNames,
} from './user-fields.tsx';

export function EditUser({ user }: { readonly user: ShownUser }) {
  const { userId } = user;
  const { form, changed, isUntouched, restart } = useEditForm(readFields(user));
  const leavesBusiness = changed.businessId === '';
  const body = { ...toUserBody(changed), ...(leavesBusiness ? { businessId: null } : {}) };
  return (
    <WriteAction
      operation="user-identities.update"
      label="Edit"
      title={`Edit ${user.userName}`}
      confirmLabel="Save"
      form={form}
      fieldNames={userFieldNames}
      notReadyText={isUntouched ? unchangedText : undefined}
      isReady={form.values.userName !== '' && isMobileReady(form.values) && Object.keys(body).length > 0}
      command={`users update ${quotePositional(userId)} ${formatUserOptions(changed)}`.trimEnd()}
      request={({ service }) =>
        service.PATCH('/user-identities/{id}', { params: { path: { id: userId } }, body: body as never })
      }
      changes={userQueries}
      done={{ text: 'Saved:', subject: { kind: 'user', id: userId, name: form.values.userName } }}
      onDone={() => restart({ ...form.values, userEmail: '', mobile: '' })}
      onCancel={() => restart()}
    >
      <UserFields form={form} emptyContactText="Empty: unchanged" />
      <Text size="sm">
        A new contact counts as verified, and the old one gets a notice.
        {leavesBusiness ? ' The user loses the roles of the groups of its business.' : ''}
      </Text>
    </WriteAction>
  );
}

function readFields({ userName, businessId = '', lead }: ShownUser): UserFieldValues {
  return { userName, userEmail: '', mobile: '', businessId, lead: lead === true };
}
