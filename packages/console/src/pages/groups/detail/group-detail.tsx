/** One group: what it gives, to whom, and what it depends on. */
import { Anchor, Button, Loader, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Equivalents, quotePositional } from '../../../components/equivalents.tsx';
import { ErrorPanel } from '../../../components/error-panel.tsx';
import { PageTitle } from '../../../components/page-title.tsx';
import { useGroup, useGroupGraph } from '../data/use-groups.ts';
import { DeleteGroup } from '../edit/delete-group.tsx';
import { EditGroup } from '../edit/edit-group.tsx';
import { AddMember } from '../members/add-member.tsx';
import { RemoveMember } from '../members/remove-member.tsx';
import { DependencyFacts } from './dependency-facts.tsx';
import { GroupFacts } from './group-facts.tsx';
import { GroupMemberList } from './member-list.tsx';
import { RoleFacts } from './role-facts.tsx';

export function GroupDetail({ reference }: { readonly reference: string }) {
  const graph = useGroupGraph(reference);
  const record = useGroup(reference);
  const node = graph.data?.nodes[0];
  return (
    <Stack gap="md">
      <Anchor component={Link} to="/groups" underline="always" size="sm">
        All groups
      </Anchor>
      <PageTitle
        actions={
          graph.data === undefined || node === undefined ? undefined : (
            <>
              <Button
                component={Link}
                to="/groups"
                search={{ view: 'graph', root: node.groupId, group: node.groupId } as never}
                variant="default"
              >
                Show in the graph
              </Button>
              <EditGroup current={record.data} />
              <DeleteGroup graph={graph.data} node={node} etag={record.data?.etag} />
            </>
          )
        }
      >
        {node?.groupName ?? 'Group'}
      </PageTitle>
      {graph.error ? <ErrorPanel error={graph.error} onRetry={() => void graph.refetch()} /> : undefined}
      {graph.isLoading ? <Loader size="sm" aria-label="Loading" /> : undefined}
      {graph.data === undefined || node === undefined ? undefined : (
        <>
          {record.error ? (
            <div>
              <Text size="sm">The organization and the business unit cannot be read:</Text>
              <ErrorPanel error={record.error} onRetry={() => void record.refetch()} />
            </div>
          ) : undefined}
          <GroupFacts node={node} group={record.data?.group} />
          <RoleFacts graph={graph.data} node={node} />
          <DependencyFacts graph={graph.data} node={node} />
          <GroupMemberList
            node={node}
            actions={<AddMember node={node} />}
            renderActions={(member) => <RemoveMember node={node} member={member} />}
          />
          <Equivalents
            command={`groups tree ${quotePositional(node.groupName)}`}
            call={{ path: `/_iam/groups/graph?root=${encodeURIComponent(node.groupName)}` }}
          />
        </>
      )}
    </Stack>
  );
}
