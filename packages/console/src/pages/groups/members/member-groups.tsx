/** Adds a user or a business to a group, and removes it from one, on its own page. */

import { Text } from '@mantine/core';
import { useState } from 'react';
import { useNames } from '../../../api/use-names.ts';
import { WriteAction } from '../../../components/write-action.tsx';
import { EntitySelect } from '../data/entity-select.tsx';
import {
  addMemberRequest,
  formatMemberCommand,
  type MemberReference,
  memberOperations,
  removeMemberRequest,
} from './member-requests.ts';
import { MemberSubject } from './member-subject.tsx';

interface MemberGroupProps {
  readonly member: MemberReference;
  /** What the write does to the roles. */
  readonly note?: string;
  readonly changes: readonly string[];
}

export function AddToGroup({ member, note, changes }: MemberGroupProps) {
  const [groupId, setGroupId] = useState<string | undefined>();
  const shown = groupId ?? 'GROUP';
  const groupName = useNames(groupId === undefined ? [] : [groupId])('group', shown);
  return (
    <WriteAction
      operation={memberOperations.add[member.kind]}
      label="Add to a group"
      title={
        <>
          Add <MemberSubject member={member} isPlain /> to a group
        </>
      }
      confirmLabel="Add"
      done={{ text: `Added ${nameOf(member)} to`, subject: { kind: 'group', id: shown, name: groupName } }}
      isReady={groupId !== undefined}
      command={formatMemberCommand('add', shown, member)}
      request={addMemberRequest(shown, member)}
      changes={changes}
      onDone={() => setGroupId(undefined)}
    >
      {note === undefined ? undefined : <Text>{note}</Text>}
      <EntitySelect label="Group" kind="groups" value={groupId} onChange={setGroupId} />
    </WriteAction>
  );
}

function nameOf({ name, id }: MemberReference): string {
  return name ?? id;
}

interface RemoveFromGroupProps extends MemberGroupProps {
  readonly group: { readonly groupId: string; readonly groupName: string };
}

export function RemoveFromGroup({ member, note, changes, group: { groupId, groupName } }: RemoveFromGroupProps) {
  return (
    <WriteAction
      operation={memberOperations.remove[member.kind]}
      label="Remove"
      accessibleLabel={`Remove from ${groupName}`}
      isCompact
      isDangerous
      title={
        <>
          Remove <MemberSubject member={member} isPlain /> from {groupName}
        </>
      }
      confirmLabel="Remove from the group"
      done={`Removed ${nameOf(member)} from ${groupName}.`}
      command={formatMemberCommand('remove', groupName, member)}
      request={removeMemberRequest(groupId, member)}
      changes={changes}
    >
      <Text>{note}</Text>
    </WriteAction>
  );
}
