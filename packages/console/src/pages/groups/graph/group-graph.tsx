/** The graph of groups: which inherits from which. Of many groups, one and its neighbourhood are drawn first. */
import './group-graph.css';
import { Alert, Group, Select, Stack, Text } from '@mantine/core';
import { useCallback, useMemo } from 'react';
import { usePage } from '../../../api/use-page.ts';
import { EmptyState } from '../../../components/empty-state.tsx';
import { Equivalents, quotePositional } from '../../../components/equivalents.tsx';
import { ErrorPanel } from '../../../components/error-panel.tsx';
import { useNarrow } from '../../../components/lists/use-narrow.ts';
import { PageTitle } from '../../../components/page-title.tsx';
import { EntitySelect } from '../data/entity-select.tsx';
import { type GroupGraphData, useGroupGraph } from '../data/use-groups.ts';
import { GroupViewMenu } from '../group-views.tsx';
import { ChosenGroup } from './chosen-group.tsx';
import { GroupOutline } from './group-outline.tsx';
import { LazyGroupCanvas } from './lazy-group-canvas.ts';
import { findMostConnected, maxDrawnAtOnce, selectNeighbourhood } from './select-neighbourhood.ts';

const distances = [
  { value: '1', label: 'Direct' },
  { value: '2', label: 'Up to 2 steps' },
  { value: '3', label: 'Up to 3 steps' },
  { value: 'all', label: 'All' },
];

export function GroupGraphPage() {
  const { search, setSearch } = usePage();
  const graph = useGroupGraph(search.root);
  const drawn = useDrawnGraph(graph.data, search);
  const choose = useCallback((groupId: string) => setSearch({ group: groupId }), [setSearch]);
  const isNarrow = useNarrow();
  const chosen = graph.data?.nodes.find(({ groupId }) => groupId === search.group);
  return (
    <Stack gap="md">
      <PageTitle>Groups</PageTitle>
      <GroupViewMenu current="graph" />
      {graph.error ? <ErrorPanel error={graph.error} onRetry={() => void graph.refetch()} /> : undefined}
      <GraphFilters drawn={drawn} total={graph.data?.nodes.length ?? 0} />
      {graph.data?.groupCount === 0 ? (
        <EmptyState icon="groups" title="No groups yet" command="groups create --group-name ops --role DEPLOY">
          The graph draws each group left of those whose roles it inherits.
        </EmptyState>
      ) : undefined}
      {graph.data !== undefined && graph.data.groupCount > graph.data.nodes.length ? (
        <Alert color="orange" variant="light">
          The server has {graph.data.groupCount.toLocaleString('en')} groups. The first {graph.data.nodes.length} were
          read: choose a group to read what it is connected to.
        </Alert>
      ) : undefined}
      {drawn === undefined || drawn.graph.nodes.length === 0 ? undefined : isNarrow ? (
        <section aria-label="Graph of groups">
          <GroupOutline graph={drawn.graph} />
        </section>
      ) : (
        <div className="split">
          <section className="split-list group-canvas" aria-label="Graph of groups">
            <LazyGroupCanvas graph={drawn.graph} chosen={search.group} onChoose={choose} />
          </section>
          {chosen === undefined ? undefined : (
            <ChosenGroup
              node={chosen}
              onFocus={(groupId) => setSearch({ root: groupId })}
              onClose={() => setSearch({ group: undefined })}
            />
          )}
        </div>
      )}
      <Equivalents
        command={`groups tree${search.root === undefined ? '' : ` ${quotePositional(search.root)}`}`}
        call={({ control }) => control.GET('/groups/graph', { params: { query: { root: search.root } } })}
      />
    </Stack>
  );
}

interface DrawnGraph {
  readonly graph: GroupGraphData;
  /** The name of the group whose neighbourhood is drawn; undefined if all groups are. */
  readonly focusName: string | undefined;
}

function useDrawnGraph(
  graph: GroupGraphData | undefined,
  { root, distance }: Readonly<Record<string, string | undefined>>,
): DrawnGraph | undefined {
  return useMemo(() => {
    if (graph === undefined) return undefined;
    const isSmall = graph.nodes.length <= maxDrawnAtOnce;
    if (distance === 'all' || (isSmall && distance === undefined)) return { graph, focusName: undefined };
    const focus = root === undefined ? findMostConnected(graph) : graph.nodes[0]?.groupId;
    if (focus === undefined) return { graph, focusName: undefined };
    const focusName = graph.nodes.find(({ groupId }) => groupId === focus)?.groupName;
    return { graph: selectNeighbourhood(graph, focus, Number(distance ?? 1)), focusName };
  }, [graph, root, distance]);
}

interface GraphFiltersProps {
  readonly drawn: DrawnGraph | undefined;
  readonly total: number;
}

function GraphFilters({ drawn, total }: GraphFiltersProps) {
  const { search, setSearch } = usePage();
  const shown = drawn?.graph.nodes.length ?? 0;
  return (
    <Group className="group-graph-filters" align="flex-end" gap="sm">
      <EntitySelect
        label="Connected to"
        isRequired={false}
        kind="groups"
        value={search.root}
        onChange={(root) => setSearch({ root })}
      />
      <Select
        label="Distance"
        data={distances}
        value={search.distance ?? (drawn?.focusName === undefined ? 'all' : '1')}
        onChange={(distance) => setSearch({ distance: distance ?? undefined })}
        allowDeselect={false}
      />
      <Text size="sm" c="dimmed" role="status">
        {shown} of {total} groups
        {drawn?.focusName === undefined ? '' : `, around ${drawn.focusName}`}
      </Text>
    </Group>
  );
}
