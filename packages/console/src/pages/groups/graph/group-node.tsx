/** A group in the graph: a button with its name, roles and number of members. */

import { Handle, type Node, type NodeProps, Position } from '@xyflow/react';
import { formatCount } from '../../../components/texts/format-count.ts';
import { formatNames } from '../../../components/texts/format-names.ts';
import { countMembers } from '../data/group-inheritance.ts';
import type { GroupGraphNode } from '../data/use-groups.ts';

export type GroupFlowNode = Node<
  {
    readonly node: GroupGraphNode;
    readonly isChosen: boolean;
    onChoose(groupId: string): void;
    /** Called when the keyboard reaches the group, which may be outside the visible part. */
    onReach(groupId: string): void;
  },
  'iamGroup'
>;

export function GroupNodeButton({ data: { node, isChosen, onChoose, onReach } }: NodeProps<GroupFlowNode>) {
  const { groupId, groupName, roleCount, inheritedRoleCount } = node;
  const members = countMembers(node);
  return (
    <>
      <Handle type="target" position={Position.Left} isConnectable={false} />
      <button
        type="button"
        className="group-node nopan"
        aria-pressed={isChosen}
        onClick={() => onChoose(groupId)}
        onFocus={({ currentTarget }) => {
          if (currentTarget.matches(':focus-visible')) onReach(groupId);
        }}
      >
        <strong title={groupName}>{groupName}</strong>
        <span>{roleCount === 0 ? 'No roles of its own' : formatNames(node.roles, roleCount, 1)}</span>
        <span>
          {inheritedRoleCount === 0 ? '' : `${inheritedRoleCount} inherited, `}
          {formatCount(members, 'member')}
        </span>
      </button>
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </>
  );
}
