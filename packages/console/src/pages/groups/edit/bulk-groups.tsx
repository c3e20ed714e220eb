/** What can be done with several groups. */
import { quotePositional } from '../../../components/equivalents.tsx';
import type { BulkActions } from '../../../components/selection/bulk-action.ts';
import { Subject } from '../../../components/subject.tsx';
import { type GroupRecord, groupQueries } from '../data/use-groups.ts';

export const bulkGroups: BulkActions<GroupRecord> = {
  noun: ['group', 'groups'],
  keyOf: ({ groupId }) => groupId,
  nameOf: ({ groupName }) => groupName,
  render: ({ groupId, groupName }) => <Subject kind="group" id={groupId} name={groupName} isPlain />,
  changes: groupQueries,
  actions: [
    {
      label: 'Delete',
      operations: ['groups.remove'],
      isDangerous: true,
      title: (groups) => `Delete ${groups}`,
      done: 'deleted',
      effect:
        'Their members lose the roles that only these groups give them. The server refuses to delete a group while others depend on it.',
      request:
        ({ groupId }) =>
        ({ service }) =>
          service.DELETE('/groups/{groupId}', { params: { path: { groupId } } }),
      commands: (groups) => [`groups delete --yes ${quotePositional(...groups.map(({ groupName }) => groupName))}`],
    },
  ],
};
