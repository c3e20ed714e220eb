/** `iam api`: sends a request to any path with the current credentials. */
import type { Command } from 'commander';
import { buildQueryString } from '../../client/request.ts';
import { assertSuccess } from '../../client/response.ts';
import { addCommand, type CommandDescription, setAction, varyingRoles } from '../command.ts';
import { assertWritable } from '../config/safety.ts';
import type { CliRuntime, CommandOptions, Context } from '../context.ts';
import { usageError } from '../errors.ts';
import { resolveBaseUrl } from '../http/connection.ts';
import { readPathValues } from '../http/outcome-check.ts';
import { redactPath } from '../http/redact.ts';
import { readDocument } from '../io/input.ts';
import { assertConfirmed } from '../request/confirm.ts';
import { describeCreated } from '../request/created-entity.ts';
import { matchOperation } from '../request/find-operation.ts';
import { confirmGrants, noticeGrants } from '../request/grants/role-grants.ts';
import { printRequestPreview } from '../request/preview.ts';
import { printResponse } from '../request/send.ts';
import { collectAssignments } from './call.ts';

export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

const apiText: Omit<CommandDescription, 'title'> = {
  description:
    'Paths of operations, such as /groups, are resolved against the API prefix; other paths, such as /healthz, against the base URL. The response body is printed unchanged.',
  roles: varyingRoles,
  effect: 'destructive',
  effectVaries: true,
  examples: [
    { title: 'Get a group', command: 'GET /groups/ops' },
    { title: 'Add a role to the group', command: 'POST /groups/ops/role -f role.json' },
    { title: 'Check the health of the server', command: 'GET /healthz' },
  ],
};

export function addApi(program: Command, runtime: CliRuntime, title: string): void {
  const command = addCommand(program, 'api', { title, ...apiText })
    .argument('<method>', 'GET, POST, PUT, PATCH or DELETE')
    .argument('<path>', 'Path that starts with a slash')
    .option('-p, --param <name=value>', 'query parameter (repeatable)', collectAssignments)
    .option('--header <name=value>', 'request header (repeatable)', collectAssignments)
    .option('-f, --file <file>', 'JSON or YAML file with the request body, - for standard input');
  setAction(command, runtime, (context, [method, path], options) =>
    sendRequest(context, String(method).toUpperCase(), String(path), options),
  );
}

async function sendRequest(
  context: Context,
  method: string,
  typedPath: string,
  options: CommandOptions,
): Promise<void> {
  if (!methods.includes(method)) throw usageError(`Unknown method ${method}.`, `Use one of ${methods.join(', ')}.`);
  const path = resolvePath(context, typedPath);
  const query = (options.param ?? {}) as Record<string, string>;
  const headers = (options.header ?? {}) as Record<string, string>;
  const file = options.file as string | undefined;
  const body = file === undefined ? undefined : await readDocument(file, context.io);
  const isRead = ['GET', 'HEAD', 'OPTIONS'].includes(method);
  const operation = matchOperation(context.manifest, method, path);
  const params = operation && readPathValues(operation.path, path);
  const grants = operation && params ? [{ operation, input: { params, query, body } }] : [];
  if (options.dryRun === true && !isRead) {
    const url = resolveBaseUrl(context.settings).replace(/\/+$/, '') + path + buildQueryString(query);
    await printRequestPreview(context, { method, url, ...(body === undefined ? {} : { body }) });
    return noticeGrants(context, grants);
  }
  if (!isRead) assertWritable(context.settings);
  const requestLine = `${method} ${redactPath(typedPath, context.fieldsAt(method, path).query)}`;
  if (operation ? operation.effect === 'destructive' : method === 'DELETE')
    await assertConfirmed(context, `${requestLine}?`, options, file === '-');
  await confirmGrants(context, grants, options, file === '-');
  const client = await context.connect();
  const response = await client.raw(method, path, { query, headers, body, signal: context.io.signal });
  assertSuccess(response);
  const created = operation && describeCreated(context.manifest, operation, response.body, params);
  await printResponse(context, response.body, `${requestLine}: ${response.status}`, created);
}

/** Prepends the API prefix to paths of operations. */
function resolvePath({ manifest }: Context, path: string): string {
  if (!path.startsWith('/')) throw usageError(`Invalid path ${path}: a path must start with a slash.`);
  const operationRoots = new Set(manifest.operations.map((operation) => operation.path.split('/')[1]));
  return operationRoots.has(/^\/+([^/?]*)/.exec(path)?.[1]) ? manifest.prefix + path : path;
}
