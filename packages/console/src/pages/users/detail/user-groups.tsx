/** The groups of a user: its own, and those of its business. */
import { Anchor, Group, List, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { PageSection } from '../../../components/section.tsx';
import { AddToGroup, RemoveFromGroup } from '../actions/change-groups.tsx';
import type { ShownUser } from '../data/use-users.ts';

const kindTexts = {
  user: '',
  business: 'through its business',
  businessUser: 'on behalf of its business',
  service: 'as a service',
};

export function UserGroups({ user: { userId, groups, groupCount } }: { readonly user: ShownUser }) {
  return (
    <PageSection
      actions={<AddToGroup userId={userId} />}
      title={`Groups (${groupCount})`}
      emptyText={groupCount === 0 ? 'In no group. Roles come from groups: add the user to one.' : undefined}
    >
      <List listStyleType="none">
        {groups.map(({ groupId, groupName, kind }) => (
          <List.Item key={`${kind} ${groupId}`}>
            <Group gap="xs">
              <Anchor component={Link} to="/groups/$" params={{ _splat: groupId } as never} underline="always">
                <bdi>{groupName}</bdi>
              </Anchor>
              <Text size="sm">{kindTexts[kind]}</Text>
              {kind === 'user' ? <RemoveFromGroup userId={userId} group={{ groupId, groupName }} /> : undefined}
            </Group>
          </List.Item>
        ))}
      </List>
    </PageSection>
  );
}
