/** `update` of every resource in the table: changes the fields that options name, or replaces all with a file. */
import type { Command } from 'commander';
import { entityOf, idPropertyOf, type reference } from '../../../contract/entities.ts';
import type { ManifestOperation } from '../../../contract/manifest-types.ts';
import { addCommand, addConfirmOptions, type CommandAction, promptForArguments, setAction } from '../../command.ts';
import type { CliRuntime, CommandOptions, Context } from '../../context.ts';
import { usageError } from '../../errors.ts';
import { readObject, readSecret } from '../../io/input.ts';
import { canPrompt } from '../../io/prompt.ts';
import { describeNames } from '../../output/name-lookups.ts';
import { toTypedId } from '../../output/value-prefix.ts';
import { sendUntilAccepted } from '../../prompts/rejected-answers.ts';
import { declareValueSources, referenceIn } from '../../prompts/value-sources.ts';
import { assertConfirmed } from '../../request/confirm.ts';
import { controlPlaneNote } from '../../request/control-plane.ts';
import { type EntityFields, isRow, isSame } from '../../request/differences.ts';
import {
  addFieldOption,
  addFileOption,
  type Field,
  parseFieldValue,
  readFieldOption,
} from '../../request/field-options.ts';
import { isRoute } from '../../request/find-operation.ts';
import { formatGrants } from '../../request/grants/role-grants.ts';
import { buildRequestSpec, formatArgumentName } from '../../request/request-spec.ts';
import { NameResolver } from '../../request/resolve-names.ts';
import { openDialog } from './dialog.ts';
import { restoreMasked, restoreNumbers, selectFields, splitEtag } from './file.ts';
import { assertRemovedExist, toListedForms } from './list-entries.ts';
import {
  canBeCleared,
  describeMerge,
  isClearable,
  mergeEdit,
  mergeFile,
  type ResourceEdit,
  toNested,
} from './merge.ts';
import { nameOf, type UpdatableResource } from './resources.ts';
import {
  describeNamed,
  describeUpdateGrants,
  type EntityChange,
  readCurrent,
  rulesOf,
  type UpdateTarget,
  writeUpdate,
} from './write.ts';

export function addUpdateCommand(
  parent: Command,
  operation: ManifestOperation,
  runtime: CliRuntime,
  resource: UpdatableResource,
): void {
  const command = addCommand(parent, 'update', {
    title: operation.title,
    description: `Changes only what the options name. ${describeRoute(operation)}${describeConcurrency(resource)} With -f, the file replaces the ${resource.label}: it may be what \`get -o yaml\` printed, and what it leaves out is cleared. Prints what changed.`,
    roles: operation.roles,
    effect: 'write',
    examples: operation.examples,
  });
  for (const param of operation.params)
    command.argument(`<${formatArgumentName(param)}>`, describeNames(param.schema) ?? '');
  const fields = updateFields(operation);
  for (const field of fields) addUpdateOption(command, field);
  const settable = listSettable(operation);
  const repeated = (value: string, before: readonly string[] = []) => [...before, value];
  addFileOption(command, operation.body, `JSON or YAML file that replaces the ${resource.label}, - is standard input`);
  command
    .option(
      '--set <field=value>',
      `field to set, empty or null to clear (repeatable): ${settable.join(', ')}`,
      repeated,
    )
    .option('--force', 'with -f: overwrite changes since the file was read');
  addConfirmOptions(command);
  declareValueSources(command, sourcesIn(operation, resource, fields));
  const work: CommandAction = async (context, args, options) => {
    const edit = await parseEdit(context, operation, options);
    assertFileOptions(resource, edit, options);
    const file = options.file === undefined ? undefined : await readObject(String(options.file), context.io);
    const named = file === undefined ? args : withIdOfFile(args, operation, resource, file);
    const complete = await promptForArguments(context, command, named, options);
    await update(context, { operation, resource, args: complete, options }, { edit, file });
  };
  setAction(command, runtime, work, { promptsItself: true });
}

/** The arguments, of which the last is by default the id in the file. */
function withIdOfFile(
  args: Parameters<CommandAction>[1],
  { params }: ManifestOperation,
  { entity }: UpdatableResource,
  file: EntityFields,
): Parameters<CommandAction>[1] {
  const last = params.length - 1;
  const id = file[idPropertyOf(entity)];
  return args[last] === undefined && typeof id === 'string'
    ? args.map((arg, at) => (at === last ? toTypedId(entity, id) : arg))
    : args;
}

