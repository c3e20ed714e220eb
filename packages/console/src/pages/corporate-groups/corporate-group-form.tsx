/** The fields of a corporate group, for its creation and for an edit. */
import { TextInput } from '@mantine/core';
import { BusinessMultiSelect } from '../groups/data/business-multi-select.tsx';
import type { CorporateGroupFields } from '../organizations/corporate-groups.ts';

interface CorporateGroupFormProps {
  readonly fields: CorporateGroupFields;
  onChange(changes: Partial<CorporateGroupFields>): void;
}

export function CorporateGroupForm({ fields, onChange }: CorporateGroupFormProps) {
  return (
    <>
      <TextInput
        label="Name"
        required
        data-autofocus
        value={fields.corporateGroupName}
        onChange={({ currentTarget }) => onChange({ corporateGroupName: currentTarget.value })}
      />
      <TextInput
        label="Organization"
        value={fields.organizationId}
        onChange={({ currentTarget }) => onChange({ organizationId: currentTarget.value })}
      />
      <BusinessMultiSelect
        label="Businesses"
        description="Found by name, id or document; Backspace removes the last one"
        values={fields.businesses}
        onChange={(businesses) => onChange({ businesses })}
      />
    </>
  );
}
