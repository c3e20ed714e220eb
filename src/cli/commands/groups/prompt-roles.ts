/** Prompts for the roles of a group if the command line names no change. */
import { reference as referenceTo } from '../../../contract/entities.ts';
import type { Context } from '../../context.ts';
import { prompt } from '../../io/prompt.ts';
import { findChoiceList } from '../../prompts/choice-lists.ts';
import { pageSize } from '../../prompts/select.ts';
import { getOperation } from '../../request/find-operation.ts';
import { send } from '../../request/send.ts';

/** Returns the roles to add and remove, or undefined if there are no roles to choose from. Requires an interactive terminal. */
export async function promptRoles(
  context: Context,
  reference: string,
): Promise<{ readonly addRoles: readonly string[]; readonly removeRoles: readonly string[] } | undefined> {
  const input = { params: { groupId: reference } };
  const { roles: currentRoles } = (await send(context, getOperation(context.manifest, 'groups.get'), input)).body as {
    readonly roles: readonly string[];
  };
  const choiceList = await findChoiceList(context, {
    sources: [referenceTo('role', ['name'])['x-reference']],
    known: {},
  })?.load(undefined, context.io.signal);
  const names = [...new Set([...currentRoles, ...(choiceList?.choices ?? []).map(({ value }) => value)])].sort();
  if (names.length === 0) return undefined;
  const selected = (await prompt(context.promptOptions(false), {
    type: 'checkbox',
    message: `Roles of ${reference}:`,
    choices: names.map((name) => ({ value: name, name, checked: currentRoles.includes(name) })),
    required: false,
    pageSize,
  })) as string[];
  return {
    addRoles: selected.filter((role) => !currentRoles.includes(role)),
    removeRoles: currentRoles.filter((role) => !selected.includes(role)),
  };
}
