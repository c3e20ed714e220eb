/** Prompts for the name, roles and dependencies of a group if the command line names no change. */
import { reference as referenceTo } from '../../../contract/entities.ts';
import type { Context } from '../../context.ts';
import { escapeControls } from '../../io/control-characters.ts';
import { prompt } from '../../io/prompt.ts';
import { findChoiceList } from '../../prompts/choice-lists.ts';
import { createValidator } from '../../prompts/field-prompts.ts';
import { pageSize } from '../../prompts/select.ts';
import { getOperation } from '../../request/find-operation.ts';
import { send } from '../../request/send.ts';
import type { ResourceEdit } from '../update/merge.ts';

interface GroupView {
  readonly groupName: string;
  readonly roles: readonly string[];
  readonly dependencies: readonly { readonly groupName: string }[];
}

interface ListEdit {
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

/** Requires an interactive terminal. */
export async function promptGroup(context: Context, groupId: string): Promise<ResourceEdit> {
  const read = await send(context, getOperation(context.manifest, 'groups.get'), { params: { groupId } });
  const { groupName, roles, dependencies } = read.body as GroupView;
  const { properties = {} } = getOperation(context.manifest, 'groups.update').body ?? {};
  const name = await promptText(context, `Name, now ${groupName} (Enter to keep):`, properties.groupName ?? {});
  const roleNames = await listNames(context, 'role', roles);
  const known = await promptList(context, `Roles of ${groupName}:`, roles, roleNames);
  const items = properties.roles?.items ?? {};
  const added = await promptText(context, 'New roles, separated by commas (Enter for none):', items, true);
  const direct = dependencies.map((dependency) => dependency.groupName);
  const groups = (await listNames(context, 'group', direct)).filter((one) => one !== groupName);
  const depends = await promptList(context, `Dependencies of ${groupName}:`, direct, groups);
  const toEntries = (names: readonly string[]) => names.map((one) => ({ groupName: one }));
  const newRoles = added.split(',').flatMap((role) => role.trim() || []);
  return {
    set: name === '' || name === groupName ? {} : { groupName: name },
    add: { roles: [...known.add, ...newRoles], dependencies: toEntries(depends.add) },
    remove: { roles: known.remove, dependencies: toEntries(depends.remove) },
  };
}

async function promptText(
  context: Context,
  message: string,
  schema: Parameters<typeof createValidator>[0],
  multiple = false,
): Promise<string> {
  const validate = createValidator(schema, { multiple, optional: true });
  return String(await prompt(context.promptOptions(false), { type: 'input', message, validate })).trim();
}

/** The names that the server lists, and those that the group has. */
async function listNames(context: Context, entity: 'role' | 'group', current: readonly string[]): Promise<string[]> {
  const sources = [referenceTo(entity, ['name'])['x-reference']];
  const page = await findChoiceList(context, { sources, known: {} })?.load(undefined, context.io.signal);
  return [...new Set([...current, ...(page?.choices ?? []).map(({ value }) => value)])].sort();
}

/** Marks what the group has now, also after it was deselected. */
async function promptList(
  context: Context,
  message: string,
  current: readonly string[],
  names: readonly string[],
): Promise<ListEdit> {
  if (names.length === 0) return { add: [], remove: [] };
  const choices = names.map((name) => ({
    value: name,
    name: escapeControls(name) + (current.includes(name) ? '  (now)' : ''),
    short: name,
    checked: current.includes(name),
  }));
  const question = { type: 'checkbox', message, choices, required: false, pageSize } as const;
  const selected = (await prompt(context.promptOptions(false), question)) as readonly string[];
  return {
    add: selected.filter((name) => !current.includes(name)),
    remove: current.filter((name) => !selected.includes(name)),
  };
}
