/** The fields of a corporate group, for its creation and for an edit. */
import { TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { BusinessMultiSelect } from '../groups/data/business-multi-select.tsx';
import type { CorporateGroupFields } from '../organizations/corporate-groups.ts';

interface CorporateGroupFormProps {
  readonly form: UseFormReturnType<CorporateGroupFields>;
}

export function CorporateGroupForm({ form }: CorporateGroupFormProps) {
  return (
    <>
      <TextInput label="Name" required {...form.getInputProps('corporateGroupName')} />
      <TextInput label="Organization" {...form.getInputProps('organizationId')} />
      <BusinessMultiSelect
        label="Businesses"
        description="Found by name, id or document; Backspace removes the last one"
        values={form.values.businesses}
        onChange={(businesses) => form.setFieldValue('businesses', businesses)}
        error={form.errors.businesses}
      />
    </>
  );
}
