/** Which roles a group is to have, ticked off where nobody said on the command line what to change. */
import { reference as referenceTo } from '../../../contract/entities.ts';
import { listOf } from '../../asking/lists.ts';
import { pageSize } from '../../asking/picking.ts';
import { operationOf } from '../../operations.ts';
import type { Context } from '../../runtime/context.ts';
import { ask } from '../../runtime/prompt.ts';
import { send } from '../../send.ts';
import type { Group } from './merge.ts';

/** The difference that the answer makes; nothing where there is no role to tick. To be called only where somebody can be asked. */
export async function askRoles(
  context: Context,
  reference: string,
): Promise<{ readonly addRoles: readonly string[]; readonly removeRoles: readonly string[] } | undefined> {
  const input = { params: { groupId: reference } };
  const { roles: held } = (await send(context, operationOf(context.manifest, 'groups.get'), input)).body as Group;
  const known = await listOf(context, {
    name: 'role',
    sources: [referenceTo('role', ['name'])['x-reference']],
    known: {},
  })?.load(undefined, context.io.signal);
  const names = [...new Set([...held, ...(known?.choices ?? []).map(({ value }) => value)])].sort();
  if (names.length === 0) return undefined;
  const answer = (await ask(context.asking(false), {
    type: 'checkbox',
    message: `Roles of ${reference}:`,
    choices: names.map((name) => ({ value: name, name, checked: held.includes(name) })),
    required: false,
    pageSize,
  })) as string[];
  return {
    addRoles: answer.filter((role) => !held.includes(role)),
    removeRoles: held.filter((role) => !answer.includes(role)),
  };
}
