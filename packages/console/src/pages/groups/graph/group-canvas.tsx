/** The graph as it is drawn. Loaded with this view only. */
import '@xyflow/react/dist/style.css';
import './group-canvas.css';
import { useComputedColorScheme } from '@mantine/core';
import { Controls, type Edge, MarkerType, ReactFlow, ReactFlowProvider, useReactFlow } from '@xyflow/react';
import { useCallback, useEffect, useMemo } from 'react';
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
const fitOptions = { padding: 0.1, maxZoom: 1, minZoom: 0.25 };

export default function GroupCanvas(props: GroupCanvasProps) {
  return (
    <ReactFlowProvider>
      <Canvas {...props} />
    </ReactFlowProvider>
  );
}

function Canvas({ graph, chosen, onChoose }: GroupCanvasProps) {
  const colorMode = useComputedColorScheme('light');
  const { fitView } = useReactFlow();
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
  useEffect(() => {
    if (places.size > 0) void fitView(fitOptions);
  }, [places, fitView]);
  return (
    <ReactFlow
      nodes={nodes}
      edges={edges}
      nodeTypes={nodeTypes}
      colorMode={colorMode}
      fitView
      fitViewOptions={fitOptions}
      minZoom={0.05}
      maxZoom={2}
      nodesDraggable={false}
      nodesConnectable={false}
      nodesFocusable={false}
      edgesFocusable={false}
      elementsSelectable={false}
      deleteKeyCode={null}
      proOptions={{ hideAttribution: true }}
    >
      <Controls showInteractive={false} aria-label="Zoom" />
    </ReactFlow>
  );
}

/** Moves a group into the middle, for the keyboard. */
function useCenter(places: ReturnType<typeof layoutGraph>) {
  const { setCenter, getZoom } = useReactFlow();
  return useCallback(
    (groupId: string) => {
      const { x, y } = places.get(groupId) ?? { x: 0, y: 0 };
      const zoom = Math.max(getZoom(), 0.5);
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
