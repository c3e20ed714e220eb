/** The views of all groups: list, graph, and the check of a role. Each has its own address. */
import { Link } from '@tanstack/react-router';

const groupViews = { list: 'List', graph: 'Graph', role: 'Check a role' } as const;
export type GroupViewName = keyof typeof groupViews;

export function GroupViewMenu({ current }: { readonly current: GroupViewName }) {
  return (
    <nav className="tabs" aria-label="Views of groups">
      {(Object.keys(groupViews) as GroupViewName[]).map((view) => (
        <Link
          key={view}
          to="/groups"
          search={(view === 'list' ? {} : { view }) as never}
          aria-current={view === current ? 'page' : undefined}
        >
          {groupViews[view]}
        </Link>
      ))}
    </nav>
  );
}
