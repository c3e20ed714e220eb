/** Adds and removes the alternative contacts of a user, which receive codes of second factors. */
import { NativeSelect, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { formatOptions, quotePositional, quoteShellArgument } from '../../../components/equivalents.tsx';
import { WriteAction } from '../../../components/write-action.tsx';
import { type ShownUser, userQueries } from '../shown-user.ts';
import { FactorTags, formatMobileOptions, parseMobile } from './user-fields.tsx';

const emptyFields = { contactType: 'EMAIL' as 'EMAIL' | 'MOBILE', email: '', mobile: '', tags: [] as string[] };

/** Paths of the body, which has a list of contacts. */
const fieldNames = Object.fromEntries(
  ['email', 'mobile', 'tags'].map((name) => [`authenticationFactors[0].${name}`, name]),
);

export function AddFactor({ user: { userId, userName } }: { readonly user: ShownUser }) {
  const form = useForm({ initialValues: emptyFields });
  const { contactType, email, mobile: typed, tags } = form.values;
  const isEmail = contactType === 'EMAIL';
  const mobile = parseMobile(typed);
  const contact = {
    contactType,
    ...(isEmail ? { email: email || 'ADDRESS' } : mobile && { mobile }),
    ...(tags.length === 0 ? {} : { tags }),
  };
  const options = [
    formatOptions({ 'contact-type': contactType, ...(isEmail ? { email: email || 'ADDRESS' } : {}) }),
    isEmail || mobile === undefined ? '' : ` ${formatMobileOptions(mobile, '--mobile')}`,
    ...tags.map((tag) => ` --tag=${quoteShellArgument(tag)}`),
  ];
  return (
    <WriteAction
      operation="user-identities.factors.admin-add"
      label="Add a contact"
      title={`Add a contact of ${userName}`}
      confirmLabel="Add"
      form={form}
      fieldNames={fieldNames}
      isReady={isEmail ? email !== '' : mobile !== undefined}
      command={`users factors add${options.join('')} ${quotePositional(userId)}`}
      request={({ service }) =>
        service.POST('/user-identities/{id}/authentication-factors', {
          params: { path: { id: userId } },
          body: { authenticationFactors: [contact] },
        })
      }
      changes={userQueries}
      done="The contact was added."
      onDone={() => form.reset()}
    >
      <NativeSelect
        label="Type"
        data={[
          { value: 'EMAIL', label: 'E-mail address' },
          { value: 'MOBILE', label: 'Mobile number' },
        ]}
        {...form.getInputProps('contactType')}
      />
      {isEmail ? (
        <TextInput label="E-mail" type="email" required {...form.getInputProps('email')} />
      ) : (
        <TextInput
          label="Mobile number"
          type="tel"
          required
          description="Country, area and number: 1 212 5550100"
          {...form.getInputProps('mobile')}
        />
      )}
      <FactorTags {...form.getInputProps('tags')} />
      <Text size="sm">The contact counts as verified. The other contacts of the user get a notice.</Text>
    </WriteAction>
  );
}

interface RemoveFactorProps {
  readonly user: ShownUser;
  readonly factorId: string;
  /** As it is shown. */
  readonly address: string;
}

export function RemoveFactor({ user: { userId, userName }, factorId, address }: RemoveFactorProps) {
  return (
    <WriteAction
      operation="user-identities.factors.admin-remove"
      label="Remove"
      accessibleLabel={`Remove ${address}`}
      isCompact
      isDangerous
      title={`Remove a contact of ${userName}`}
      confirmLabel="Remove the contact"
      command={`users factors remove --yes ${quotePositional(userId, factorId)}`}
      request={({ service }) =>
        service.DELETE('/user-identities/{id}/authentication-factors/{factorId}', {
          params: { path: { id: userId, factorId } },
        })
      }
      changes={userQueries}
      done="The contact was removed."
    >
      <Text>
        <bdi>{address}</bdi>: codes that were sent to it are revoked, and it gets a notice.
      </Text>
    </WriteAction>
  );
}
