/** The views of all groups: list, graph, and the check of a role. */
import { PageTabs } from '../../components/object/page-tabs.tsx';

const groupViews = { list: 'List', graph: 'Graph', role: 'Check a role' } as const;

export function GroupViewMenu({ current }: { readonly current: keyof typeof groupViews }) {
  return <PageTabs label="Views of groups" param="view" titles={groupViews} current={current} />;
}
