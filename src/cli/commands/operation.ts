/** Builds the command of an operation from its declaration: path parameters are arguments, fields are options. */
import { type Command, Option } from 'commander';
import type { JsonSchema, ManifestField, ManifestOperation } from '../../contract/manifest-types.ts';
import {
  addCommand,
  addConfirmOptions,
  allowsPrompts,
  type CommandAction,
  commandPath,
  firstExample,
  setAction,
} from '../command.ts';
import { assertChangeLimit } from '../config/safety.ts';
import type { CliRuntime, CommandOptions, Context } from '../context.ts';
import { createIfNotExists } from '../create/if-not-exists.ts';
import { naturalKeyOf } from '../create/natural-keys.ts';
import { describeNames } from '../output/name-lookups.ts';
import { type PromptedField, promptForFields, promptForMissingFields } from '../prompts/missing-fields.ts';
import type { PromptContext } from '../prompts/missing-values.ts';
import { sendUntilAccepted } from '../prompts/rejected-answers.ts';
import { declareValueSources, referenceIn } from '../prompts/value-sources.ts';
import { assertQueryExists, assertReferencesExist } from '../request/assert-exists.ts';
import { assertConfirmed } from '../request/confirm.ts';
import {
  addCreatedId,
  assertTokenOptions,
  describeCreated,
  idBesideToken,
  omitToken,
  printedSchema,
} from '../request/created-entity.ts';
import { describeDeleteImpact } from '../request/delete-impact.ts';
import { type EntityRead, withEtag } from '../request/entity-rows.ts';
import { addFieldOption, addFileOption } from '../request/field-options.ts';
import { canGrant, confirmGrants, mayAskForGrants, noticeGrants } from '../request/grants/role-grants.ts';
import { NamedNotFoundError } from '../request/not-found.ts';
import { findVerbAliases } from '../request/operation-names.ts';
import { addListOptions, noResults, parseListLimits, printList } from '../request/pagination.ts';
import { previewOf, printRequestPreview } from '../request/preview.ts';
import {
  buildRequest,
  type CommandArguments,
  type RequestDraft,
  type RequestInput,
} from '../request/request-builder.ts';
import { buildRequestSpec, formatArgumentName, type RequestSpec } from '../request/request-spec.ts';
import { NameResolver, type ReferencedId } from '../request/resolve-names.ts';
import { noticeSecretShownOnce, withSecretOutput } from '../request/response-secrets.ts';
import { printResponse, send } from '../request/send.ts';
import {
  addSeveralHelp,
  addTargetOptions,
  deleteIfExists,
  runForTargets,
  splitTargets,
} from '../request/several-targets.ts';
import { completeForWide } from './control-lists.ts';
import { changesValues, describeValueChange } from './update/value-changes.ts';
import { describeUnchangedLock, noticeLock } from './users/lock-state.ts';

/** Another way to run the command of an operation, selected by an option. */
export interface OperationVariant {
  addOptions(command: Command): void;
  isSelected(options: CommandOptions): boolean;
  run(
    context: Context,
    command: Command,
    spec: RequestSpec,
    args: CommandArguments,
    options: CommandOptions,
  ): Promise<void>;
}

/** Adds the command of an operation below its noun. */
export function addOperationCommand(
  parent: Command,
  operation: ManifestOperation,
  runtime: CliRuntime,
  variant?: OperationVariant,
): Command {
  const verb = operation.command?.split(' ').at(-1) ?? operation.id;
  const command = addCommand(parent, verb, operation).aliases(findVerbAliases(verb));
  const spec = buildRequestSpec(operation);
  for (const param of operation.params) addParameter(command, param, param === spec.target);
  if (spec.last) {
    const { flag, schema, required } = spec.last;
    const notes = `${spec.repeatsLast ? ', one or more' : ''}${required ? ` (required, or --${flag})` : ''}`;
    command.argument(
      spec.repeatsLast ? `[${flag}...]` : `[${flag}]`,
      `${describeNames(schema) ?? ''}${notes}`.trimStart(),
    );
  }
  if (spec.members)
    command.argument(`[${spec.members.flag}...]`, `${describeNames(spec.members.schema) ?? ''}; one or more`);
  addOptions(command, spec);
  declareValueSources(command, sourcesIn(spec));
  variant?.addOptions(command);
  const work: CommandAction = (context, args, options) => {
    const run = variant?.isSelected(options) ? variant.run : runOperation;
    return run(context, command, spec, args, options);
  };
  return setAction(command, runtime, work, { promptsItself: true });
}

