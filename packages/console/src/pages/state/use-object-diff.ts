/** The objects that differ between two states, page by page. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ControlData } from '../../api/clients.ts';
import { useConsole } from '../../api/console-context.ts';
import { unwrap } from '../../api/errors.ts';
import type { ApiRequest } from '../../api/requests.ts';
import type { NameOfId } from '../../components/changes/field-line-list.tsx';

export type ComparedObjects = ControlData<'/state/diff/objects'>;
export type ComparedEntity = ComparedObjects['objects'][number]['entity'];

interface ObjectDiffQuery {
  readonly from: string;
  readonly to: string;
  readonly entity: ComparedEntity | undefined;
}

const pageSize = 100;

export function useObjectDiff(query: ObjectDiffQuery) {
  const clients = useConsole();
  const read =
    (after?: string): ApiRequest<ComparedObjects> =>
    ({ control }, signal) =>
      control.GET('/state/diff/objects', { params: { query: { ...query, limit: pageSize, after } }, signal });
  const { data, ...state } = useInfiniteQuery({
    queryKey: ['diff', query],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => unwrap(read(pageParam)(clients, signal)),
    getNextPageParam: ({ next }) => next,
    // After another choice, the page stays where it is until the next comparison is there.
    placeholderData: (previous) => previous,
  });
  const { objects, nameOf } = useMemo(() => {
    const pages = data?.pages ?? [];
    const names = new Map(pages.flatMap((page) => page.names.map(({ kind, id, name }) => [`${kind} ${id}`, name])));
    const find: NameOfId = (kind, id) => names.get(`${kind} ${id}`);
    return { objects: pages.flatMap((page) => page.objects), nameOf: find };
  }, [data]);
  return { ...state, summary: data?.pages[0], objects, nameOf };
}
