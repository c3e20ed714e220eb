/** `iam groups update`: changes selected fields of a group and preserves concurrent changes by others. */
import { type Command, Option } from 'commander';
import type { CallInput } from '../../../client/types.ts';
import { reference } from '../../../contract/entities.ts';
import type { ManifestOperation } from '../../../contract/manifest-types.ts';
import { addCommand, setAction } from '../../command.ts';
import type { CliRuntime, CommandOptions, Context } from '../../context.ts';
import { usageError } from '../../errors.ts';
import { readObject } from '../../io/input.ts';
import { canPrompt } from '../../io/prompt.ts';
import { declareValueSources } from '../../prompts/value-sources.ts';
import { callOperation, unlessRejected } from '../../request/call-operation.ts';
import { collectValues, toKebabCase } from '../../request/field-options.ts';
import { getOperation } from '../../request/find-operation.ts';
import { previewOf, printRequestPreview } from '../../request/preview.ts';
import { NameResolver } from '../../request/resolve-names.ts';
import { send } from '../../request/send.ts';
import { describeReplacement, emptyEdit, type GroupBody, type GroupEdit, isEmptyEdit, mergeGroup } from './merge.ts';
import { promptRoles } from './prompt-roles.ts';

/** Upper bound for retries after a conflict. One of several concurrent writers always succeeds. */
const maxAttempts = 10;

export function addGroupsUpdate(parent: Command, runtime: CliRuntime): void {
  const operation = getOperation(runtime.manifest, 'groups.update');
  const command = addCommand(parent, 'update', {
    title: 'Update a group',
    description:
      'Reads the group, applies the changes and writes it back. If the group was changed in the meantime, the command retries, so concurrent changes are preserved. With -f, the file replaces the whole group, and the command prints what it replaced. The file may be the output of `iam groups get -o json`.',
    roles: operation.roles,
    effect: 'write',
    examples: [
      { title: 'Add one role and remove another', command: 'ops --add-role DEPLOY --remove-role ROLLBACK' },
      {
        title: 'Rename the group and clear its organization',
        command: 'ops --set groupName=operations --set organizationId=',
      },
      { title: 'Preview the request', command: 'ops --add-dependency leads --dry-run' },
      { title: 'Replace the group with a file', command: 'ops -f ops.yaml' },
    ],
  })
    .argument('<group>', 'Group id or name')
    .option('--add-role <role>', 'role to add (repeatable or comma-separated)', collectValues)
    .option('--remove-role <role>', 'role to remove (repeatable or comma-separated)', collectValues)
    .option('--add-dependency <group>', 'dependency to add (repeatable or comma-separated)', collectValues)
    .option('--remove-dependency <group>', 'dependency to remove (repeatable or comma-separated)', collectValues)
    .option(
      '--set <field=value>',
      `field to set, empty to clear (repeatable): ${listSettableFields(operation).join(', ')}`,
      collectValue,
    )
    .option('-f, --file <file>', 'JSON or YAML file that replaces the group, - for standard input');
  suggestSet(command, listSettableFields(operation));
  const dependency = reference('group', ['name', 'id']);
  declareValueSources(command, {
    group: dependency,
    '--add-role': reference('role', ['name']),
    '--remove-role': reference('role', ['name'], { operation: 'groups.get', property: 'roles' }),
    '--add-dependency': dependency,
    '--remove-dependency': reference('group', ['name', 'id'], {
      operation: 'groups.get',
      property: 'dependencies.groupName',
    }),
  });
  setAction(command, runtime, async (context, [typed], options) =>
    update(context, await new NameResolver(context).resolve(dependency['x-reference'], String(typed)), options),
  );
}

/** Adds hidden options for the fields that `create` has; they fail with a hint to use --set. */
function suggestSet(command: Command, fieldNames: readonly string[]): void {
  for (const name of fieldNames) {
    const flag = toKebabCase(name);
    command.addOption(new Option(`--${flag} [value]`).hideHelp());
    command.on(`option:${flag}`, () => {
      throw usageError(`Unknown option --${flag}.`, `Set the field with --set ${name}=VALUE.`);
    });
  }
}

function collectValue(value: string, previous: readonly string[] | undefined): string[] {
  return [...(previous ?? []), value];
}

/** Returns the string fields of a group. */
function listSettableFields({ body }: ManifestOperation): string[] {
  return Object.entries(body?.properties ?? {}).flatMap(([name, schema]) => (schema.type === 'string' ? [name] : []));
}

async function update(context: Context, reference: string, options: CommandOptions): Promise<void> {
  const operation = getOperation(context.manifest, 'groups.update');
  const change = parseChange(options, listSettableFields(operation));
  const isEmpty = isEmptyEdit(change);
  const file = options.file as string | undefined;
  if (file !== undefined && !isEmpty)
    throw usageError('-f replaces the whole group and cannot be combined with other changes.');
  if (file === undefined && isEmpty)
    return mergeWithRetry(context, reference, await promptChange(context, reference, options), options);
  if (file !== undefined) return replaceGroup(context, reference, await readObject(file, context.io), options);
  await mergeWithRetry(context, reference, change, options);
}

