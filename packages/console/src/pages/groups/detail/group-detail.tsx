/** One group: what it gives, to whom, and what it depends on. */
import { Button, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { quotePositional } from '../../../components/equivalents.tsx';
import { ErrorPanel } from '../../../components/error-panel.tsx';
import { ObjectPage } from '../../../components/object-page.tsx';
import { buildHistoryTab } from '../../audit/history.tsx';
import { countMembers } from '../data/group-inheritance.ts';
import { useGroup, useGroupGraph } from '../data/use-groups.ts';
import { DeleteGroup } from '../edit/delete-group.tsx';
import { EditGroup } from '../edit/edit-group.tsx';
import { AddMember } from '../members/add-member.tsx';
import { DependencyFacts } from './dependency-facts.tsx';
import { GroupFacts } from './group-facts.tsx';
import { GroupMemberList } from './member-list.tsx';
import { InheritedRoles, OwnRoles } from './role-facts.tsx';

export function GroupDetail({ reference }: { readonly reference: string }) {
  const graph = useGroupGraph(reference);
  const record = useGroup(reference);
  const node = graph.data?.nodes[0];
  const content = graph.data === undefined || node === undefined ? undefined : { graph: graph.data, node };
  return (
    <ObjectPage
      list={{ path: '/groups', title: 'All groups' }}
      title="Group"
      nameOf={({ node: { groupId: id, groupName: name } }) => ({ id, name })}
      query={{ ...graph, data: content }}
      command={`groups tree ${quotePositional(reference)}`}
      call={({ control }) => control.GET('/groups/graph', { params: { query: { root: reference } } })}
      renderActions={(shown) => (
        <>
          <AddMember node={shown.node} />
          <EditGroup groupId={shown.node.groupId} current={record.data} />
          <Button
            component={Link}
            to="/groups"
            search={{ view: 'graph', root: shown.node.groupId, group: shown.node.groupId } as never}
            variant="default"
          >
            Graph
          </Button>
          <DeleteGroup {...shown} etag={record.data?.etag} />
        </>
      )}
      listTabs={({ graph: shownGraph, node: group }) => [
        {
          name: 'members',
          title: `Members (${countMembers(group).toLocaleString('en')})`,
          render: () => <GroupMemberList node={group} />,
        },
        {
          name: 'roles',
          title: `Inherited roles (${group.inheritedRoleCount.toLocaleString('en')})`,
          render: () => (
            <>
              <InheritedRoles graph={shownGraph} node={group} />
              <DependencyFacts graph={shownGraph} node={group} />
            </>
          ),
        },
        buildHistoryTab('group', group.groupId),
      ]}
    >
      {(shown) => (
        <>
          {record.error ? (
            <div>
              <Text size="sm">The organization and the business unit cannot be read:</Text>
              <ErrorPanel error={record.error} onRetry={() => void record.refetch()} />
            </div>
          ) : undefined}
          <GroupFacts {...shown} group={record.data?.value} />
          <OwnRoles node={shown.node} />
        </>
      )}
    </ObjectPage>
  );
}
