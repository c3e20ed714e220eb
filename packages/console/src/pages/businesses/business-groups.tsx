/** Adds a business to a group, and removes it from one. */
import { Text } from '@mantine/core';
import { useState } from 'react';
import { useConsole } from '../../api/console-context.ts';
import { WriteAction } from '../../components/write-action.tsx';
import { useEntityReaders } from '../groups/data/entity-readers.ts';
import { EntitySelect } from '../groups/data/entity-select.tsx';
import {
  addGroupMember,
  formatMemberEquivalents,
  memberOperations,
  removeGroupMember,
} from '../groups/members/member-requests.ts';
import { useOrganizationsChanged } from '../organizations/use-organizations-changed.ts';

export function AddBusinessToGroup({ businessId }: { readonly businessId: string }) {
  const { service } = useConsole();
  const { groups } = useEntityReaders();
  const changed = useOrganizationsChanged();
  const [groupId, setGroupId] = useState<string | undefined>();
  const member = { kind: 'business', id: businessId } as const;
  const shown = groupId ?? 'GROUP';
  return (
    <WriteAction
      operation={memberOperations.add.business}
      label="Add to a group"
      title={`Add ${businessId} to a group`}
      confirmLabel="Add"
      isReady={groupId !== undefined}
      {...formatMemberEquivalents('add', { groupId: shown, groupName: shown }, member)}
      send={() => addGroupMember(service, groupId ?? '', member)}
      onDone={() => setGroupId(undefined)}
      onChanged={changed}
    >
      <Text>All users of the business get the roles of the group.</Text>
      <EntitySelect label="Group" queryKey={['groups']} read={groups} value={groupId} onChange={setGroupId} />
    </WriteAction>
  );
}

interface RemoveBusinessFromGroupProps {
  readonly businessId: string;
  readonly group: { readonly groupId: string; readonly groupName: string };
}

export function RemoveBusinessFromGroup({ businessId, group }: RemoveBusinessFromGroupProps) {
  const { service } = useConsole();
  const changed = useOrganizationsChanged();
  const member = { kind: 'business', id: businessId } as const;
  return (
    <WriteAction
      operation={memberOperations.remove.business}
      label="Remove"
      accessibleLabel={`Remove from ${group.groupName}`}
      isCompact
      isDangerous
      title={`Remove ${businessId} from ${group.groupName}`}
      confirmLabel="Remove from the group"
      {...formatMemberEquivalents('remove', group, member)}
      send={() => removeGroupMember(service, group.groupId, member)}
      onChanged={changed}
    >
      <Text>All users of the business lose the roles that only this group gives them, with their next request.</Text>
    </WriteAction>
  );
}