function describeRoute(operation: ManifestOperation): string {
  return isRoute(operation)
    ? `${operation.description} The service API has no operation for this. ${controlPlaneNote} `
    : '';
}

function describeConcurrency({ label, unguarded }: UpdatableResource): string {
  return unguarded
    ? `The server has no ETag of this ${label}: what someone else changes between the read and the write of the command can be overwritten.`
    : `If someone else changes the ${label} in the meantime, the command retries, so concurrent changes are preserved.`;
}

/** The fields of the body. None is required: what is not named stays. */
function updateFields(operation: ManifestOperation): readonly Field[] {
  return buildRequestSpec(operation).body.map((field) => ({ ...field, required: false }));
}

/** Variants of a list option. */
const listChanges = ['add', 'remove'] as const;

function addUpdateOption(command: Command, field: Field): void {
  const description = describeNames(field.schema) ?? '';
  const describe = (text: string) => ({ ...field, schema: { ...field.schema, description: text } });
  if (field.schema.type !== 'array') {
    addFieldOption(command, describe(description));
    return;
  }
  for (const change of listChanges)
    addFieldOption(command, {
      ...describe(`${change} values`),
      flag: `${change}-${field.flag}`,
    });
  addFieldOption(command, describe(`${description}; replaces the list`));
}

function sourcesIn(
  operation: ManifestOperation,
  { get }: UpdatableResource,
  fields: readonly Field[],
): Parameters<typeof declareValueSources>[1] {
  const sources: [string, ReturnType<typeof reference>][] = [];
  const add = (name: string, found: ReturnType<typeof referenceIn>) => {
    if (found) sources.push([name, { 'x-reference': found }]);
  };
  for (const param of operation.params) add(formatArgumentName(param), referenceIn(param.schema));
  for (const { flag, path, schema } of fields) {
    const found = referenceIn(schema);
    add(`--${flag}`, found);
    if (schema.type !== 'array') continue;
    add(`--add-${flag}`, found);
    const property = [...path, ...Object.keys(schema.items?.properties ?? {})].join('.');
    add(`--remove-${flag}`, found && get !== undefined ? { ...found, among: { operation: get, property } } : found);
  }
  return Object.fromEntries(sources);
}

/** The names that --set takes: fields by their path, and objects that can be cleared. */
function listSettable(operation: ManifestOperation): readonly string[] {
  const paths = updateFields(operation).flatMap(({ path, secret }) => (secret ? [] : [path.join('.')]));
  const objects = Object.entries(operation.body?.properties ?? {}).filter(
    ([name, schema]) => isClearable(schema) && !paths.includes(name),
  );
  return [...paths, ...objects.map(([name]) => name)];
}

interface UpdateRun {
  readonly operation: ManifestOperation;
  readonly resource: UpdatableResource;
  readonly args: readonly (string | readonly string[] | undefined)[];
  readonly options: CommandOptions;
}

/** @throws CliError (exit 2) if a file and options contradict each other */
function assertFileOptions({ label }: UpdatableResource, edit: ResourceEdit, { file, force }: CommandOptions): void {
  if (file !== undefined && !isEmpty(edit))
    throw usageError(`-f replaces the whole ${label} and cannot be combined with other changes.`);
  if (force === true && file === undefined)
    throw usageError('--force needs -f: without a file, only what the options name is changed.');
}

interface RequestedChange {
  readonly edit: ResourceEdit;
  /** Replaces the resource. */
  readonly file: EntityFields | undefined;
}

async function update(context: Context, run: UpdateRun, { edit, file }: RequestedChange): Promise<void> {
  const { options } = run;
  const target = await resolveTarget(context, run);
  if (file) return writeUpdate(context, target, replaceWith(target, file), options);
  if (isEmpty(edit)) return updateByDialog(context, target, options);
  await writeEdit(context, target, await resolveEdit(target, edit), options);
}

