/** The members of a group, of every kind, page by page. */
import { Stack } from '@mantine/core';
import { useMemo } from 'react';
import { usePagedList } from '../../../api/lists/use-paged-list.ts';
import { usePage } from '../../../api/use-page.ts';
import { EmptyState, NoMatch } from '../../../components/empty-state.tsx';
import { quotePositional } from '../../../components/equivalents.tsx';
import { ListCountText } from '../../../components/lists/list-count.tsx';
import { PagedRows, type RowColumn } from '../../../components/row-list.tsx';
import { FilterLine, SearchInput } from '../../../components/search-input.tsx';
import { useBulkActions } from '../../../components/selection/use-bulk-actions.tsx';
import { Subject } from '../../../components/subject.tsx';
import { countMembers } from '../data/group-inheritance.ts';
import type { GroupGraphNode } from '../data/use-groups.ts';
import { bulkMembers } from '../members/bulk-members.tsx';
import { type GroupMember, toMemberReference } from '../members/member-requests.ts';
import { MemberSubject } from '../members/member-subject.tsx';
import { RemoveMember } from '../members/remove-member.tsx';

const memberKinds = {
  user: 'User',
  business: 'Business',
  businessUser: 'User of a business',
  service: 'Service account',
};

const columns: RowColumn<GroupMember>[] = [
  {
    title: 'Member',
    width: 'minmax(9rem, 2fr)',
    render: (member) => <MemberSubject member={toMemberReference(member)} />,
  },
  { title: 'Kind', width: '8rem', phone: 'detail', render: ({ kind }) => memberKinds[kind] },
  {
    title: 'On behalf of',
    width: 'minmax(8rem, 1fr)',
    phone: 'detail',
    render: ({ kind, businessId, businessName }) =>
      kind === 'businessUser' && businessId !== undefined ? (
        <Subject kind="business" id={businessId} name={businessName} />
      ) : undefined,
  },
];

export function GroupMemberList({ node }: { readonly node: GroupGraphNode }) {
  const { groupId, groupName } = node;
  const { search, setSearch } = usePage();
  const { member } = search;
  const list = usePagedList<GroupMember>({
    queryKey: ['groups', 'members', groupId, member],
    read: ({ control }, query, signal) =>
      control.GET('/groups/{id}/members', {
        params: { path: { id: groupId }, query: { ...query, search: member } },
        signal,
      }),
  });
  const bulk = useMemo(() => bulkMembers({ groupId, groupName }), [groupId, groupName]);
  const { selection, renderBar } = useBulkActions({ bulk, rows: list.items, scope: JSON.stringify([groupId, member]) });
  return (
    <Stack gap="xs" component="section" aria-label="Members">
      {countMembers(node) > 0 ? (
        <FilterLine
          status={renderBar(
            list.isReady && !list.error ? (
              <ListCountText list={list} count={{ isFiltered: member !== undefined }} />
            ) : undefined,
          )}
        >
          <SearchInput label="Name or id of a member" value={member} onChange={(text) => setSearch({ member: text })} />
        </FilterLine>
      ) : undefined}
      <PagedRows
        list={list}
        empty={
          member === undefined ? (
            <EmptyState
              icon="users"
              title="No members yet"
              command={`groups users add ${quotePositional(groupName)} USER_ID`}
            >
              Members have the roles of this group and of its dependencies.
            </EmptyState>
          ) : (
            <NoMatch icon="users" things="members" filters={{ member }} />
          )
        }
        label="Members of the group"
        columns={[
          ...columns,
          {
            title: 'Actions',
            width: '5.5rem',
            phone: 'action',
            render: (member) => <RemoveMember node={node} member={member} />,
          },
        ]}
        keyOf={bulk.keyOf}
        selection={selection}
        isCounted={false}
      />
    </Stack>
  );
}
