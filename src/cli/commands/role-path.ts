/** Finds the dependency path from a group to the group that grants a role. */
import { ClientError } from '../../client/errors.ts';
import { stripRolePrefix } from '../../contract/roles.ts';
import type { Context } from '../context.ts';
import { getOperation } from '../request/find-operation.ts';
import { send } from '../request/send.ts';

interface GroupView {
  readonly groupName: string;
  readonly roles: readonly string[];
  readonly dependencies: readonly { readonly groupName: string }[];
}

/** Upper bound for groups that are requested; beyond it the path is omitted. */
const maxGroups = 100;

/**
 * Returns the shortest dependency path from a group to one with the role, both ends included (breadth-first search).
 * @returns only the start if no path is found, because the groups changed or the limit was reached
 */
export async function findRolePath(context: Context, start: string, role: string): Promise<string[]> {
  const paths = new Map([[start, [start]]]);
  // Iterating a Map includes entries added during the iteration, so it serves as the queue.
  for (const [name, rolePath] of paths) {
    if (paths.size > maxGroups) break;
    const group = await findGroup(context, name);
    if (group?.roles.map(stripRolePrefix).includes(role)) return rolePath;
    for (const { groupName } of group?.dependencies ?? [])
      if (!paths.has(groupName)) paths.set(groupName, [...rolePath, groupName]);
  }
  return [start];
}

async function findGroup(context: Context, groupId: string): Promise<GroupView | undefined> {
  try {
    return (await send(context, getOperation(context.manifest, 'groups.get'), { params: { groupId } }))
      .body as GroupView;
  } catch (error) {
    if (error instanceof ClientError && error.code === 'GROUP_NOT_FOUND') return undefined;
    throw error;
  }
}
