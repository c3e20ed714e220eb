/** Deletes a group, after a confirmation that names what it affects. */
import { Text } from '@mantine/core';
import { useLeave } from '../../../api/use-leave.ts';
import { quotePositional } from '../../../components/equivalents.tsx';
import { JoinedList, Subject } from '../../../components/subject.tsx';
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
      done={`Deleted the group ${groupName}.`}
      command={`groups delete --yes ${quotePositional(groupName)}`}
      request={({ service }) => service.DELETE('/groups/{groupId}', { params })}
      edited={{ entity: 'group', id: groupId, etag }}
      changes={groupQueries}
      isReady={node.dependentCount === 0}
      notReadyText="Remove the dependencies of other groups first."
      onDone={leave}
    >
      <DependentText graph={graph} node={node} />
    </WriteAction>
  );
}

function DependentText({ graph, node }: Pick<DeleteGroupProps, 'graph' | 'node'>) {
  const { groupId, dependentCount } = node;
  if (dependentCount === 0)
    return (
      <>
        <Text>No other group depends on it.</Text>
        <Text>
          {countMembers(node) === 0
            ? 'It has no members.'
            : `Its members lose the roles that only this group gives them: ${formatMembers(node)}.`}
        </Text>
      </>
    );
  const { dependents } = listNeighbours(graph, groupId);
  return (
    <Text component="div">
      It cannot be deleted while other groups depend on it:{' '}
      <JoinedList
        items={dependents}
        total={dependentCount}
        keyOf={({ groupId: id }) => id}
        render={({ groupId: id, groupName: name }) => <Subject kind="group" id={id} name={name} />}
      />
      .
    </Text>
  );
}
