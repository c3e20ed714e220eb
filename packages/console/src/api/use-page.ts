/** The URL of a page as its state: the path below it, and its filters. */
import { useLocation, useNavigate, useParams, useSearch } from '@tanstack/react-router';

export interface PageState {
  /** What follows the path of the page, decoded: the id of an object. */
  readonly rest: string | undefined;
  readonly search: Readonly<Record<string, string | undefined>>;
  /** Changes filters; undefined removes one. Replaces the history entry, so that "back" leaves the page. */
  setSearch(changes: Readonly<Record<string, string | undefined>>): void;
}

export function usePage(): PageState {
  const { _splat: rest } = useParams({ strict: false }) as { _splat?: string };
  const search = useSearch({ strict: false }) as PageState['search'];
  const navigate = useNavigate();
  const { pathname } = useLocation();
  return {
    rest: rest === '' ? undefined : rest,
    search,
    setSearch(changes) {
      void navigate({ to: pathname, search: { ...search, ...changes } as never, replace: true });
    },
  };
}
