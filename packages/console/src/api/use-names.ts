/** The names of ids in responses without names. */
import { useQueries } from '@tanstack/react-query';
import { useConsole } from './console-context.ts';
import type { NameKind } from './names-reader.ts';
import { usePermission } from './use-permission.ts';

/** Names change rarely, and every write of this console reads them again. */
const staleTime = 60_000;

/**
 * Returns the name of each of these ids by its kind; undefined until it is read, for deleted objects, on a server without
 * names and for callers that may not read them.
 */
export function useNames(ids: readonly string[]): (kind: NameKind, id: string) => string | undefined {
  const { names } = useConsole();
  const { isAllowed } = usePermission('POST /_iam/names');
  const found = useQueries({
    queries: [...new Set(ids)].map((id) => ({
      queryKey: ['names', id],
      queryFn: () => names(id),
      enabled: isAllowed,
      staleTime,
    })),
    combine: (results) => results.flatMap(({ data = [] }) => data),
  });
  return (kind, id) => found.find((name) => name.kind === kind && name.id === id)?.name;
}
