/** Adds a business to a corporate group, and removes it from one. The rest of the group stays as it is. */

import { Text } from '@mantine/core';
import { useState } from 'react';
import { useNames } from '../../api/use-names.ts';
import { ErrorPanel } from '../../components/error-panel.tsx';
import { Subject } from '../../components/subject.tsx';
import { WriteAction } from '../../components/write-action.tsx';
import { EntitySelect } from '../groups/data/entity-select.tsx';
import {
  organizationQueries,
  replaceCorporateGroup,
  toCorporateGroupFields,
  useCorporateGroup,
  type VersionedCorporateGroup,
} from './corporate-groups.ts';

export function AddBusinessToCorporateGroup({ current }: { readonly current: VersionedCorporateGroup }) {
  const [businessId, setBusinessId] = useState<string | undefined>();
  const fields = withBusiness(current, businessId ?? 'BUSINESS');
  const added = { kind: 'business', id: businessId ?? '' } as const;
  const name = useNames(businessId === undefined ? [] : [businessId])('business', added.id);
  return (
    <WriteAction
      operation="corporate-groups.update"
      label="Add a business"
      title={`Add a business to ${current.value.corporateGroupName}`}
      confirmLabel="Add"
      done={{ text: `Added to ${current.value.corporateGroupName}:`, subject: { ...added, name } }}
      isReady={businessId !== undefined}
      {...replaceCorporateGroup(current, fields)}
      onDone={() => setBusinessId(undefined)}
      changes={organizationQueries}
    >
      <Text>A business is in at most one corporate group.</Text>
      <EntitySelect label="Business" kind="businesses" value={businessId} onChange={setBusinessId} />
    </WriteAction>
  );
}

/** In the command until one is chosen. */
const noCorporateGroup: VersionedCorporateGroup = {
  value: { corporateGroupId: 'CORPORATE_GROUP_ID', corporateGroupName: '', businesses: [] },
  etag: undefined,
};

interface JoinCorporateGroupProps {
  readonly business: { readonly businessId: string; readonly businessName: string };
}

/** On the page of a business that is in no corporate group. */
export function JoinCorporateGroup({ business: { businessId, businessName } }: JoinCorporateGroupProps) {
  const [corporateGroupId, setCorporateGroupId] = useState<string | undefined>();
  const { data: current, error } = useCorporateGroup(corporateGroupId);
  const shown = current ?? noCorporateGroup;
  return (
    <WriteAction
      operation="corporate-groups.update"
      label="Add to a corporate group"
      title={`Add ${businessName} to a corporate group`}
      confirmLabel="Add"
      done={`Added ${businessName} to ${shown.value.corporateGroupName}.`}
      isReady={current !== undefined}
      {...replaceCorporateGroup(shown, withBusiness(shown, businessId))}
      changes={organizationQueries}
    >
      <EntitySelect
        label="Corporate group"
        kind="corporateGroups"
        value={corporateGroupId}
        onChange={setCorporateGroupId}
      />
      {error ? <ErrorPanel error={error} /> : undefined}
    </WriteAction>
  );
}

interface RemoveBusinessProps {
  readonly current: VersionedCorporateGroup;
  readonly businessId: string;
}

export function RemoveBusinessFromCorporateGroup({ current, businessId }: RemoveBusinessProps) {
  const name = useNames([businessId])('business', businessId) ?? businessId;
  const all = toCorporateGroupFields(current.value);
  const fields = { ...all, businesses: all.businesses.filter((id) => id !== businessId) };
  return (
    <WriteAction
      operation="corporate-groups.update"
      label="Remove"
      accessibleLabel={`Remove ${name}`}
      isCompact
      isDangerous
      title={`Remove ${name}`}
      confirmLabel="Remove the business"
      done={`Removed ${name} from ${current.value.corporateGroupName}.`}
      {...replaceCorporateGroup(current, fields)}
      changes={organizationQueries}
    >
      <Text>
        <Subject kind="business" id={businessId} name={name} isPlain /> is then in no corporate group. The business, its
        users and their roles stay as they are.
      </Text>
    </WriteAction>
  );
}

function withBusiness({ value }: VersionedCorporateGroup, businessId: string) {
  const fields = toCorporateGroupFields(value);
  return { ...fields, businesses: [...fields.businesses, businessId] };
}
