/** What the pages of groups read. The keys begin with 'groups', so that one invalidation refetches all of them. */
import type { components } from '#control-api';
import type { ControlData } from '../../../api/clients.ts';
import { useRead } from '../../../api/use-read.ts';
import { useVersioned } from '../../../api/use-versioned.ts';

export type GroupRecord = components['schemas']['Group'];
export type GroupGraphData = ControlData<'/groups/graph'>;
export type GroupGraphNode = GroupGraphData['nodes'][number];

/** One group by id or name, from the interface. */
export function useGroup(reference: string) {
  const params = { path: { groupId: reference } };
  return useVersioned<GroupRecord>(['groups', 'one', reference], ({ service }, signal) =>
    service.GET('/groups/{groupId}', { params, signal }),
  );
}

/** All groups, or with root the group and its dependencies and dependents, also the indirect ones; at most 1,000. */
export function useGroupGraph(root: string | undefined) {
  return useRead<GroupGraphData>(
    ['groups', 'graph', root],
    ({ control }, signal) => control.GET('/groups/graph', { params: { query: { root } }, signal }),
    { placeholderData: (previous) => (root === undefined ? previous : undefined) },
  );
}

/** Queries about groups, and about users, whose roles change with groups. */
export const groupQueries = ['groups', 'users'];
