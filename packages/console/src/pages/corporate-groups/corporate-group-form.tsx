/** The fields of a corporate group, for its creation and for an edit. */
import { TagsInput, TextInput } from '@mantine/core';
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
      <TagsInput
        label="Businesses"
        description="Ids; Enter adds one, Backspace removes the last one"
        value={[...fields.businesses]}
        onChange={(businesses) => onChange({ businesses })}
        splitChars={[',', ' ']}
      />
    </>
  );
}
