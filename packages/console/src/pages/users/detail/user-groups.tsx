/** The groups of a user: its own, and those of its business. */
import { Group, List, Text } from '@mantine/core';
import { PageSection } from '../../../components/section.tsx';
import { Subject } from '../../../components/subject.tsx';
import { AddToGroup, RemoveFromGroup } from '../../groups/members/member-groups.tsx';
import { type ShownUser, userQueries } from '../shown-user.ts';

const kindTexts = {
  user: '',
  business: 'through its business',
  businessUser: 'on behalf of its business',
  service: 'as a service',
};

export function UserGroups({ user: { userId, userName, groups, groupCount } }: { readonly user: ShownUser }) {
  const member = { kind: 'user', id: userId, name: userName } as const;
  return (
    <PageSection
      actions={<AddToGroup member={member} changes={userQueries} />}
      title={`Groups (${groupCount})`}
      emptyText={groupCount === 0 ? 'In no group. Roles come from groups: add the user to one.' : undefined}
    >
      <List listStyleType="none">
        {groups.map((group) => (
          <List.Item key={`${group.kind} ${group.groupId}`}>
            <Group gap="xs">
              <Subject kind="group" id={group.groupId} name={group.groupName} />
              <Text size="sm" c="dimmed">
                {kindTexts[group.kind]}
              </Text>
              {group.kind === 'user' ? (
                <RemoveFromGroup
                  member={member}
                  group={group}
                  note="The user loses the roles that only this group gives, with its next request."
                  changes={userQueries}
                />
              ) : undefined}
            </Group>
          </List.Item>
        ))}
      </List>
    </PageSection>
  );
}
