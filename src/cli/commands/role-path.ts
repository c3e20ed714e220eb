/** How a group comes by a role: the way along its dependencies to a group that has it itself. */
import { ClientError } from '../../client/errors.ts';
import { bareRole } from '../../contract/roles.ts';
import { operationOf } from '../operations.ts';
import type { Context } from '../runtime/context.ts';
import { send } from '../send.ts';

interface GroupView {
  readonly groupName: string;
  readonly roles: readonly string[];
  readonly dependencies: readonly { readonly groupName: string }[];
}

/** More groups than these are not asked for: the answer stands without the way. */
const groupsAskedFor = 100;

/**
 * The shortest way from a group to one that has the role itself, both ends included.
 * @returns the group alone where it is not found: it was changed meanwhile, or lies too far.
 */
export async function roleWay(context: Context, start: string, role: string): Promise<string[]> {
  const ways = new Map([[start, [start]]]);
  // The map grows while it is walked: a walk over a map comes by what is added to it.
  for (const [name, way] of ways) {
    if (ways.size > groupsAskedFor) break;
    const group = await groupNamed(context, name);
    if (group?.roles.map(bareRole).includes(role)) return way;
    for (const { groupName } of group?.dependencies ?? [])
      if (!ways.has(groupName)) ways.set(groupName, [...way, groupName]);
  }
  return [start];
}

async function groupNamed(context: Context, groupId: string): Promise<GroupView | undefined> {
  try {
    return (await send(context, operationOf(context.manifest, 'groups.get'), { params: { groupId } }))
      .body as GroupView;
  } catch (error) {
    if (error instanceof ClientError && error.code === 'GROUP_NOT_FOUND') return undefined;
    throw error;
  }
}
