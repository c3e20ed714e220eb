/** Changes an alternative contact of a user. Only what was edited is sent. */
import { Text, TextInput } from '@mantine/core';
import { useVersioned } from '../../../api/use-versioned.ts';
import { EditAction } from '../../../components/edit/edit-action.tsx';
import { useEditForm } from '../../../components/edit/use-edit-form.ts';
import { quotePositional, quoteShellArgument } from '../../../components/equivalents.tsx';
import { type ShownUser, userQueries } from '../shown-user.ts';
import { FactorTags, formatMobileOptions, parseMobile } from './user-fields.tsx';

interface EditFactorProps {
  readonly user: ShownUser;
  readonly factor: ShownUser['contacts'][number];
  /** As it is shown: masked. */
  readonly address: string;
}

export function EditFactor({ user: { userId, userName }, factor, address }: EditFactorProps) {
  const path = { id: userId, factorId: factor.id };
  const { data } = useVersioned(['users', 'factor', userId, factor.id], ({ control }, signal) =>
    control.GET('/users/{id}/factors/{factorId}', { params: { path }, signal }),
  );
  const { tags, contactType } = data?.value ?? factor;
  const edit = useEditForm({ value: { email: '', mobile: '', tags }, etag: data?.etag });
  const { form, changed } = edit;
  const mobile = parseMobile(form.values.mobile);
  const params = { path, header: { 'If-Match': edit.etag } };
  const body = {
    ...(changed.email === undefined ? {} : { email: changed.email }),
    ...(mobile === undefined ? {} : { mobile }),
    ...(changed.tags === undefined ? {} : { tags: [...changed.tags] }),
  };
  const options = [
    changed.email === undefined ? '' : ` --email ${quoteShellArgument(changed.email)}`,
    mobile === undefined ? '' : ` ${formatMobileOptions(mobile, '--mobile')}`,
    changed.tags?.length === 0
      ? ' --set=tags='
      : (changed.tags ?? []).map((tag) => ` --tag=${quoteShellArgument(tag)}`),
  ].flat();
  return (
    <EditAction
      edit={edit}
      object={{ entity: 'user', id: userId }}
      operation="user-identities.factors.admin-update"
      accessibleLabel={`Edit ${address}`}
      isCompact
      disabledReason={data === undefined ? 'The contact is still being read.' : undefined}
      title={`Edit a contact of ${userName}`}
      isReady={form.values.mobile === '' || mobile !== undefined}
      command={`users factors update${options.join('')} ${quotePositional(userId, factor.id)}`}
      request={({ service }) =>
        service.PATCH('/user-identities/{id}/authentication-factors/{factorId}', { params, body })
      }
      changes={userQueries}
      done="The contact was changed."
    >
      {contactType === 'EMAIL' ? (
        <TextInput
          label="E-mail"
          type="email"
          description={`Empty: stays ${address}`}
          {...form.getInputProps('email')}
        />
      ) : (
        <TextInput
          label="Mobile number"
          type="tel"
          description={`Country, area and number: 1 212 5550100. Empty: stays ${address}`}
          {...form.getInputProps('mobile')}
        />
      )}
      <FactorTags {...form.getInputProps('tags')} />
      <Text size="sm">
        A new address or number counts as verified; codes that were sent to the old one are revoked.
      </Text>
    </EditAction>
  );
}
