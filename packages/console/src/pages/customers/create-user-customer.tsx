/** Makes a user a customer, and opens the customer. */
import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useNavigate } from '@tanstack/react-router';
import { quotePositional, quoteShellArgument } from '../../components/equivalents.tsx';
import { WriteAction } from '../../components/write-action.tsx';
import { EntitySelect, toSelectProps } from '../groups/data/entity-select.tsx';
import { organizationQueries } from '../organizations/corporate-groups.ts';

export function CreateUserCustomer() {
  const navigate = useNavigate();
  const form = useForm({ initialValues: { userId: '', document: '', name: '' } });
  const { userId, document, name } = form.values;
  const body = { userId: userId || 'USER', document, ...(name === '' ? {} : { name }) };
  const nameOption = name === '' ? '' : ` --name ${quoteShellArgument(name)}`;
  return (
    <WriteAction
      operation="customers.create-user"
      label="Make a user a customer"
      isPrimary
      title="Make a user a customer"
      confirmLabel="Create the customer"
      form={form}
      isReady={userId !== '' && document !== ''}
      command={`customers create-user ${quotePositional(body.userId)} --document ${quoteShellArgument(document || 'NUMBER')}${nameOption}`}
      request={({ service }) => service.POST('/customers/user', { body })}
      changes={organizationQueries}
      done={({ customerId }) => ({
        text: 'The user is a customer now:',
        subject: { kind: 'customer', id: String(customerId) },
      })}
      onDone={({ customerId }) => {
        form.reset();
        return navigate({ to: '/customers/$', params: { _splat: String(customerId) } as never });
      }}
    >
      <EntitySelect label="User" kind="users" {...toSelectProps(form, 'userId')} />
      <TextInput
        label="Document"
        description="The official identification number of the customer"
        required
        {...form.getInputProps('document')}
      />
      <TextInput label="Name" {...form.getInputProps('name')} />
    </WriteAction>
  );
}
