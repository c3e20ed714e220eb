/** The members of a group, of every kind, page by page. */
import { Stack, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import type { paths } from '#control-api';
import { useConsole } from '../../../api/console-context.ts';
import { usePagedList } from '../../../api/use-paged-list.ts';
import { EmptyState } from '../../../components/empty-state.tsx';
import { quotePositional } from '../../../components/equivalents.tsx';
import { ErrorPanel } from '../../../components/error-panel.tsx';
import { type RowColumn, RowList } from '../../../components/row-list.tsx';
import { countMembers } from '../data/group-inheritance.ts';
import type { GroupGraphNode } from '../data/use-groups.ts';
import { ObjectLink, ObjectSearchLink } from '../group-link.tsx';

export type GroupMember = paths['/groups/{id}/members']['get']['responses'][200]['content']['application/json'][number];

interface MemberListProps {
  readonly node: GroupGraphNode;
  /** The buttons of a row. */
  readonly renderActions?: (member: GroupMember) => ReactNode;
  /** Beside the heading. */
  readonly actions?: ReactNode;
}

const memberKinds = {
  user: 'User',
  business: 'Business',
  businessUser: 'User of a business',
  service: 'Service account',
};

const columns: RowColumn<GroupMember>[] = [
  { title: 'Member', width: 'minmax(12rem, 2fr)', render: (member) => <MemberLink member={member} /> },
  { title: 'Kind', width: '10rem', render: ({ kind }) => memberKinds[kind] },
  {
    title: 'On behalf of',
    width: 'minmax(10rem, 1fr)',
    render: ({ kind, businessId }) =>
      kind === 'businessUser' && businessId !== undefined ? (
        <ObjectLink page="/businesses" id={businessId} />
      ) : undefined,
  },
];

export function GroupMemberList({ node, renderActions, actions }: MemberListProps) {
  const { control } = useConsole();
  const { groupId, groupName } = node;
  const list = usePagedList<GroupMember>({
    queryKey: ['groups', 'members', groupId],
    read: (query, signal) => control.GET('/groups/{id}/members', { params: { path: { id: groupId }, query }, signal }),
  });
  const count = countMembers(node);
  return (
    <Stack gap="xs" component="section" aria-label="Members">
      <Title order={2} size="h5">
        Members {count > 0 ? `(${count.toLocaleString('en')})` : ''}
      </Title>
      {actions}
      {list.error ? <ErrorPanel error={list.error} onRetry={list.refetch} /> : undefined}
      {list.isReady && list.items.length === 0 ? (
        <EmptyState title="No members yet" command={`iam groups users add ${quotePositional(groupName)} USER_ID`}>
          Members have the roles of this group and of its dependencies.
        </EmptyState>
      ) : undefined}
      {list.items.length > 0 ? (
        <RowList
          label="Members of the group"
          rows={list.items}
          columns={
            renderActions === undefined
              ? columns
              : [...columns, { title: 'Actions', width: '7rem', render: renderActions }]
          }
          keyOf={memberKeyOf}
          loadMore={list.loadMore}
          onVisible={list.onVisible}
          isLoading={list.isLoading}
        />
      ) : undefined}
    </Stack>
  );
}

function memberKeyOf({ kind, userId, businessId, serviceId }: GroupMember): string {
  return JSON.stringify([kind, userId, businessId, serviceId]);
}

/** The id of a member, as the service knows it. */
export function memberIdOf({ kind, userId, businessId, serviceId }: GroupMember): string {
  if (kind === 'service') return serviceId ?? '';
  return (kind === 'business' ? businessId : userId) ?? '';
}

function MemberLink({ member }: { readonly member: GroupMember }) {
  const id = memberIdOf(member);
  switch (member.kind) {
    case 'user':
    case 'businessUser':
      return <ObjectLink page="/users" id={id} />;
    case 'business':
      return <ObjectLink page="/businesses" id={id} />;
    case 'service':
      // The id of a service account is not the id of its client.
      return <ObjectSearchLink page="/clients" text={id} />;
  }
}
