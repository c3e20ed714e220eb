/** Changes a user. Only what was edited is sent, so that the other fields stay as they are. */
import { Text } from '@mantine/core';
import type { Versioned } from '../../../api/use-versioned.ts';
import { EditAction } from '../../../components/edit/edit-action.tsx';
import { useEditForm } from '../../../components/edit/use-edit-form.ts';
import { quotePositional } from '../../../components/equivalents.tsx';
import { type ShownUser, toMobileText, useMainContacts, userQueries } from '../shown-user.ts';
import {
  formatUserOptions,
  isMobileReady,
  toUserBody,
  UserFields,
  type UserFieldValues,
  userFieldNames,
} from './user-fields.tsx';

export function EditUser({ current: { value: user, etag } }: { readonly current: Versioned<ShownUser> }) {
  const { userId } = user;
  const main = useMainContacts(userId);
  const edit = useEditForm({ value: readFields(user, main), etag });
  const { form, changed } = edit;
  const params = { path: { id: userId }, header: { 'If-Match': edit.etag } };
  const leavesBusiness = changed.businessId === '';
  const body = {
    ...toUserBody(changed),
    ...(leavesBusiness ? { businessId: null } : {}),
    ...(changed.userEmail === '' ? { userEmail: null } : {}),
    ...(changed.mobile === '' ? { userMobile: null } : {}),
  };
  return (
    <EditAction
      edit={edit}
      object={{ entity: 'user', id: userId }}
      operation="user-identities.update"
      title={`Edit ${user.userName}`}
      fieldNames={userFieldNames}
      isReady={form.values.userName !== '' && isMobileReady(form.values) && Object.keys(body).length > 0}
      command={`users update ${quotePositional(userId)} ${formatUserOptions(changed)}`.trimEnd()}
      request={({ service }) => service.PATCH('/user-identities/{id}', { params, body: body as never })}
      changes={userQueries}
      done={{ text: 'Saved:', subject: { kind: 'user', id: userId, name: form.values.userName } }}
    >
      <UserFields form={form} {...(main === undefined ? { emptyContactText: 'Empty: unchanged' } : {})} />
      <Text size="sm">
        A new contact counts as verified, and the old one gets a notice.
        {leavesBusiness ? ' The user loses the roles of the groups of its business.' : ''}
      </Text>
    </EditAction>
  );
}

function readFields(
  { userName, businessId = '', lead }: ShownUser,
  main: ReturnType<typeof useMainContacts>,
): UserFieldValues {
  const { userEmail = '', userMobile } = main ?? {};
  return { userName, userEmail, mobile: userMobile ? toMobileText(userMobile) : '', businessId, lead: lead === true };
}
