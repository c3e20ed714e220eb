/** Prompts for the name, roles and dependencies of a group if the command line names no change. */
import { reference as referenceTo } from '../../../contract/entities.ts';
import type { Context } from '../../context.ts';
import { prompt } from '../../io/prompt.ts';
import { type ChoiceList, findChoiceList } from '../../prompts/choice-lists.ts';
import { createValidator } from '../../prompts/field-prompts.ts';
import { type ListEdit, selectListEdit } from '../../prompts/select.ts';
import { getOperation } from '../../request/find-operation.ts';
import { send } from '../../request/send.ts';
import type { ResourceEdit } from '../update/merge.ts';

interface GroupView {
  readonly groupName: string;
  readonly roles: readonly string[];
  readonly dependencies: readonly { readonly groupName: string }[];
}

/** Requires an interactive terminal. */
export async function promptGroup(context: Context, groupId: string): Promise<ResourceEdit> {
  const read = await send(context, getOperation(context.manifest, 'groups.get'), { params: { groupId } });
  const { groupName, roles, dependencies } = read.body as GroupView;
  const { properties = {} } = getOperation(context.manifest, 'groups.update').body ?? {};
  const name = await promptText(context, `Name, now ${groupName} (Enter to keep):`, properties.groupName ?? {});
  const known = await promptList(context, `Roles of ${groupName}:`, 'role', roles, properties.roles?.items ?? {});
  const direct = dependencies.map((dependency) => dependency.groupName);
  const depends = await promptList(context, `Dependencies of ${groupName}:`, 'group', direct, {}, groupName);
  const toEntries = (names: readonly string[]) => names.map((one) => ({ groupName: one }));
  return {
    set: name === '' || name === groupName ? {} : { groupName: name },
    add: { roles: known.add, dependencies: toEntries(depends.add) },
    remove: { roles: known.remove, dependencies: toEntries(depends.remove) },
  };
}

async function promptText(
  context: Context,
  message: string,
  schema: Parameters<typeof createValidator>[0],
): Promise<string> {
  const validate = createValidator(schema, { optional: true });
  return String(await prompt(context.promptOptions(false), { type: 'input', message, validate })).trim();
}

/** Offers the entries that the server has, and what is typed. @param excluded a name that is not offered */
async function promptList(
  context: Context,
  message: string,
  entity: 'role' | 'group',
  current: readonly string[],
  schema: Parameters<typeof createValidator>[0],
  excluded?: string,
): Promise<ListEdit> {
  const sources = [referenceTo(entity, ['name'])['x-reference']];
  const list = findChoiceList(context, { sources, known: {} });
  if (!list) return { add: [], remove: [] };
  const load: ChoiceList['load'] = async (term, signal) => {
    const { choices, more } = await list.load(term, signal);
    return { choices: choices.filter(({ value }) => value !== excluded), more };
  };
  const validateText = createValidator(schema, { multiple: true });
  const validate = (text: string) =>
    text.trim() === excluded ? 'A group cannot depend on itself.' : validateText(text);
  const promptOptions = context.promptOptions(false);
  return selectListEdit({ context, promptOptions, message, list: { ...list, load }, validate }, current);
}
