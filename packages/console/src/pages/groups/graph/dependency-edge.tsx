/** An edge of the graph: through the gaps that the layout keeps for it. */
import { BaseEdge, type Edge, type EdgeProps } from '@xyflow/react';
import { type GraphPoint, nodeSize } from './layout-graph.ts';

export type DependencyFlowEdge = Edge<{ readonly through: readonly GraphPoint[] }, 'dependency'>;

export function DependencyEdge({ sourceX, sourceY, targetX, targetY, data, ...props }: EdgeProps<DependencyFlowEdge>) {
  let path = `M ${sourceX} ${sourceY}`;
  let from: GraphPoint = { x: sourceX, y: sourceY };
  for (const point of data?.through ?? []) {
    const end = { x: point.x + nodeSize.width, y: point.y };
    path += `${curve(from, point)} L ${end.x} ${end.y}`;
    from = end;
  }
  path += curve(from, { x: targetX, y: targetY });
  return (
    <BaseEdge id={props.id} path={path} {...(props.markerEnd === undefined ? {} : { markerEnd: props.markerEnd })} />
  );
}

function curve(from: GraphPoint, to: GraphPoint): string {
  const middle = (from.x + to.x) / 2;
  return ` C ${middle} ${from.y} ${middle} ${to.y} ${to.x} ${to.y}`;
}
