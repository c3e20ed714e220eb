/** Adds a user to a group, and removes it from one. */
import { Text } from '@mantine/core';
import { useState } from 'react';
import { useConsole } from '../../../api/console-context.ts';
import { quotePositional } from '../../../components/equivalents.tsx';
import { useEntityReaders } from '../../groups/data/entity-readers.ts';
import { EntitySelect } from '../../groups/data/entity-select.tsx';
import { addGroupMember, removeGroupMember } from '../../groups/members/member-requests.ts';
import { UserAction } from './user-action.tsx';

const membersPath = (group: string) => `/security/iam/v1/user-accesses/${encodeURIComponent(group)}/user-accounts`;

export function AddToGroup({ userId }: { readonly userId: string }) {
  const { service } = useConsole();
  const { groups } = useEntityReaders();
  const [groupId, setGroupId] = useState<string | undefined>();
  return (
    <UserAction
      operation="user-accesses.add-user"
      label="Add to a group"
      isReady={groupId !== undefined}
      title={`Add ${userId} to a group`}
      confirmLabel="Add"
      command={`groups users add ${quotePositional(groupId ?? 'GROUP')} ${quotePositional(userId)}`}
      call={{ method: 'POST', path: membersPath(groupId ?? 'GROUP'), body: [{ userId }] }}
      send={() => addGroupMember(service, groupId ?? '', { kind: 'user', id: userId })}
      onDone={() => setGroupId(undefined)}
    >
      <EntitySelect label="Group" queryKey={['groups']} read={groups} value={groupId} onChange={setGroupId} />
    </UserAction>
  );
}

interface RemoveFromGroupProps {
  readonly userId: string;
  readonly group: { readonly groupId: string; readonly groupName: string };
}

export function RemoveFromGroup({ userId, group: { groupId, groupName } }: RemoveFromGroupProps) {
  const { service } = useConsole();
  return (
    <UserAction
      operation="user-accesses.remove-user"
      label="Remove"
      accessibleLabel={`Remove from ${groupName}`}
      isCompact
      title={`Remove ${userId} from ${groupName}`}
      confirmLabel="Remove"
      isDangerous
      command={`groups users remove --yes ${quotePositional(groupId)} ${quotePositional(userId)}`}
      call={{ method: 'DELETE', path: `${membersPath(groupId)}/${encodeURIComponent(userId)}` }}
      send={() => removeGroupMember(service, groupId, { kind: 'user', id: userId })}
    >
      <Text>The user loses the roles that only this group gives, with its next request.</Text>
    </UserAction>
  );
}
