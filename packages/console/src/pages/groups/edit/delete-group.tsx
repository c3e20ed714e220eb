/** Deletes a group, after a confirmation that names what it affects. */
import { Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useConsole } from '../../../api/console-context.ts';
import { unwrap } from '../../../api/errors.ts';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { Equivalents, quotePositional } from '../../../components/equivalents.tsx';
import { PermittedButton } from '../../../components/permitted-button.tsx';
import { countMembers, listNeighbours } from '../data/group-inheritance.ts';
import { type GroupGraphData, type GroupGraphNode, useGroupsChanged } from '../data/use-groups.ts';
import { formatMembers } from '../detail/group-facts.tsx';

interface DeleteGroupProps {
  readonly graph: GroupGraphData;
  readonly node: GroupGraphNode;
  /** Of the version that is shown; undefined if it is not known. */
  readonly etag: string | undefined;
}

export function DeleteGroup({ graph, node, etag }: DeleteGroupProps) {
  const { service } = useConsole();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const groupsChanged = useGroupsChanged();
  const [isOpen, dialog] = useDisclosure(false);
  const { groupId, groupName } = node;
  const remove = useMutation({
    mutationFn: () => {
      const header = etag === undefined ? {} : { 'If-Match': etag };
      return unwrap(service.DELETE('/groups/{groupId}', { params: { path: { groupId }, header } }));
    },
    onSuccess: async () => {
      dialog.close();
      await navigate({ to: '/groups' });
      queryClient.removeQueries({ queryKey: ['groups', 'graph', groupId] });
      queryClient.removeQueries({ queryKey: ['groups', 'one', groupId] });
      await groupsChanged();
    },
  });
  return (
    <>
      <PermittedButton operation="groups.remove" color="red" variant="outline" onClick={dialog.open}>
        Delete
      </PermittedButton>
      <ConfirmDialog
        title={`Delete the group ${groupName}`}
        isOpen={isOpen}
        confirmLabel="Delete the group"
        isPending={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate()}
        onCancel={() => {
          remove.reset();
          dialog.close();
        }}
      >
        <Stack gap="xs">
          <DependentText graph={graph} node={node} />
          <Text>
            {countMembers(node) === 0
              ? 'It has no members.'
              : `Its members lose the roles that only this group gives them: ${formatMembers(node)}.`}
          </Text>
          <Equivalents
            command={`groups delete --yes ${quotePositional(groupName)}`}
            call={{ method: 'DELETE', path: `/security/iam/v1/groups/${groupId}` }}
          />
        </Stack>
      </ConfirmDialog>
    </>
  );
}

/** More names than these are counted. */
const maxNames = 10;

function DependentText({ graph, node }: Pick<DeleteGroupProps, 'graph' | 'node'>) {
  const { groupId, dependentCount } = node;
  if (dependentCount === 0) return <Text>No other group depends on it.</Text>;
  const names = listNeighbours(graph, groupId).dependents.map(({ groupName }) => groupName);
  const rest = dependentCount - Math.min(names.length, maxNames);
  return (
    <Text fw={600}>
      The server refuses this while other groups depend on it: {names.slice(0, maxNames).join(', ')}
      {rest > 0 ? ` and ${rest} more` : ''}. Remove these dependencies first.
    </Text>
  );
}
