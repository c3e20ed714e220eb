/** Reads again what a write changed. */
import { useQueryClient } from '@tanstack/react-query';

/** @param nouns with which the keys of the affected queries begin: 'users'; without them, everything is read again */
export function useChanged(nouns?: readonly string[]): () => Promise<void> {
  const queryClient = useQueryClient();
  return async () => {
    if (nouns === undefined) return queryClient.invalidateQueries();
    await Promise.all([...nouns, 'names'].map((noun) => queryClient.invalidateQueries({ queryKey: [noun] })));
  };
}
