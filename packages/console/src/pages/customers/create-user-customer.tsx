/** Makes a user a customer, and opens the customer. */
import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useConsole } from '../../api/console-context.ts';
import { unwrap } from '../../api/errors.ts';
import { quotePositional, quoteShellArgument } from '../../components/equivalents.tsx';
import { WriteAction } from '../../components/write-action.tsx';
import { useEntityReaders } from '../groups/data/entity-readers.ts';
import { EntitySelect } from '../groups/data/entity-select.tsx';
import { useOrganizationsChanged } from '../organizations/use-organizations-changed.ts';

export function CreateUserCustomer() {
  const { service } = useConsole();
  const navigate = useNavigate();
  const changed = useOrganizationsChanged();
  const { users } = useEntityReaders();
  const [userId, setUserId] = useState<string | undefined>();
  const form = useForm({ initialValues: { document: '', name: '' } });
  const { document, name } = form.values;
  const body = { userId: userId ?? 'USER', document, ...(name === '' ? {} : { name }) };
  const nameOption = name === '' ? '' : ` --name ${quoteShellArgument(name)}`;
  return (
    <WriteAction
      operation="customers.create-user"
      label="Make a user a customer"
      title="Make a user a customer"
      confirmLabel="Create the customer"
      isReady={userId !== undefined && document !== ''}
      command={`customers create-user ${quotePositional(body.userId)} --document ${quoteShellArgument(document || 'NUMBER')}${nameOption}`}
      call={{ method: 'POST', path: '/security/iam/v1/customers/user', body }}
      send={async () => {
        const { customerId } = await unwrap(service.POST('/customers/user', { body }));
        form.reset();
        setUserId(undefined);
        await navigate({ to: '/customers/$', params: { _splat: String(customerId) } as never });
      }}
      onChanged={changed}
    >
      <EntitySelect label="User" queryKey={['users']} read={users} value={userId} onChange={setUserId} />
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
