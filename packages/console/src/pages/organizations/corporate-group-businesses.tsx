/** Adds a business to a corporate group, and removes it from one. The rest of the group stays as it is. */
import { Text } from '@mantine/core';
import { useState } from 'react';
import { useConsole } from '../../api/console-context.ts';
import { ErrorPanel } from '../../components/error-panel.tsx';
import { WriteAction } from '../../components/write-action.tsx';
import { useEntityReaders } from '../groups/data/entity-readers.ts';
import { EntitySelect } from '../groups/data/entity-select.tsx';
import {
  corporateGroupsPath,
  formatReplacement,
  replaceCorporateGroup,
  toCorporateGroupFields,
  useCorporateGroup,
  useCorporateGroupReader,
  type VersionedCorporateGroup,
} from './use-corporate-groups.ts';
import { useOrganizationsChanged } from './use-organizations-changed.ts';

export function AddBusinessToCorporateGroup({ current }: { readonly current: VersionedCorporateGroup }) {
  const { service } = useConsole();
  const { businesses } = useEntityReaders();
  const changed = useOrganizationsChanged();
  const [businessId, setBusinessId] = useState<string | undefined>();
  const fields = withBusiness(current, businessId ?? 'BUSINESS');
  return (
    <WriteAction
      operation="corporate-groups.update"
      label="Add a business"
      title={`Add a business to ${current.group.corporateGroupName}`}
      confirmLabel="Add"
      isReady={businessId !== undefined}
      {...formatReplacement(current, fields)}
      send={() => replaceCorporateGroup(service, current, fields)}
      onDone={() => setBusinessId(undefined)}
      onChanged={changed}
    >
      <Text>A business is in at most one corporate group.</Text>
      <EntitySelect
        label="Business"
        queryKey={['businesses']}
        read={businesses}
        value={businessId}
        onChange={setBusinessId}
      />
    </WriteAction>
  );
}

/** On the page of a business that is in no corporate group. */
export function JoinCorporateGroup({ businessId }: { readonly businessId: string }) {
  const { service } = useConsole();
  const changed = useOrganizationsChanged();
  const read = useCorporateGroupReader();
  const [corporateGroupId, setCorporateGroupId] = useState<string | undefined>();
  const { data: current, error } = useCorporateGroup(corporateGroupId);
  const equivalents =
    current === undefined
      ? {
          command: 'corporate-groups update CORPORATE_GROUP_ID',
          call: { method: 'PUT', path: `${corporateGroupsPath}/CORPORATE_GROUP_ID` },
        }
      : formatReplacement(current, withBusiness(current, businessId));
  return (
    <WriteAction
      operation="corporate-groups.update"
      label="Add to a corporate group"
      title={`Add ${businessId} to a corporate group`}
      confirmLabel="Add"
      isReady={current !== undefined}
      {...equivalents}
      send={async () => current && replaceCorporateGroup(service, current, withBusiness(current, businessId))}
      onChanged={changed}
    >
      <EntitySelect
        label="Corporate group"
        description="The first ones, or the one with exactly this name"
        queryKey={['corporate-groups']}
        read={read}
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
  const { service } = useConsole();
  const changed = useOrganizationsChanged();
  const all = toCorporateGroupFields(current.group);
  const fields = { ...all, businesses: all.businesses.filter((id) => id !== businessId) };
  return (
    <WriteAction
      operation="corporate-groups.update"
      label="Remove"
      accessibleLabel={`Remove ${businessId}`}
      isCompact
      isDangerous
      title={`Remove ${businessId}`}
      confirmLabel="Remove the business"
      {...formatReplacement(current, fields)}
      send={() => replaceCorporateGroup(service, current, fields)}
      onChanged={changed}
    >
      <Text>{businessId} is then in no corporate group. The business, its users and their roles stay as they are.</Text>
    </WriteAction>
  );
}

function withBusiness({ group }: VersionedCorporateGroup, businessId: string) {
  const fields = toCorporateGroupFields(group);
  return { ...fields, businesses: [...fields.businesses, businessId] };
}
