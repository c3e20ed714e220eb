/** One group: what it gives, to whom, and what it depends on. */
import { Button, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { quotePositional } from '../../../components/equivalents.tsx';
import { ErrorPanel } from '../../../components/error-panel.tsx';
import { ObjectPage } from '../../../components/object-page.tsx';
import { History } from '../../audit/history.tsx';
import { useGroup, useGroupGraph } from '../data/use-groups.ts';
import { DeleteGroup } from '../edit/delete-group.tsx';
import { EditGroup } from '../edit/edit-group.tsx';
import { DependencyFacts } from './dependency-facts.tsx';
import { GroupFacts } from './group-facts.tsx';
import { GroupMemberList } from './member-list.tsx';
import { RoleFacts } from './role-facts.tsx';

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
          <Button
            component={Link}
            to="/groups"
            search={{ view: 'graph', root: shown.node.groupId, group: shown.node.groupId } as never}
            variant="default"
          >
            Show in the graph
          </Button>
          <EditGroup groupId={shown.node.groupId} current={record.data} />
          <DeleteGroup {...shown} etag={record.data?.etag} />
        </>
      )}
    >
      {(shown) => (
        <>
          {record.error ? (
            <div>
              <Text size="sm">The organization and the business unit cannot be read:</Text>
              <ErrorPanel error={record.error} onRetry={() => void record.refetch()} />
            </div>
          ) : undefined}
          <GroupFacts node={shown.node} group={record.data?.value} />
          <RoleFacts {...shown} />
          <DependencyFacts {...shown} />
          <GroupMemberList node={shown.node} />
          <History entity="group" id={shown.node.groupId} />
        </>
      )}
    </ObjectPage>
  );
}
