/** The kind of a member, and the member. */
import { NativeSelect, Stack } from '@mantine/core';
import { EntitySelect } from '../data/entity-select.tsx';
import type { GroupMemberKind } from './member-requests.ts';

export interface MemberFields {
  readonly kind: GroupMemberKind;
  readonly id?: string | undefined;
  readonly businessId?: string | undefined;
}

const kindOptions: readonly { readonly value: GroupMemberKind; readonly label: string }[] = [
  { value: 'user', label: 'User' },
  { value: 'business', label: 'Business, with all its users' },
  { value: 'businessUser', label: 'User on behalf of a business' },
  { value: 'service', label: 'Service account of a client' },
];

interface MemberSelectProps {
  readonly fields: MemberFields;
  onChange(fields: MemberFields): void;
}

export function MemberSelect({ fields, onChange }: MemberSelectProps) {
  const { kind, id, businessId } = fields;
  const setId = (value: string | undefined) => onChange({ ...fields, id: value });
  const isUser = kind === 'user' || kind === 'businessUser';
  return (
    <Stack gap="sm">
      <NativeSelect
        label="Kind of member"
        data={[...kindOptions]}
        value={kind}
        onChange={({ currentTarget }) => onChange({ kind: currentTarget.value as GroupMemberKind })}
        data-autofocus
      />
      {kind === 'businessUser' ? (
        <EntitySelect
          label="On behalf of"
          kind="businesses"
          value={businessId}
          onChange={(value) => onChange({ ...fields, businessId: value })}
        />
      ) : undefined}
      {isUser ? <EntitySelect label="User" kind="users" value={id} onChange={setId} /> : undefined}
      {kind === 'business' ? (
        <EntitySelect label="Business" kind="businesses" value={id} onChange={setId} />
      ) : undefined}
      {kind === 'service' ? (
        <EntitySelect
          label="Service account"
          description="Only clients with a service account are found"
          kind="services"
          value={id}
          onChange={setId}
        />
      ) : undefined}
    </Stack>
  );
}
