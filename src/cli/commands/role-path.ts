/** How a group comes by a role: the way along its dependencies to a group that has it itself. */
import { ClientError } from '../../client/errors.ts';
import { stripRolePrefix } from '../../contract/roles.ts';
import { getOperation } from '../find-operation.ts';
import type { Context } from '../runtime/context.ts';
import { send } from '../send.ts';

interface GroupView {
  readonly groupName: string;
  readonly roles: readonly string[];
  readonly dependencies: readonly { readonly groupName: string }[];
}

/** More groups than these are not asked for: the answer stands without the way. */
const maxGroups = 100;

/**
 * The shortest way from a group to one that has the role itself, both ends included.
 * @returns the group alone where it is not found: it was changed meanwhile, or lies too far.
 */
export async function findRolePath(context: Context, start: string, role: string): Promise<string[]> {
  const paths = new Map([[start, [start]]]);
  // The map grows while it is walked: a walk over a map comes by what is added to it.
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