function addParameter(command: Command, param: ManifestField, isSeveral: boolean): void {
  const [name, description = ''] = [formatArgumentName(param), describeNames(param.schema)];
  command.argument(isSeveral ? `<${name}...>` : `<${name}>`, isSeveral ? `${description}, one or more` : description);
}

/** What the arguments and options of an operation refer to. */
function sourcesIn({ operation, query, body, last, members }: RequestSpec): Parameters<typeof declareValueSources>[1] {
  const named: readonly (readonly [string, JsonSchema])[] = [
    ...operation.params.map((param) => [formatArgumentName(param), param.schema] as const),
    ...[last, members].flatMap((field) => (field ? [[field.flag, field.schema] as const] : [])),
    ...[...query, ...body].map(({ flag, schema }) => [`--${flag}`, schema] as const),
  ];
  return Object.fromEntries(
    named.flatMap(([name, schema]) => {
      const found = referenceIn(schema);
      return found ? [[name, { 'x-reference': found }] as const] : [];
    }),
  );
}

function addOptions(command: Command, spec: RequestSpec): void {
  const { operation, query, body, last, members, entries, target, repeatsLast } = spec;
  for (const field of [...query, ...body]) {
    // A field that is also an argument is described there.
    const isArgument = field === last;
    const description = isArgument ? `instead of the argument [${field.flag}]` : (describeNames(field.schema) ?? '');
    addFieldOption(command, {
      ...field,
      required: field.required && !isArgument,
      schema: { ...field.schema, description },
    });
  }
  if (target) addTargetOptions(command, operation);
  if ((target && operation.effect !== 'read') || repeatsLast)
    addSeveralHelp(command, operation.effect === 'destructive');
  if (operation.body)
    addFileOption(
      command,
      operation.body,
      `read ${members ? 'a list' : 'fields'} from a JSON or YAML file, - is standard input${members ? '' : entries ? '; options add one entry' : '; options override it'}`,
    );
  if (operation.response.secret && operation.effect !== 'read')
    command.option(
      '--secret-output <file>',
      'write the secret to a new file that only you can read, instead of printing it',
    );
  if (operation.response.page) addListOptions(command);
  // A script that says yes to a lock says so to what undoes it.
  if (operation.command === 'users unlock') command.addOption(new Option('-y, --yes').hideHelp());
  if (canGrant(operation)) addConfirmOptions(command, 'skip the question before administrative roles are given');
  if (operation.creates !== undefined) {
    const repeated = (value: string, before: readonly string[] = []) => [...before, value];
    command
      .option('--set <field=value>', 'set a field of the body, a.b=v (repeatable)', repeated)
      .option('--set-json <field=json>', 'set a field to a JSON value, also lists and objects (repeatable)', repeated)
      .option(
        '--set-file <field=file>',
        'set a field to the content of a file, - is standard input (repeatable)',
        repeated,
      );
    if (idBesideToken(operation) !== undefined)
      command.option('--show-token', 'also print the token of the new entity, which is a secret');
    const key = naturalKeyOf(operation);
    if (key) command.option('--if-not-exists', `if ${key.text} exists, print its id and succeed`);
  }
}

