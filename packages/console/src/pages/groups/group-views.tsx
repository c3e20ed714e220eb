/** The views of all groups: list, graph, and the check of a role. Each has its own address. */
import { Button, Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';

const groupViews = { list: 'List', graph: 'Graph', role: 'Check a role' } as const;
export type GroupViewName = keyof typeof groupViews;

export function GroupViewMenu({ current }: { readonly current: GroupViewName }) {
  return (
    <Group component="nav" aria-label="Views of groups" gap="xs" mb="md">
      {(Object.keys(groupViews) as GroupViewName[]).map((view) => (
        <Button
          key={view}
          component={Link}
          to="/groups"
          search={(view === 'list' ? {} : { view }) as never}
          size="compact-md"
          variant={view === current ? 'filled' : 'default'}
          aria-current={view === current ? 'page' : undefined}
        >
          {groupViews[view]}
        </Button>
      ))}
    </Group>
  );
}
