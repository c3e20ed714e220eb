/** What the pages of groups read. The keys begin with 'groups', so that one invalidation refetches all of them. */
import { useQuery } from '@tanstack/react-query';
import type { components } from '#control-api';
import type { ControlData } from '../../../api/clients.ts';
import { useConsole } from '../../../api/console-context.ts';
import { unwrapResponse } from '../../../api/errors.ts';
import { useRead } from '../../../api/use-read.ts';

export type GroupRecord = components['schemas']['Group'];
export type GroupGraphData = ControlData<'/groups/graph'>;
export type GroupGraphNode = GroupGraphData['nodes'][number];

/** A group as the interface returns it, with its version. */
export interface VersionedGroup {
  readonly group: GroupRecord;
  readonly etag: string | undefined;
}

/** One group by id or name, from the interface. */
export function useGroup(reference: string) {
  const { service } = useConsole();
  return useQuery({
    queryKey: ['groups', 'one', reference],
    queryFn: async ({ signal }): Promise<VersionedGroup> => {
      const params = { path: { groupId: reference } };
      const { data, response } = await unwrapResponse(service.GET('/groups/{groupId}', { params, signal }));
      return { group: data, etag: response.headers.get('etag') ?? undefined };
    },
  });
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
