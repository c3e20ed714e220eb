/** What the pages of groups read. The keys begin with 'groups', so that one invalidation refetches all of them. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { components, paths } from '#control-api';
import { useConsole } from '../../../api/console-context.ts';
import { unwrap, unwrapResponse } from '../../../api/errors.ts';

export type GroupRecord = components['schemas']['Group'];
export type GroupGraphData = paths['/groups/graph']['get']['responses'][200]['content']['application/json'];
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
export function useGroupGraph(root: string | undefined, { enabled = true }: { readonly enabled?: boolean } = {}) {
  const { control } = useConsole();
  return useQuery({
    queryKey: ['groups', 'graph', root],
    queryFn: ({ signal }) => unwrap(control.GET('/groups/graph', { params: { query: { root } }, signal })),
    placeholderData: (previous) => (root === undefined ? previous : undefined),
    enabled,
  });
}

/** After a write: groups changed, and with them the roles of users. */
export function useGroupsChanged(): () => Promise<void> {
  const queryClient = useQueryClient();
  return useCallback(async () => {
    void queryClient.invalidateQueries({ queryKey: ['users'] });
    await queryClient.invalidateQueries({ queryKey: ['groups'] });
  }, [queryClient]);
}
