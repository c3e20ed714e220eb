/** Creates a business with its customer, and opens it. */
import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useNavigate } from '@tanstack/react-router';
import { quoteShellArgument } from '../../components/equivalents.tsx';
import { WriteAction } from '../../components/write-action.tsx';
import { EntitySelect, toSelectProps } from '../groups/data/entity-select.tsx';
import { organizationQueries } from '../organizations/corporate-groups.ts';

const emptyFields = {
  businessName: '',
  document: '',
  businessId: '',
  organizationId: '',
  businessUnitId: '',
  corporateGroupId: '',
};
const optionNames = {
  businessName: 'business-name',
  document: 'document',
  businessId: 'business-id',
  organizationId: 'organization-id',
  businessUnitId: 'business-unit-id',
  corporateGroupId: 'corporate-group-id',
};

/** @param page what is opened afterwards: the business or the customer */
export function CreateBusiness({ page }: { readonly page: '/businesses' | '/customers' }) {
  const navigate = useNavigate();
  const form = useForm({ initialValues: emptyFields });
  const { businessName, document } = form.values;
  const given = Object.entries(form.values).filter(([, value]) => value);
  const body = { businessName, document, ...Object.fromEntries(given) };
  const options = Object.entries(body).map(
    ([name, value]) => ` --${optionNames[name as keyof typeof optionNames]} ${quoteShellArgument(String(value))}`,
  );
  return (
    <WriteAction
      operation="customers.create-business"
      label="Create a business"
      isPrimary={page === '/businesses'}
      title="Create a business"
      confirmLabel="Create the business"
      form={form}
      isReady={businessName !== '' && document !== ''}
      command={`customers create-business${options.join('')}`}
      request={({ service }) => service.POST('/customers/business', { body })}
      changes={organizationQueries}
      done={({ businessId: id }) => ({
        text: 'The business was created:',
        subject: { kind: 'business', id, name: businessName },
      })}
      onDone={({ businessId, customerId }) => {
        form.reset();
        const id = page === '/businesses' ? businessId : String(customerId);
        return navigate({ to: `${page}/$`, params: { _splat: id } as never });
      }}
    >
      <TextInput label="Name" required {...form.getInputProps('businessName')} />
      <TextInput
        label="Document"
        description="The official identification number of the customer"
        required
        {...form.getInputProps('document')}
      />
      <TextInput label="Id" placeholder="Generated" {...form.getInputProps('businessId')} />
      <EntitySelect
        label="Corporate group"
        kind="corporateGroups"
        isRequired={false}
        {...toSelectProps(form, 'corporateGroupId')}
      />
      <TextInput label="Organization" {...form.getInputProps('organizationId')} />
      <TextInput label="Business unit" {...form.getInputProps('businessUnitId')} />
    </WriteAction>
  );
}
