/** The graph as it is drawn. Loaded with this view only. */
import '@xyflow/react/dist/style.css';
import './group-canvas.css';
import { useComputedColorScheme } from '@mantine/core';
import { Controls, MarkerType, ReactFlow, ReactFlowProvider, useReactFlow } from '@xyflow/react';
import { type RefObject, useCallback, useEffect, useEffectEvent, useMemo, useRef } from 'react';
import type { GroupGraphData } from '../data/use-groups.ts';
import { DependencyEdge, type DependencyFlowEdge } from './dependency-edge.tsx';
import { type GroupFlowNode, GroupNodeButton } from './group-node.tsx';
import { edgeId, type GraphLayout, layoutGraph, nodeSize } from './layout-graph.ts';

interface GroupCanvasProps {
  readonly graph: GroupGraphData;
  readonly chosen: string | undefined;
  onChoose(groupId: string): void;
}

/** Not `group`, which has a style of the library. */
const nodeTypes = { iamGroup: GroupNodeButton };
const edgeTypes = { dependency: DependencyEdge };

/** Below it, names are too small to read: what does not fit is scrolled to. */
const minLegibleZoom = 0.85;
const margin = 24;

export default function GroupCanvas(props: GroupCanvasProps) {
  return (
    <ReactFlowProvider>
      <Canvas {...props} />
    </ReactFlowProvider>
  );
}

function Canvas({ graph, chosen, onChoose }: GroupCanvasProps) {
  const colorMode = useComputedColorScheme('light');
  const { places, routes } = useMemo(
    () =>
      layoutGraph(
        graph.nodes.map(({ groupId }) => groupId),
        graph.edges,
      ),
    [graph],
  );
  const center = useCenter(places);
  const nodes = useMemo(
    () =>
      graph.nodes.map((node): GroupFlowNode => {
        const { groupId } = node;
        const data = { node, isChosen: groupId === chosen, onChoose, onReach: center };
        return { id: groupId, type: 'iamGroup', position: places.get(groupId) ?? { x: 0, y: 0 }, data, ...nodeSize };
      }),
    [graph, places, chosen, onChoose, center],
  );
  const edges = useMemo(() => graph.edges.map((edge) => toFlowEdge(edge, routes, chosen)), [graph, routes, chosen]);
  const canvas = useRef<HTMLDivElement>(null);
  useFit(canvas, places, chosen);
  return (
    <ReactFlow
      ref={canvas}
      nodes={nodes}
      edges={edges}
      nodeTypes={nodeTypes}
      edgeTypes={edgeTypes}
      colorMode={colorMode}
      minZoom={0.05}
      maxZoom={2}
      nodesDraggable={false}
      nodesConnectable={false}
      nodesFocusable={false}
      edgesFocusable={false}
      elementsSelectable={false}
      deleteKeyCode={null}
      panOnScroll
      proOptions={{ hideAttribution: true }}
    >
      <Controls position="bottom-right" showInteractive={false} aria-label="Zoom" />
    </ReactFlow>
  );
}

/** Shows the whole graph if its names stay legible, else its top left corner. */
function useFit(canvas: RefObject<HTMLDivElement | null>, places: GraphLayout['places'], chosen: string | undefined) {
  const { setViewport } = useReactFlow();
  const center = useCenter(places);
  const hasPanel = chosen !== undefined;
  const fit = useEffectEvent((isNew: boolean) => {
    const { clientWidth = 0, clientHeight = 0 } = canvas.current ?? {};
    const all = [...places.values()];
    const width = Math.max(0, ...all.map(({ x }) => x)) + nodeSize.width;
    const height = Math.max(0, ...all.map(({ y }) => y)) + nodeSize.height;
    const fitting = Math.min((clientWidth - 2 * margin) / width, (clientHeight - 2 * margin) / height);
    if (fitting < minLegibleZoom && chosen !== undefined) return center(chosen);
    if (fitting < minLegibleZoom && !isNew) return;
    const zoom = Math.min(1, Math.max(fitting, minLegibleZoom));
    void setViewport({ x: Math.max(margin, (clientWidth - width * zoom) / 2), y: margin, zoom });
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: for each graph
  useEffect(() => fit(true), [places]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the panel of a group, which opens beside the graph, hides none
  useEffect(() => fit(false), [hasPanel]);
}

/** Moves a group into the middle, for the keyboard. */
function useCenter(places: GraphLayout['places']) {
  const { setCenter, getZoom } = useReactFlow();
  return useCallback(
    (groupId: string) => {
      const { x, y } = places.get(groupId) ?? { x: 0, y: 0 };
      const zoom = Math.max(getZoom(), minLegibleZoom);
      void setCenter(x + nodeSize.width / 2, y + nodeSize.height / 2, { zoom });
    },
    [places, setCenter, getZoom],
  );
}

function toFlowEdge(
  edge: GroupGraphData['edges'][number],
  routes: GraphLayout['routes'],
  chosen: string | undefined,
): DependencyFlowEdge {
  const { from, to } = edge;
  const isNear = from === chosen || to === chosen;
  const id = edgeId(edge);
  return {
    id,
    type: 'dependency',
    source: from,
    target: to,
    data: { through: routes.get(id) ?? [] },
    markerEnd: { type: MarkerType.ArrowClosed },
    className: isNear ? 'group-edge-near' : '',
  };
}
