/** The groups of a user, a business or a service account on its own page, where it is added to groups and removed from them. */

import { Group, List, Text } from '@mantine/core';
import { useState } from 'react';
import { useNames } from '../../../api/use-names.ts';
import { PageSection } from '../../../components/section.tsx';
import { Subject } from '../../../components/subject.tsx';
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

interface ListedGroup {
  readonly groupId: string;
  readonly groupName: string;
}

interface MemberGroupsProps<Listed> {
  /** Undefined for a client that can be in no group. */
  readonly member: MemberReference | undefined;
  readonly groups: readonly Listed[];
  /** How many there are, also those that are not listed. */
  readonly groupCount: number;
  readonly emptyText: string;
  /** What an addition does to roles, if that is not obvious. */
  readonly addNote?: string;
  readonly removeNote: string;
  readonly changes: readonly string[];
  /** Through what else it is in the group: it cannot be removed from that here. */
  describeOther?(group: Listed): string | undefined;
}

export function MemberGroups<Listed extends ListedGroup>(props: MemberGroupsProps<Listed>) {
  const { member, groups, groupCount, emptyText, addNote, removeNote, changes, describeOther } = props;
  const hidden = groupCount - groups.length;
  return (
    <PageSection
      title={`Groups (${groupCount})`}
      actions={
        member && <AddToGroup member={member} changes={changes} {...(addNote === undefined ? {} : { note: addNote })} />
      }
      emptyText={groupCount === 0 ? emptyText : undefined}
    >
      <List listStyleType="none">
        {groups.map((group) => {
          const other = describeOther?.(group);
          return (
            <List.Item key={`${other} ${group.groupId}`}>
              <Group gap="xs">
                <Subject kind="group" id={group.groupId} name={group.groupName} />
                {other === undefined ? undefined : (
                  <Text size="sm" c="dimmed">
                    {other}
                  </Text>
                )}
                {member && other === undefined ? (
                  <RemoveFromGroup member={member} group={group} note={removeNote} changes={changes} />
                ) : undefined}
              </Group>
            </List.Item>
          );
        })}
      </List>
      {hidden > 0 ? <Text size="sm">and {hidden} more</Text> : undefined}
    </PageSection>
  );
}

interface MemberGroupProps {
  readonly member: MemberReference;
  /** What the write does to the roles. */
  readonly note?: string;
  readonly changes: readonly string[];
}

function AddToGroup({ member, note, changes }: MemberGroupProps) {
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
  readonly group: ListedGroup;
}

function RemoveFromGroup({ member, note, changes, group: { groupId, groupName } }: RemoveFromGroupProps) {
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
