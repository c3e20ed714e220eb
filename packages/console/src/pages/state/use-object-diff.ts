/** The objects that differ between two states, page by page. */
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ControlData } from '../../api/clients.ts';
import { useConsole } from '../../api/console-context.ts';
import { unwrap } from '../../api/errors.ts';
import type { ApiRequest } from '../../api/requests.ts';

export type ComparedObjects = ControlData<'/state/diff/objects'>;
export type ComparedEntity = ComparedObjects['objects'][number]['entity'];

interface ObjectDiffQuery {
  readonly from: string;
  readonly to: string;
  readonly entity: ComparedEntity | undefined;
}

/** More at once would block the page. */
const pageSize = 50;

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
  const pages = data?.pages ?? [];
  const count = pages.reduce((sum, { objects }) => sum + objects.length, 0);
  return { ...state, summary: pages[0], pages, count };
}
