/** `iam groups update`: changes what is named of a group and keeps the rest, also what others change meanwhile. */
import { type Command, Option } from 'commander';
import { ClientError } from '../../../client/errors.ts';
import type { CallInput } from '../../../client/types.ts';
import { reference } from '../../../contract/entities.ts';
import type { ManifestOperation } from '../../../contract/manifest-types.ts';
import { collect, kebab } from '../../fields.ts';
import { addLeaf, type Options, runs } from '../../leaf.ts';
import { operationOf } from '../../operations.ts';
import type { Context, Surroundings } from '../../runtime/context.ts';
import { usageError } from '../../runtime/failures.ts';
import { readObject } from '../../runtime/input.ts';
import { canAsk } from '../../runtime/prompt.ts';
import { planOf, printPlan, send } from '../../send.ts';
import { takes } from '../../value-sources.ts';
import { askRoles } from './ask-roles.ts';
import { type Change, type Group, merge } from './merge.ts';

/** Of writers at the same time one always gets through, so this many can meet. */
const attempts = 10;

/** Adds the command. */
export function addGroupsUpdate(parent: Command, surroundings: Surroundings): void {
  const operation = operationOf(surroundings.manifest, 'groups.update');
  const command = addLeaf(parent, 'update', {
    title: 'Changes a group',
    description:
      'Reads the group, applies what is given and writes it back; where somebody else changed it meanwhile, all of it is done again, so no change of theirs is lost. With -f the file takes the place of the whole group.',
    roles: operation.roles,
    effect: 'write',
    examples: [
      { title: 'One role more, one less', command: 'ops --add-role DEPLOY --remove-role ROLLBACK' },
      { title: 'Another name, and no organization', command: 'ops --set groupName=operations --set organizationId=' },
      { title: 'See what would be sent', command: 'ops --add-dependency leads --dry-run' },
      { title: 'Replace it by what a file says', command: 'ops -f ops.yaml' },
    ],
  })
    .argument('<group>', 'Id or name of the group')
    .option('--add-role <role>', 'role to add (repeat, or separate by commas)', collect)
    .option('--remove-role <role>', 'role to take away', collect)
    .option('--add-dependency <group>', 'group to depend on', collect)
    .option('--remove-dependency <group>', 'group to depend on no longer', collect)
    .option('--set <field=value>', `field to set, empty to clear: ${settable(operation).join(', ')}`, repeat)
    .option('-f, --file <file>', 'replace the group by a JSON or YAML file, - is standard input');
  pointToSet(command, settable(operation));
  const dependency = reference('group', ['name', 'id']);
  takes(command, {
    group: dependency,
    '--add-role': reference('role', ['name']),
    '--remove-role': reference('role', ['name'], { operation: 'groups.get', property: 'roles' }),
    '--add-dependency': dependency,
    '--remove-dependency': reference('group', ['name', 'id'], {
      operation: 'groups.get',
      property: 'dependencies.groupName',
    }),
  });
  runs(command, surroundings, (context, [reference], options) => update(context, String(reference), options));
}

/** Fields are options of `create`. Here they are hidden options that fail and point to --set. */
function pointToSet(command: Command, fieldNames: readonly string[]): void {
  for (const name of fieldNames) {
    const flag = kebab(name);
    command.addOption(new Option(`--${flag} [value]`).hideHelp());
    command.on(`option:${flag}`, () => {
      throw usageError(`There is no option --${flag} here.`, `Set the field with --set ${name}=VALUE.`);
    });
  }
}

function repeat(value: string, previous: readonly string[] | undefined): string[] {
  return [...(previous ?? []), value];
}

/** The fields of a group that are plain text. */
function settable({ body }: ManifestOperation): string[] {
  return Object.entries(body?.properties ?? {}).flatMap(([name, schema]) => (schema.type === 'string' ? [name] : []));
}

async function update(context: Context, reference: string, options: Options): Promise<void> {
  const operation = operationOf(context.manifest, 'groups.update');
  const change = changeOf(options, settable(operation));
  const isEmpty = JSON.stringify(change) === JSON.stringify(changeOf({}, []));
  const file = options.file as string | undefined;
  if (file !== undefined && !isEmpty) throw usageError('-f replaces the whole group; it goes with no other change.');
  if (file === undefined && isEmpty)
    return mergeUntilFresh(context, reference, await asked(context, reference, options), options);
  if (file !== undefined) return replace(context, reference, await readObject(file, context.io), options);
  await mergeUntilFresh(context, reference, change, options);
}

/** What to change, where somebody is there to be asked. */
async function asked(context: Context, reference: string, options: Options): Promise<Change> {
  const roles =
    options.dryRun !== true && canAsk(context.asking(false)) ? await askRoles(context, reference) : undefined;
  if (!roles) throw usageError('Say what to change.', 'See `iam groups update --help`.');
  return { ...changeOf({}, []), ...roles };
}

function changeOf(options: Options, fieldNames: readonly string[]): Change {
  const list = (name: string) => (options[name] as string[] | undefined) ?? [];
  return {
    addRoles: list('addRole'),
    removeRoles: list('removeRole'),
    addDependencies: list('addDependency'),
    removeDependencies: list('removeDependency'),
    fields: Object.fromEntries(list('set').map((assignment) => assigned(assignment, fieldNames))),
  };
}

function assigned(assignment: string, fieldNames: readonly string[]): [string, string] {
  const [, name = '', value = ''] = /^([^=]*)=(.*)$/s.exec(assignment) ?? [];
  if (fieldNames.includes(name)) return [name, value];
  throw usageError(`--set ${assignment}: it must be FIELD=VALUE with one of ${fieldNames.join(', ')}.`);
}

async function replace(
  context: Context,
  reference: string,
  body: Record<string, unknown>,
  options: Options,
): Promise<void> {
  const input = { params: { groupId: reference }, body };
  if (await write(context, input, options)) await report(context, body, `${reference}: replaced`);
}

async function mergeUntilFresh(context: Context, reference: string, change: Change, options: Options): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const read = await send(context, operationOf(context.manifest, 'groups.get'), { params: { groupId: reference } });
    const before = read.body as Group;
    const { group, differences } = merge(before, change);
    if (differences.length === 0) return report(context, before, `${before.groupName}: nothing to change`);
    // By id: a new name must not lead the next attempt astray.
    const params = { groupId: before.groupId ?? reference };
    const input = { params, body: sendable(context, group), ifMatch: read.headers.etag };
    try {
      if (await write(context, input, options))
        await report(context, group, `${before.groupName}: ${differences.join(', ')}`);
      return;
    } catch (error) {
      const isStale = error instanceof ClientError && error.code === 'CHANGED_MEANWHILE';
      if (!isStale || attempt >= attempts) throw error;
    }
  }
}

/** The fields that an update takes; the id, for one, is not among them. */
function sendable(context: Context, group: Group): Record<string, unknown> {
  const names = Object.keys(operationOf(context.manifest, 'groups.update').body?.properties ?? {});
  return Object.fromEntries(names.filter((name) => group[name] !== undefined).map((name) => [name, group[name]]));
}

/** Sends the write, or prints it on a dry run; says which. */
async function write(context: Context, input: CallInput, options: Options): Promise<boolean> {
  const operation = operationOf(context.manifest, 'groups.update');
  if (options.dryRun === true) {
    await printPlan(context, planOf(context, operation, input));
    return false;
  }
  await send(context, operation, input);
  return true;
}

async function report(context: Context, group: unknown, words: string): Promise<void> {
  if (!context.printer.isForPeople) await context.printer.value(group);
  context.notice(words);
}