async function runOperation(
  context: Context,
  command: Command,
  spec: RequestSpec,
  typedArgs: CommandArguments,
  options: CommandOptions,
): Promise<void> {
  const { operation } = spec;
  const { args, targets } = splitTargets(spec, typedArgs);
  const promptContext = { context, example: firstExample(command), allowsPrompts: allowsPrompts(args, options) };
  const names = new NameResolver(context, options.dryRun === true);
  const prompted: PromptedField[] = [];
  let dialog: { readonly draft: RequestDraft; readonly promptContext: PromptContext } | undefined;
  const fillMissing = async (draft: RequestDraft) => {
    await names.resolveRequest(operation, draft);
    const known = Object.fromEntries(
      operation.params.flatMap((param) => {
        const value = draft.params[param.name];
        return value === undefined ? [] : [[formatArgumentName(param), value]];
      }),
    );
    dialog = { draft, promptContext: { ...promptContext, known } };
    prompted.push(...(await promptForMissingFields(dialog.promptContext, spec, draft)));
    // Answers can be names too.
    await names.resolveRequest(operation, draft);
  };
  const input = await buildRequest(context, spec, { args, options, fillMissing });
  if (!operation.response.page) context.printer.check(printedSchema(operation, options));
  assertTokenOptions(context, options);
  if (operation.response.page)
    return printList(context, operation, input, parseListLimits(options), completeForWide(context, operation));
  const name = commandPath(command).replace(/^\S+ /, '');
  if (targets.length > 1) {
    const { schema } = spec.target ?? spec.last ?? {};
    const ids = await names.resolveAll(schema, targets);
    if (options.dryRun === true) names.printResolved();
    else if (isShownWithNames(operation))
      await names.readNames([...listTargets(spec, input), ...listIds(schema, ids)], context.findNames);
    const format = (id: string) => names.format(id);
    const describeChange = async (values: readonly string[], { body }: RequestInput) => {
      const unchanged = await describeUnchangedLock(context, operation, body);
      if (unchanged !== undefined) return `${[name, ...values.map(format)].join(' ')}: ${unchanged}`;
      return (await describeValueChange(context, operation, values, format))?.line;
    };
    return runForTargets(context, spec, { name, input, targets: ids, options, format, describeChange });
  }
  if (options.dryRun === true) {
    names.printResolved();
    await printRequestPreview(context, previewOf(context, operation, input));
    return noticeGrants(context, [{ operation, input }]);
  }
  // Before what is read for the line of the change.
  if (changesValues(operation) && Array.isArray(input.body)) assertChangeLimit(context.settings, input.body.length);
  if (isShownWithNames(operation)) await names.readNames(listTargets(spec, input), context.findNames);
  const values = formatTarget(spec, input);
  const shown = values.map((value) => names.format(value));
  const named = [name, ...shown].join(' ');
  const confirm = async () => {
    if (operation.effect !== 'destructive') return;
    const params = input.params ?? {};
    await assertConfirmed(context, `Run \`${named}\`?`, options, options.file === '-', {
      assertExists: () => assertReferencesExist(context, operation, input),
      details: () => describeDeleteImpact(context, operation.id, params),
    });
  };
  if (options.ifExists !== true) await confirm();
  const change = await describeValueChange(context, operation, values, (value) => names.format(value));
  const unchanged = await describeUnchangedLock(context, operation, input.body);
  const done = change?.line ?? (operation.effect === 'read' ? noResults : `${named}: ${unchanged ?? 'done'}`);
  const { unchanged: present = [] } = change ?? {};
  const before = Array.isArray(input.body) ? input.body.filter((one) => present.includes(memberOf(one))) : {};
  const grant = { operation, input, before };
  const askAgain = async (rejected: readonly PromptedField[]) => {
    if (dialog === undefined) return;
    await promptForFields(dialog.promptContext, rejected);
    await names.resolveRequest(operation, dialog.draft);
  };
  const call = async () => {
    const typed = { answers: prompted, acceptsTaken: options.ifNotExists === true, askAgain };
    const confirmAndSend = async () => {
      await confirmGrants(context, [grant], options, options.file === '-');
      return send(context, operation, input);
    };
    const { body, headers } = await sendUntilAccepted(context, typed, confirmAndSend).catch(async (error: unknown) => {
      await assertQueryExists(context, operation, input, error);
      throw error instanceof NamedNotFoundError ? error.withNames((value) => names.format(value)) : error;
    });
    const entity = addCreatedId(operation, input.body, body);
    if (!operation.response.entity) return entity;
    return withEtag(context.printer, { entity: entity as EntityRead['entity'], etag: headers.etag });
  };
  const confirmAndCall = async () => {
    await confirm();
    return call();
  };
  if (options.ifExists === true) return deleteIfExists(context, spec, { named, done }, confirmAndCall);
  const looksFirst = mayAskForGrants(context, grant, options);
  const createOrGet =
    options.ifNotExists === true ? () => createIfNotExists(context, operation, input, call, looksFirst) : call;
  await printResult(context, operation, options, { request: createOrGet, params: input.params, done });
  await noticeLock(context, operation, input.params ?? {});
}