function writeEdit(
  context: Context,
  target: UpdateTarget,
  edit: ResourceEdit,
  options: CommandOptions,
  confirmedGrants: readonly string[] = [],
): Promise<void> {
  const merge: EntityChange['merge'] = async (entity) => {
    const listed = await toListedForms(context, target, entity, edit);
    const merged = mergeEdit(entity, listed, target.rules);
    await assertRemovedExist(context, target, entity, listed);
    return merged;
  };
  return writeUpdate(context, target, { merge, confirmedGrants }, options);
}

/** The target with its names resolved to ids. */
export async function resolveTarget(
  context: Context,
  { operation, resource, args, options }: UpdateRun,
): Promise<UpdateTarget> {
  const params = Object.fromEntries(operation.params.map(({ name }, at) => [name, String(args[at])]));
  const names = new NameResolver(context, options.dryRun === true);
  await names.resolveRequest(operation, { params, query: {}, body: undefined });
  const { entity } = resource;
  const id = Object.values(params).at(-1) ?? '';
  if (entityOf(entity).properties.name === undefined) await names.readNames([{ entity, id }], context.findNames);
  return { resource, operation, params, rules: rulesOf(resource, operation), names };
}

/** The change of a file that replaces the entity. */
export function replaceWith(
  target: UpdateTarget,
  file: EntityFields,
  known: Pick<NonNullable<EntityChange['file']>, 'base' | 'conflictHint'> = {},
): EntityChange {
  const parts = splitEtag(file);
  return {
    file: { etag: parts.etag, ...known },
    merge: async (entity, isChanged) => {
      const restored = restoreMasked(parts.fields, entity, isChanged);
      const whole = { ...parts, fields: restoreNumbers(restored, entity, target.rules) };
      const fields = await resolveNew(target, selectFields(target, whole, entity, isChanged), entity);
      return mergeFile(entity, fields, target.rules);
    },
  };
}

/** Resolves the names in fields and entries that the entity lacks: those it has are ids. */
async function resolveNew(
  { operation, names }: UpdateTarget,
  file: EntityFields,
  entity: EntityFields,
): Promise<EntityFields> {
  const fields: Record<string, unknown> = structuredClone(file);
  const added: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(fields)) {
    const known = entity[field];
    if (!Array.isArray(value)) {
      if (!isSame(value, known)) added[field] = value;
      continue;
    }
    const kept = new Set(Array.isArray(known) ? known.map((entry) => JSON.stringify(entry)) : []);
    added[field] = value.filter((entry) => isRow(entry) && !kept.has(JSON.stringify(entry)));
  }
  await names.resolveRequest(operation, { params: {}, query: {}, body: added });
  // The entries of a list are resolved in place.
  return { ...fields, ...Object.fromEntries(Object.entries(added).filter(([, value]) => !Array.isArray(value))) };
}

/** Prompts for the changes on an interactive terminal. @throws CliError (exit 2) otherwise */
async function updateByDialog(context: Context, target: UpdateTarget, options: CommandOptions): Promise<void> {
  const { operation } = target;
  if (options.dryRun === true || !canPrompt(context.promptOptions(false)))
    throw usageError('No changes specified.', `See \`iam ${operation.command} --help\` for the options.`);
  const dialog = await openDialog(context, target, updateFields(operation));
  const ask = async (fields: readonly string[]) => {
    const answered = await resolveEdit(target, await dialog.ask(fields));
    return { answered, grants: await confirmSummary(context, target, answered, options) };
  };
  let edit = await ask(dialog.fields);
  const answers = dialog.fields.map((field) => ({ field }));
  const askAgain = async (rejected: typeof answers) => {
    edit = await ask(rejected.map(({ field }) => field));
  };
  await sendUntilAccepted(context, { answers, askAgain }, () =>
    writeEdit(context, target, edit.answered, options, edit.grants),
  );
}

/**
 * Shows what the answers of prompts change and who gains administrative roles, before it is written.
 * @returns the gains that are confirmed
 * @throws CliError if it is not confirmed
 */
async function confirmSummary(
  context: Context,
  target: UpdateTarget,
  edit: ResourceEdit,
  options: CommandOptions,
): Promise<readonly string[]> {
  const { entity } = await readCurrent(context, target);
  const merge = mergeEdit(entity, edit, target.rules);
  const { differences } = await describeNamed(context, target.rules, (named) => describeMerge(entity, merge, named));
  if (differences.length === 0) return [];
  const grants = await describeUpdateGrants(context, target, entity, merge);
  const question = `Change ${nameOf(target, entity)}?`;
  const details = [...differences, ...grants.map((one) => formatGrants([one]))];
  await assertConfirmed(context, question, options, false, { details: async () => details });
  return grants;
}

