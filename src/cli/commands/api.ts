/** `iam api`: any method and path, with the credentials in use. */
import type { Command } from 'commander';
import { buildQueryString } from '../../client/request.ts';
import { assertSuccess } from '../../client/response.ts';
import { addCommand, type CommandDescription, type CommandOptions, setAction, varyingRoles } from '../command.ts';
import { matchOperation } from '../find-operation.ts';
import { resolveBaseUrl } from '../runtime/connection.ts';
import type { CliRuntime, Context } from '../runtime/context.ts';
import { usageError } from '../runtime/errors.ts';
import { readDocument } from '../runtime/input.ts';
import { redactPath } from '../runtime/redact.ts';
import { assertWritable } from '../runtime/safety.ts';
import { assertConfirmed, printRequestPreview, printResponse } from '../send.ts';
import { collectAssignments } from './call.ts';

export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

export const apiText: CommandDescription = {
  title: 'Sends any request, signed in',
  description:
    'A path of an operation, such as /groups, goes below the prefix of the service; any other, such as /healthz, below the base URL. The answer is printed as it comes.',
  roles: varyingRoles,
  effect: 'destructive',
  effectVaries: true,
  examples: [
    { title: 'A group', command: 'GET /groups/ops' },
    { title: 'A role for it', command: 'POST /groups/ops/role -f role.json' },
    { title: 'Whether the service is well', command: 'GET /healthz' },
  ],
};

/** Adds the command. */
export function addApi(program: Command, runtime: CliRuntime): void {
  const command = addCommand(program, 'api', apiText)
    .argument('<method>', 'GET, POST, PUT, PATCH or DELETE')
    .argument('<path>', 'Path, starting with a slash')
    .option('-p, --param <name=value>', 'parameter of the query (repeat)', collectAssignments)
    .option('--header <name=value>', 'header (repeat)', collectAssignments)
    .option('-f, --file <file>', 'body from a JSON or YAML file, - is standard input');
  setAction(command, runtime, (context, [method, path], options) =>
    sendRequest(context, String(method).toUpperCase(), String(path), options),
  );
}

async function sendRequest(context: Context, method: string, given: string, options: CommandOptions): Promise<void> {
  if (!methods.includes(method)) throw usageError(`${method} is no method.`, `Use one of ${methods.join(', ')}.`);
  const path = resolvePath(context, given);
  const query = (options.param ?? {}) as Record<string, string>;
  const headers = (options.header ?? {}) as Record<string, string>;
  const file = options.file as string | undefined;
  const body = file === undefined ? undefined : await readDocument(file, context.io);
  const isRead = ['GET', 'HEAD', 'OPTIONS'].includes(method);
  if (options.dryRun === true && !isRead) {
    const url = resolveBaseUrl(context.sources).replace(/\/+$/, '') + path + buildQueryString(query);
    return printRequestPreview(context, { method, url, ...(body === undefined ? {} : { body }) });
  }
  if (!isRead) assertWritable(context.sources);
  const shown = `${method} ${redactPath(given, context.fieldsAt(method, path).query)}`;
  if (method === 'DELETE' || matchOperation(context.manifest, method, path)?.effect === 'destructive')
    await assertConfirmed(context, `${shown}?`, options, file === '-');
  const client = await context.connect();
  const answer = await client.raw(method, path, { query, headers, body, signal: context.io.signal });
  assertSuccess(answer);
  await printResponse(context, answer.body, `${shown}: ${answer.status}`);
}

/** Puts the prefix of the service before the paths of its operations. */
function resolvePath({ manifest }: Context, path: string): string {
  if (!path.startsWith('/')) throw usageError(`${path} is no path: it starts with a slash.`);
  const areas = new Set(manifest.operations.map((operation) => operation.path.split('/')[1]));
  return areas.has(/^\/+([^/?]*)/.exec(path)?.[1]) ? manifest.prefix + path : path;
}
