/** Which roles a group is to have, ticked off where nobody said on the command line what to change. */
import { reference as referenceTo } from '../../../contract/entities.ts';
import { getOperation } from '../../find-operation.ts';
import { findChoiceList } from '../../prompts/choice-lists.ts';
import { pageSize } from '../../prompts/select.ts';
import type { Context } from '../../runtime/context.ts';
import { prompt } from '../../runtime/prompt.ts';
import { send } from '../../send.ts';
import type { GroupBody } from './merge.ts';

/** The difference that the answer makes; nothing where there is no role to tick. To be called only where somebody can be asked. */
export async function promptRoles(
  context: Context,
  reference: string,
): Promise<{ readonly addRoles: readonly string[]; readonly removeRoles: readonly string[] } | undefined> {
  const input = { params: { groupId: reference } };
  const { roles: currentRoles } = (await send(context, getOperation(context.manifest, 'groups.get'), input))
    .body as GroupBody;
  const known = await findChoiceList(context, {
    name: 'role',
    sources: [referenceTo('role', ['name'])['x-reference']],
    known: {},
  })?.load(undefined, context.io.signal);
  const names = [...new Set([...currentRoles, ...(known?.choices ?? []).map(({ value }) => value)])].sort();
  if (names.length === 0) return undefined;
  const answer = (await prompt(context.promptOptions(false), {
    type: 'checkbox',
    message: `Roles of ${reference}:`,
    choices: names.map((name) => ({ value: name, name, checked: currentRoles.includes(name) })),
    required: false,
    pageSize,
  })) as string[];
  return {
    addRoles: answer.filter((role) => !currentRoles.includes(role)),
    removeRoles: currentRoles.filter((role) => !answer.includes(role)),
  };
}
