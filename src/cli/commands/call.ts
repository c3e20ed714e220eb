/** `iam call`: calls any operation by its id. */
import type { Command } from 'commander';
import { asPage } from '../../client/response.ts';
import type { ResultPage } from '../../client/types.ts';
import type { Manifest, ManifestField, ManifestOperation } from '../../contract/manifest-types.ts';
import { singleQuote } from '../../lib/shell-variables.ts';
import { addCommand, type CommandDescription, setAction, varyingRoles } from '../command.ts';
import { assertWritable } from '../config/safety.ts';
import type { CliRuntime, CommandOptions, Context } from '../context.ts';
import { DeferredHelp, usageError } from '../errors.ts';
import { escapeControls } from '../io/control-characters.ts';
import { readDocument } from '../io/input.ts';
import { declareValueSources } from '../prompts/value-sources.ts';
import { assertReferencesExist } from '../request/assert-exists.ts';
import { assertConfirmed } from '../request/confirm.ts';
import { describeCreated } from '../request/created-entity.ts';
import { describeDeleteImpact } from '../request/delete-impact.ts';
import { confirmGrants, noticeGrants } from '../request/grants/role-grants.ts';
import { findOperations, resolveOperation } from '../request/operation-names.ts';
import { noResults } from '../request/pagination.ts';
import { previewOf, printRequestPreview } from '../request/preview.ts';
import { noticeSecretShownOnce, withSecretOutput } from '../request/response-secrets.ts';
import { printResponse, send } from '../request/send.ts';

const callText: Omit<CommandDescription, 'title'> = {
  description:
    'List the operations with `iam commands`. `iam call OPERATION --help` shows parameters, fields, roles and errors of an operation, and an example. The response is printed unchanged; lists print one page.',
  roles: varyingRoles,
  effect: 'destructive',
  effectVaries: true,
  examples: [
    { title: 'Get a group', command: 'groups.get --param groupId=ops -o json' },
    { title: 'The same by the name of its command', command: 'groups get --param groupId=ops -o json' },
    { title: 'Create a group from a file', command: 'groups.create -f group.json' },
    { title: 'List the first ten API keys', command: 'api-key.list --param limit=10' },
    {
      title: 'Call as an identified application, without credentials',
      command: 'user-identities.identification --anonymous --param clientId=APP_CLIENT_ID -f contact.json',
    },
  ],
};

export function addCall(program: Command, runtime: CliRuntime, title: string): void {
  const command = addCommand(program, 'call', { title, ...callText })
    .argument('<operation>', 'Id of the operation, or its command')
    .argument('[words...]', 'More words of the command: users create')
    .option('-p, --param <name=value>', 'path or query parameter (repeatable)', collectAssignments)
    .option('--header <name=value>', 'request header of the operation (repeatable)', collectAssignments)
    .option('-f, --file <file>', 'JSON or YAML file with the request body, - for standard input')
    .option('--anonymous', 'send no credentials')
    .option('--secret-output <file>', 'write secrets in the response to a new file instead of printing them');
  declareValueSources(command, { operation: 'operation', words: 'operation' });
  addOperationHelp(command, runtime);
  setAction(command, runtime, (context, words, options) => {
    const typed = words.flat().filter((word) => word !== undefined);
    assertNoValues(context.manifest, typed);
    return callOperation(context, typed.join(' '), options);
  });
}

/** With an operation, --help explains that operation. */
function addOperationHelp(command: Command, { io, manifest }: CliRuntime): void {
  const outputHelp = command.outputHelp.bind(command);
  Object.assign(command, {
    outputHelp: () => {
      // After an unknown option, commander does not parse values: `-p name=value`.
      const words = command.args.filter((word) => !word.startsWith('-') && !word.includes('='));
      if (words.length === 0) return outputHelp();
      const operation = resolveOperation(manifest, words.join(' '));
      throw new DeferredHelp(async () => {
        const { printOperationHelp } = await import('./explain/print.ts');
        printOperationHelp(io, manifest, operation);
      });
    },
  });
}

