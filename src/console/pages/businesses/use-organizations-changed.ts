/** After a write about businesses, customers or corporate groups, which show parts of each other. */
import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';

const affected = ['businesses', 'customers', 'corporate-groups', 'groups', 'users'];

export function useOrganizationsChanged(): () => Promise<void> {
  const queryClient = useQueryClient();
  return useCallback(async () => {
    await Promise.all(affected.map((noun) => queryClient.invalidateQueries({ queryKey: [noun] })));
  }, [queryClient]);
}
