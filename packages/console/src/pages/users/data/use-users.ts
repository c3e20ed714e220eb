/** What the pages of users read. The keys begin with 'users', so that one invalidation refetches all of them. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { paths } from '#control-api';
import { useConsole } from '../../../api/console-context.ts';
import { unwrap } from '../../../api/errors.ts';

export type ListedUser = paths['/users']['get']['responses'][200]['content']['application/json'][number];
export type ShownUser = paths['/users/{id}']['get']['responses'][200]['content']['application/json'];

export function useShownUser(id: string) {
  const { control } = useConsole();
  return useQuery({
    queryKey: ['users', 'one', id],
    queryFn: ({ signal }) => unwrap(control.GET('/users/{id}', { params: { path: { id } }, signal })),
  });
}

/** After a write: the lists and details of users, and the members of groups. */
export function useUsersChanged(): () => Promise<void> {
  const queryClient = useQueryClient();
  return useCallback(async () => {
    void queryClient.invalidateQueries({ queryKey: ['groups'] });
    await queryClient.invalidateQueries({ queryKey: ['users'] });
  }, [queryClient]);
}