/** Prompts for the changes on an interactive terminal. @throws CliError otherwise */
async function promptChange(context: Context, reference: string, options: CommandOptions): Promise<GroupEdit> {
  const roles =
    options.dryRun !== true && canPrompt(context.promptOptions(false))
      ? await promptRoles(context, reference)
      : undefined;
  if (!roles) throw usageError('No changes specified.', 'See `iam groups update --help` for the options.');
  return { ...emptyEdit, ...roles };
}

function parseChange(options: CommandOptions, fieldNames: readonly string[]): GroupEdit {
  const list = (name: string) => (options[name] as string[] | undefined) ?? [];
  return {
    addRoles: list('addRole'),
    removeRoles: list('removeRole'),
    addDependencies: list('addDependency'),
    removeDependencies: list('removeDependency'),
    fields: Object.fromEntries(list('set').map((assignment) => parseAssignment(assignment, fieldNames))),
  };
}

function parseAssignment(assignment: string, fieldNames: readonly string[]): [string, string] {
  const [, name = '', value = ''] = /^([^=]*)=(.*)$/s.exec(assignment) ?? [];
  if (fieldNames.includes(name)) return [name, value];
  throw usageError(`--set ${assignment} must be FIELD=VALUE with one of the fields ${fieldNames.join(', ')}.`);
}

async function replaceGroup(
  context: Context,
  reference: string,
  { groupId, ...body }: Record<string, unknown>,
  options: CommandOptions,
): Promise<void> {
  await writeWithRetry(context, reference, options, (before) => {
    if (groupId !== undefined && groupId !== before.groupId)
      throw usageError(
        `The file is of the group ${JSON.stringify(groupId)}, but ${reference} is ${before.groupId}.`,
        'Name the group of the file, or remove its groupId.',
      );
    const differences = describeReplacement(before, body);
    return { body, group: body, differences, notices: [`${before.groupName}: replaced`, ...differences.map(indent)] };
  });
}

function indent(line: string): string {
  return `  ${line}`;
}

function mergeWithRetry(
  context: Context,
  reference: string,
  change: GroupEdit,
  options: CommandOptions,
): Promise<void> {
  return writeWithRetry(context, reference, options, (before) => {
    const { group, differences } = mergeGroup(before, change);
    const notices = [`${before.groupName}: ${differences.join(', ')}`];
    return { body: toUpdateBody(context, group), group, differences, notices };
  });
}

interface GroupWrite {
  readonly body: Readonly<Record<string, unknown>>;
  /** The group to print afterwards. */
  readonly group: unknown;
  /** Empty if there is nothing to write. */
  readonly differences: readonly string[];
  readonly notices: readonly string[];
}

/** Reads the group and writes what `edit` makes of it; repeats both if the group was changed in between. */
async function writeWithRetry(
  context: Context,
  reference: string,
  options: CommandOptions,
  edit: (before: GroupBody) => GroupWrite,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const read = await callOperation(context, 'groups.get', { params: { groupId: reference } });
    const before = read.body as GroupBody;
    const { body, group, differences, notices } = edit(before);
    if (differences.length === 0) return printGroup(context, before, [`${before.groupName}: nothing to change`]);
    // Use the id, because the change can rename the group.
    const input = { params: { groupId: before.groupId ?? reference }, body, ifMatch: read.headers.etag };
    const expectedCodes = attempt < maxAttempts ? ['CHANGED_MEANWHILE'] : [];
    const isSent = await unlessRejected(writeGroup(context, input, options), expectedCodes);
    if (isSent === undefined) continue;
    if (isSent) await printGroup(context, group, notices);
    else context.notice(...differences);
    return;
  }
}

/** Returns the fields that the update operation accepts; the id is not one of them. */
function toUpdateBody(context: Context, group: GroupBody): Record<string, unknown> {
  const names = Object.keys(getOperation(context.manifest, 'groups.update').body?.properties ?? {});
  return Object.fromEntries(names.filter((name) => group[name] !== undefined).map((name) => [name, group[name]]));
}

/** Sends the write, or prints it on a dry run. @returns whether it was sent */
async function writeGroup(context: Context, input: CallInput, options: CommandOptions): Promise<boolean> {
  const operation = getOperation(context.manifest, 'groups.update');
  if (options.dryRun === true) {
    await printRequestPreview(context, previewOf(context, operation, input));
    return false;
  }
  await send(context, operation, input);
  return true;
}

async function printGroup(context: Context, group: unknown, notices: readonly string[]): Promise<void> {
  if (!context.printer.isForPeople) await context.printer.value(group);
  context.notice(...notices);
}
