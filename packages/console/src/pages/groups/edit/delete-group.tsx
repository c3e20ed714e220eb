/** Deletes a group, after a confirmation that names what it affects. */
import { Text } from '@mantine/core';
import { useLeave } from '../../../api/use-leave.ts';
import { quotePositional } from '../../../components/equivalents.tsx';
import { SubjectList } from '../../../components/subject.tsx';
import { WriteAction } from '../../../components/write-action.tsx';
import { countMembers, listNeighbours } from '../data/group-inheritance.ts';
import { type GroupGraphData, type GroupGraphNode, groupQueries } from '../data/use-groups.ts';
import { formatMembers } from '../detail/group-facts.tsx';

interface DeleteGroupProps {
  readonly graph: GroupGraphData;
  readonly node: GroupGraphNode;
  /** Of the version that is shown; undefined if it is not known. */
  readonly etag: string | undefined;
}

export function DeleteGroup({ graph, node, etag }: DeleteGroupProps) {
  const { groupId, groupName } = node;
  const leave = useLeave('/groups', ['groups', 'graph', groupId], ['groups', 'one', groupId]);
  const params = { path: { groupId }, header: { 'If-Match': etag } };
  return (
    <WriteAction
      operation="groups.remove"
      label="Delete"
      title={`Delete the group ${groupName}`}
      confirmLabel="Delete the group"
      isDangerous
      command={`groups delete --yes ${quotePositional(groupName)}`}
      request={({ service }) => service.DELETE('/groups/{groupId}', { params })}
      edited={{ entity: 'group', id: groupId, etag }}
      changes={groupQueries}
      onDone={leave}
    >
      <DependentText graph={graph} node={node} />
      <Text>
        {countMembers(node) === 0
          ? 'It has no members.'
          : `Its members lose the roles that only this group gives them: ${formatMembers(node)}.`}
      </Text>
    </WriteAction>
  );
}

function DependentText({ graph, node }: Pick<DeleteGroupProps, 'graph' | 'node'>) {
  const { groupId, dependentCount } = node;
  if (dependentCount === 0) return <Text>No other group depends on it.</Text>;
  const { dependents } = listNeighbours(graph, groupId);
  return (
    <Text fw={600}>
      The server refuses this while other groups depend on it:{' '}
      <SubjectList
        kind="group"
        subjects={dependents.map(({ groupId: id, groupName: name }) => ({ id, name }))}
        total={dependentCount}
      />
      . Remove these dependencies first.
    </Text>
  );
}
