/** Leaves the page of an object that was deleted. */
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';

/** @param queryKeys of what the page read: it must not be read again */
export function useLeave(list: string, ...queryKeys: readonly (readonly string[])[]): () => Promise<void> {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  return async () => {
    await navigate({ to: list });
    for (const queryKey of queryKeys) queryClient.removeQueries({ queryKey });
  };
}
