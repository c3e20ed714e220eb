/** Prompts for the name, roles and dependencies of a group if the command line names no change. */
import { reference as referenceTo } from '../../../contract/entities.ts';
import type { Context } from '../../context.ts';
import { prompt } from '../../io/prompt.ts';
import { type ChoiceList, findChoiceList } from '../../prompts/choice-lists.ts';
import { createValidator } from '../../prompts/field-prompts.ts';
import { type ListEdit, selectListEdit } from '../../prompts/select.ts';
import { getOperation } from '../../request/find-operation.ts';
import { send } from '../../request/send.ts';
import type { EditDialog, ResourceEdit } from '../update/merge.ts';

interface GroupView {
  readonly groupName: string;
  readonly roles: readonly string[];
  readonly dependencies: readonly { readonly groupName: string }[];
}

/** Requires an interactive terminal. */
export async function openGroupDialog(context: Context, groupId: string): Promise<EditDialog> {
  const read = await send(context, getOperation(context.manifest, 'groups.get'), { params: { groupId } });
  const { groupName, roles, dependencies } = read.body as GroupView;
  const { properties = {} } = getOperation(context.manifest, 'groups.update').body ?? {};
  const direct = dependencies.map((dependency) => dependency.groupName);
  const toEntries = (names: readonly string[]) => names.map((one) => ({ groupName: one }));
  const questions: Readonly<Record<string, () => Promise<ResourceEdit>>> = {
    groupName: async () => {
      const message = `Name, now ${groupName} (Enter to keep):`;
      const name = await promptText(context, message, properties.groupName ?? {});
      return { set: name === '' || name === groupName ? {} : { groupName: name }, add: {}, remove: {} };
    },
    roles: async () => {
      const schema = properties.roles?.items ?? {};
      const { add, remove } = await promptList(context, `Roles of ${groupName}:`, 'role', roles, schema);
      return { set: {}, add: { roles: add }, remove: { roles: remove } };
    },
    dependencies: async () => {
      const { add, remove } = await promptList(
        context,
        `Dependencies of ${groupName}:`,
        'group',
        direct,
        {},
        groupName,
      );
      return { set: {}, add: { dependencies: toEntries(add) }, remove: { dependencies: toEntries(remove) } };
    },
  };
  const answers = new Map<string, ResourceEdit>();
  return {
    fields: Object.keys(questions),
    ask: async (fields) => {
      for (const field of fields) {
        const answer = await questions[field]?.();
        if (answer) answers.set(field, answer);
      }
      const edits = [...answers.values()];
      return {
        set: Object.assign({}, ...edits.map(({ set }) => set)),
        add: Object.assign({}, ...edits.map(({ add }) => add)),
        remove: Object.assign({}, ...edits.map(({ remove }) => remove)),
      };
    },
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
