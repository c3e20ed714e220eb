/** Changes a user. Only what was edited is sent, so that the other fields stay as they are. */
import { Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useEffect } from 'react';
import { quotePositional } from '../../../components/equivalents.tsx';
import { WriteAction } from '../../../components/write-action.tsx';
import { type ShownUser, userQueries } from '../shown-user.ts';
import { formatUserOptions, isMobileReady, toUserBody, UserFields, type UserFieldValues } from './user-fields.tsx';

export function EditUser({ user }: { readonly user: ShownUser }) {
  const { userId } = user;
  const form = useForm<UserFieldValues>({ initialValues: readFields(user) });
  const shown = form.getInitialValues();
  const changed = pickChanged(shown, form.values);
  const restart = (values: UserFieldValues) => {
    form.setInitialValues(values);
    form.setValues(values);
  };
  // What was typed stays, and only that is sent, also if the user is changed meanwhile.
  const isUntouched = Object.keys(changed).length === 0;
  const isOutdated = Object.keys(pickChanged(shown, readFields(user))).length > 0;
  useEffect(() => {
    if (isUntouched && isOutdated) restart(readFields(user));
  });
  const leavesBusiness = changed.businessId === '';
  const body = { ...toUserBody(changed), ...(leavesBusiness ? { businessId: null } : {}) };
  return (
    <WriteAction
      operation="user-identities.update"
      label="Edit"
      title={`Edit ${user.userName}`}
      confirmLabel="Save"
      isReady={form.values.userName !== '' && isMobileReady(form.values) && Object.keys(body).length > 0}
      command={`users update ${quotePositional(userId)} ${formatUserOptions(changed)}`.trimEnd()}
      request={({ service }) =>
        service.PATCH('/user-identities/{id}', { params: { path: { id: userId } }, body: body as never })
      }
      changes={userQueries}
      onDone={() => restart({ ...form.values, userEmail: '', mobile: '' })}
      onCancel={() => restart(readFields(user))}
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

function pickChanged(shown: UserFieldValues, next: UserFieldValues): Partial<UserFieldValues> {
  const entries = Object.entries(next).filter(([name, value]) => value !== shown[name as keyof UserFieldValues]);
  return Object.fromEntries(entries) as Partial<UserFieldValues>;
}
