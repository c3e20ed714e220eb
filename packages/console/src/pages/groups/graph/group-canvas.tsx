/** The graph as it is drawn. Loaded with this view only. */
import '@xyflow/react/dist/style.css';
import './group-canvas.css';
import { useComputedColorScheme } from '@mantine/core';
import { Controls, type Edge, MarkerType, ReactFlow, ReactFlowProvider, useReactFlow } from '@xyflow/react';
import { type RefObject, useCallback, useEffect, useMemo, useRef } from 'react';
import type { GroupGraphData } from '../data/use-groups.ts';
import { type GroupFlowNode, GroupNodeButton } from './group-node.tsx';
import { layoutGraph, nodeSize } from './layout-graph.ts';

interface GroupCanvasProps {
  readonly graph: GroupGraphData;
  readonly chosen: string | undefined;
  onChoose(groupId: string): void;
}

/** Not `group`, which has a style of the library. */
const nodeTypes = { iamGroup: GroupNodeButton };

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
  const places = useMemo(
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
  const edges = useMemo(() => graph.edges.map((edge) => toFlowEdge(edge, chosen)), [graph, chosen]);
  const canvas = useRef<HTMLDivElement>(null);
  useFit(canvas, places);
  return (
    <ReactFlow
      ref={canvas}
      nodes={nodes}
      edges={edges}
      nodeTypes={nodeTypes}
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
      <Controls showInteractive={false} aria-label="Zoom" />
    </ReactFlow>
  );
}

/** Shows the whole graph if its names stay legible, else its top left corner. */
function useFit(canvas: RefObject<HTMLDivElement | null>, places: ReturnType<typeof layoutGraph>) {
  const { setViewport } = useReactFlow();
  useEffect(() => {
    const { clientWidth = 0, clientHeight = 0 } = canvas.current ?? {};
    const all = [...places.values()];
    if (all.length === 0) return;
    const left = Math.min(...all.map(({ x }) => x));
    const width = Math.max(...all.map(({ x }) => x)) + nodeSize.width - left;
    const height = Math.max(...all.map(({ y }) => y)) + nodeSize.height;
    const fitting = Math.min((clientWidth - 2 * margin) / width, (clientHeight - 2 * margin) / height);
    const zoom = Math.min(1, Math.max(fitting, minLegibleZoom));
    const space = Math.max(margin, (clientWidth - width * zoom) / 2);
    void setViewport({ x: space - left * zoom, y: margin, zoom });
  }, [canvas, places, setViewport]);
}

/** Moves a group into the middle, for the keyboard. */
function useCenter(places: ReturnType<typeof layoutGraph>) {
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

function toFlowEdge({ from, to }: GroupGraphData['edges'][number], chosen: string | undefined): Edge {
  const isNear = from === chosen || to === chosen;
  return {
    id: `${from} ${to}`,
    source: from,
    target: to,
    markerEnd: { type: MarkerType.ArrowClosed },
    className: isNear ? 'group-edge-near' : '',
  };
}