/** Whether a question, or the line of what was changed, has the target. */
function isShownWithNames(operation: ManifestOperation): boolean {
  return operation.method === 'DELETE' || operation.effect === 'destructive' || changesValues(operation);
}

interface ResultRequest {
  readonly request: () => Promise<unknown>;
  readonly params: RequestInput['params'];
  /** The notice for an empty response. */
  readonly done: string;
}

/** Sends the request and prints the response. Secrets are written to a file, or printed with a notice. */
async function printResult(
  context: Context,
  operation: ManifestOperation,
  options: CommandOptions,
  { request, params, done }: ResultRequest,
): Promise<void> {
  const { response } = operation;
  const hidesToken = idBesideToken(operation) !== undefined && options.showToken !== true;
  const file = options.secretOutput as string | undefined;
  const print = (body: unknown) => {
    const created = describeCreated(context.manifest, operation, body, params);
    return printResponse(
      context,
      operation.effect === 'read' ? body : withoutList(context, body),
      done,
      created,
      response.schema,
    );
  };
  if (!response.secret) return print(await request());
  if (hidesToken && file === undefined) return print(omitToken(operation, await request()));
  const body = await withSecretOutput(context, response, file, request, options.ifNotExists === true);
  if (hidesToken) return print(omitToken(operation, body));
  await print(body);
  noticeSecretShownOnce(context, response, body);
}

/** One entity that a write returns in a list is shown like any other. */
function withoutList({ printer }: Context, body: unknown): unknown {
  return printer.isForPeople && Array.isArray(body) && body.length === 1 ? body[0] : body;
}

/** The ids in the arguments of a request. */
function listTargets({ operation, last, members }: RequestSpec, { params, body }: RequestInput): ReferencedId[] {
  const named = last && (body as Record<string, unknown>)[last.path[0] ?? ''];
  return [
    ...operation.params.flatMap(({ name, schema }) => listIds(schema, [params[name] ?? ''])),
    ...listIds(last?.schema, named === undefined ? [] : [String(named)]),
    ...(members ? listIds(members.schema, listMembers(body)) : []),
  ];
}

function listIds(schema: JsonSchema | undefined, ids: readonly string[]): ReferencedId[] {
  const { entity, by } = schema?.['x-reference'] ?? {};
  return entity === undefined || !by?.includes('id') ? [] : ids.map((id) => ({ entity, id }));
}

/** The values of a body that is a list of objects with a single field. */
function listMembers(body: unknown): readonly string[] {
  return (body as readonly object[]).map(memberOf);
}

function memberOf(entry: object): string {
  return String(Object.values(entry)[0]);
}

/** The target of a request as command-line arguments: parameters and further arguments. */
function formatTarget({ operation, last, members }: RequestSpec, { params, body }: RequestInput): string[] {
  const inPath = operation.params.map(({ name }) => params[name] ?? '');
  if (members) return [...inPath, ...listMembers(body)];
  const named = last && (body as Record<string, unknown>)[last.path[0] ?? ''];
  return named === undefined ? inPath : [...inPath, String(named)];
}
