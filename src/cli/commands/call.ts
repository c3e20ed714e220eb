/** `iam call`: any operation by its id. */
import type { Command } from 'commander';
import { asPage } from '../../client/response.ts';
import type { ResultPage } from '../../client/types.ts';
import type { ManifestField, ManifestOperation } from '../../contract/manifest-types.ts';
import { addCommand, type CommandDescription, type CommandOptions, setAction, varyingRoles } from '../command.ts';
import { describeDeleteImpact } from '../delete-impact.ts';
import { getOperation } from '../find-operation.ts';
import type { CliRuntime, Context } from '../runtime/context.ts';
import { escapeControls } from '../runtime/control-characters.ts';
import { usageError } from '../runtime/errors.ts';
import { readDocument } from '../runtime/input.ts';
import { assertWritable } from '../runtime/safety.ts';
import { noticeSecretShownOnce, withSecretOutput } from '../secret-output.ts';
import { assertConfirmed, previewOf, printRequestPreview, printResponse, send } from '../send.ts';

export const callText: CommandDescription = {
  title: 'Calls any operation by its id',
  description: '`iam commands` lists the operations. The answer is printed as it comes, one page of a list.',
  roles: varyingRoles,
  effect: 'destructive',
  effectVaries: true,
  examples: [
    { title: 'Read a group', command: 'groups.get --param groupId=ops -o json' },
    { title: 'Make one from a file', command: 'groups.create -f group.json' },
    { title: 'The first ten API keys', command: 'api-key.list --param limit=10' },
    {
      title: 'As an application that is only named',
      command: 'user-identities.identification --anonymous --param clientId=APP_CLIENT_ID -f contact.json',
    },
  ],
};

/** Adds the command. */
export function addCall(program: Command, runtime: CliRuntime): void {
  const command = addCommand(program, 'call', callText)
    .argument('<operation>', 'Id of the operation')
    .option('-p, --param <name=value>', 'parameter of the path or the query (repeat)', collectAssignments)
    .option('--header <name=value>', 'header that the operation reads (repeat)', collectAssignments)
    .option('-f, --file <file>', 'body from a JSON or YAML file, - is standard input')
    .option('--anonymous', 'leave the credentials in use out')
    .option('--secret-output <file>', 'write a secret in the answer to a new file instead of showing it');
  setAction(command, runtime, (context, [id], options) => callOperation(context, String(id), options));
}

/** Collects `name=value`; the value may hold more signs of equality. */
export function collectAssignments(
  text: string,
  previous: Readonly<Record<string, string>> | undefined,
): Record<string, string> {
  const at = text.indexOf('=');
  if (at < 1) throw usageError(`${text} must be NAME=VALUE.`);
  return { ...previous, [text.slice(0, at)]: text.slice(at + 1) };
}

async function callOperation(context: Context, id: string, options: CommandOptions): Promise<void> {
  const operation = getOperation(context.manifest, id);
  const { params, query } = splitParameters(operation, (options.param ?? {}) as Record<string, string>);
  const headers = (options.header ?? {}) as Record<string, string>;
  assertKnownNames(id, 'among its headers', headers, operation.headers ?? []);
  const file = options.file as string | undefined;
  const body = file === undefined ? undefined : await readDocument(file, context.io);
  const input = { params, query, headers, body, ...(options.anonymous === true ? { anonymous: true } : {}) };
  const plan = previewOf(context, operation, input);
  if (options.dryRun === true && operation.effect !== 'read') return printRequestPreview(context, plan);
  if (operation.effect !== 'read') assertWritable(context.sources);
  if (operation.effect === 'destructive')
    await assertConfirmed(context, `${operation.title}: ${Object.values(params).join(' ')}?`, options, file === '-', {
      details: () => describeDeleteImpact(context, operation.id, params),
    });
  if (operation.response.page) return printPage(context, asPage(await send(context, operation, input)));
  const request = async () => (await send(context, operation, input)).body;
  if (!operation.response.secret) return printResponse(context, await request(), `${id}: done`);
  const answer = await withSecretOutput(
    context,
    operation.response,
    options.secretOutput as string | undefined,
    request,
  );
  await printResponse(context, answer, `${id}: done`);
  noticeSecretShownOnce(context, operation.response, answer);
}

/** Each to where the operation takes it. */
function splitParameters({ id, params, query }: ManifestOperation, given: Readonly<Record<string, string>>) {
  assertKnownNames(id, 'in its path or query', given, [...params, ...query]);
  const ofKind = (fields: readonly ManifestField[]) =>
    Object.fromEntries(Object.entries(given).filter(([name]) => fields.some((field) => field.name === name)));
  return { params: ofKind(params), query: ofKind(query) };
}

function assertKnownNames(id: string, where: string, given: object, fields: readonly ManifestField[]): void {
  const known = fields.map(({ name }) => name);
  const strange = Object.keys(given).find((name) => !known.includes(name));
  if (strange === undefined) return;
  throw usageError(`${id} has no ${strange} ${where}.`, known.length > 0 ? `It has ${known.join(', ')}.` : undefined);
}

/** The one page that was asked for; a list command is there for more. */
async function printPage(context: Context, { items, next }: ResultPage<unknown>): Promise<void> {
  await context.printer.value(items);
  if (next !== undefined) context.notice(`More exist: add --param after=${escapeControls(next)}`);
}