function isEmpty(edit: ResourceEdit): boolean {
  return Object.values(edit).every((part: EntityFields) => Object.keys(part).length === 0);
}

/** The changes that the options name. @throws CliError (exit 2) if a value is not valid */
async function parseEdit(
  context: Context,
  operation: ManifestOperation,
  options: CommandOptions,
): Promise<ResourceEdit> {
  const set: [readonly string[], unknown][] = [];
  const lists = { add: new Map<string, unknown[]>(), remove: new Map<string, unknown[]>() };
  const fields = updateFields(operation);
  for (const field of fields) {
    const { path, flag, secret, schema } = field;
    const value = readFieldOption(field, options);
    if (value !== undefined)
      set.push([path, secret ? await readSecret(String(value), context.io) : toCleared(operation, path, value)]);
    if (schema.type !== 'array') continue;
    for (const change of listChanges) {
      const entries = readFieldOption({ ...field, flag: `${change}-${flag}` }, options);
      if (entries !== undefined) lists[change].set(path.join('.'), entries as unknown[]);
    }
  }
  for (const assignment of (options.set ?? []) as readonly string[])
    set.push(parseAssignment(operation, fields, assignment));
  assertNotReplaced(fields, set, lists);
  return { set: toNested(set), add: Object.fromEntries(lists.add), remove: Object.fromEntries(lists.remove) };
}

/** @throws CliError (exit 2) if a list is replaced, and entries of it are added or removed */
function assertNotReplaced(
  fields: readonly Field[],
  set: readonly (readonly [path: readonly string[], value: unknown])[],
  lists: Readonly<Record<(typeof listChanges)[number], ReadonlyMap<string, unknown>>>,
): void {
  for (const { path, flag } of fields) {
    const name = path.join('.');
    const change = listChanges.find((one) => lists[one].has(name));
    if (change === undefined || !set.some(([replaced]) => replaced.join('.') === name)) continue;
    throw usageError(
      `${name} is both replaced and changed by --${change}-${flag}; nothing was sent.`,
      `Replace the list with --${flag}, or change it with --add-${flag} and --remove-${flag}.`,
    );
  }
}

function parseAssignment(
  operation: ManifestOperation,
  fields: readonly Field[],
  assignment: string,
): [readonly string[], unknown] {
  const [, name = '', text = ''] = /^([^=]*)=(.*)$/s.exec(assignment) ?? [];
  const settable = listSettable(operation);
  const field = fields.find(({ path }) => path.join('.') === name);
  const isObject = field === undefined && settable.includes(name);
  const isCleared = text === '' || text === 'null';
  if (name === '' || !settable.includes(name) || (isObject && !isCleared))
    throw usageError(
      `--set ${assignment} must be FIELD=VALUE with one of the fields ${settable.join(', ')}.`,
      isObject ? `Set its fields one by one; ${name}= clears it.` : undefined,
    );
  if (field === undefined) return [[name], null];
  if (!isCleared) return [field.path, parseFieldValue(field, text)];
  if (field.schema.type === 'array') return [field.path, []];
  if (canBeCleared(operation, field.path)) return [field.path, null];
  throw usageError(
    `${name} cannot be cleared; nothing was sent.`,
    text === 'null' ? `null clears a field; \`--${field.flag} null\` sets it to this text.` : `Set it to a value.`,
  );
}

/** Empty text clears a field: null, or what the server rejects if the field cannot be cleared. */
function toCleared({ method, body }: ManifestOperation, path: readonly string[], value: unknown): unknown {
  if (value !== '') return value;
  const schema = body?.properties?.[path[0] ?? ''] ?? {};
  return method === 'PATCH' && !isClearable(schema) ? value : null;
}

/** Resolves the names in the changes to ids. */
async function resolveEdit({ operation, names }: UpdateTarget, edit: ResourceEdit): Promise<ResourceEdit> {
  const resolved = structuredClone(edit);
  for (const body of Object.values(resolved)) await names.resolveRequest(operation, { params: {}, query: {}, body });
  return resolved;
}