/** Collects `name=value` assignments; the value can contain `=`. */
export function collectAssignments(
  text: string,
  previous: Readonly<Record<string, string>> | undefined,
): Record<string, string> {
  const at = text.indexOf('=');
  if (at < 1) throw usageError(`${text} must be NAME=VALUE.`);
  return { ...previous, [text.slice(0, at)]: text.slice(at + 1) };
}

/** @throws CliError (exit 2) with the parameters to use, if words after the operation are values: `groups.get ops` */
function assertNoValues(manifest: Manifest, words: readonly string[]): void {
  if (findOperations(manifest, words.join(' ')).length > 0) return;
  for (let count = words.length - 1; count > 0; count -= 1) {
    const [operation, ...others] = findOperations(manifest, words.slice(0, count).join(' '));
    if (!operation || others.length > 0) continue;
    const { id, params } = operation;
    const values = words.slice(count);
    const options = params.map(
      ({ name }, at) => `--param ${singleQuote(`${name}=${values[at] ?? name.toUpperCase()}`)}`,
    );
    const hint = options.length > 0 ? `Use \`iam call ${id} ${options.join(' ')}\`.` : `See \`iam call ${id} --help\`.`;
    throw usageError(`${id} takes its values by name, not as ${JSON.stringify(values.join(' '))}.`, hint);
  }
}

async function callOperation(context: Context, name: string, options: CommandOptions): Promise<void> {
  const operation = resolveOperation(context.manifest, name);
  const { id } = operation;
  const { params, query } = splitParameters(operation, (options.param ?? {}) as Record<string, string>);
  const headers = (options.header ?? {}) as Record<string, string>;
  assertKnownNames(id, 'header', headers, operation.headers ?? []);
  const file = options.file as string | undefined;
  const body = file === undefined ? undefined : await readDocument(file, context.io);
  const input = { params, query, headers, body, ...(options.anonymous === true ? { anonymous: true } : {}) };
  const preview = previewOf(context, operation, input);
  // The server refuses a caller without credentials.
  const grants = options.anonymous === true ? [] : [{ operation, input }];
  if (options.dryRun === true) {
    await printRequestPreview(context, preview);
    return noticeGrants(context, grants);
  }
  if (operation.effect !== 'read') assertWritable(context.settings);
  if (operation.effect === 'destructive')
    await assertConfirmed(context, `${operation.title}: ${Object.values(params).join(' ')}?`, options, file === '-', {
      assertExists: () => assertReferencesExist(context, operation, input),
      details: () => describeDeleteImpact(context, operation.id, params),
    });
  await confirmGrants(context, grants, options, file === '-');
  if (operation.response.page) return printPage(context, asPage(await send(context, operation, input)));
  const request = async () => (await send(context, operation, input)).body;
  const print = (body: unknown) =>
    printResponse(
      context,
      body,
      operation.effect === 'read' ? noResults : `${id}: done`,
      describeCreated(context.manifest, operation, body, params),
    );
  if (!operation.response.secret) return print(await request());
  const responseBody = await withSecretOutput(
    context,
    operation.response,
    options.secretOutput as string | undefined,
    request,
  );
  await print(responseBody);
  noticeSecretShownOnce(context, operation.response, responseBody);
}

/** Assigns each parameter to the path or the query. */
function splitParameters({ id, params, query }: ManifestOperation, assignments: Readonly<Record<string, string>>) {
  assertKnownNames(id, 'path or query parameter', assignments, [...params, ...query]);
  const ofKind = (fields: readonly ManifestField[]) =>
    Object.fromEntries(Object.entries(assignments).filter(([name]) => fields.some((field) => field.name === name)));
  return { params: ofKind(params), query: ofKind(query) };
}

function assertKnownNames(id: string, kind: string, values: object, fields: readonly ManifestField[]): void {
  const known = fields.map(({ name }) => name);
  const unknown = Object.keys(values).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw usageError(`${id} has no ${kind} ${unknown}.`, known.length > 0 ? `Use ${known.join(', ')}.` : undefined);
}

/** Prints one page; list commands read all pages. */
async function printPage(context: Context, { items, next }: ResultPage<unknown>): Promise<void> {
  await context.printer.value(items);
  if (next !== undefined)
    context.notice(`More results exist. For the next page, add --param after=${escapeControls(next)}`);
}
