/** `iam api`: any method and path, with the credentials in use. */
import type { Command } from 'commander';
import { assertSuccess } from '../../client/answer.ts';
import { queryString } from '../../client/request.ts';
import { addLeaf, type LeafText, type Options, rolesVary, runs } from '../leaf.ts';
import { operationAt } from '../operations.ts';
import { baseUrlOf } from '../runtime/connection.ts';
import type { Context, Surroundings } from '../runtime/context.ts';
import { usageError } from '../runtime/failures.ts';
import { readDocument } from '../runtime/input.ts';
import { openPath } from '../runtime/redact.ts';
import { requireWritable } from '../runtime/safety.ts';
import { confirmed, printAnswer, printPlan } from '../send.ts';
import { assignments } from './call.ts';

export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

export const apiText: LeafText = {
  title: 'Sends any request, signed in',
  description:
    'A path of an operation, such as /groups, goes below the prefix of the service; any other, such as /healthz, below the base URL. The answer is printed as it comes.',
  roles: rolesVary,
  effect: 'destructive',
  effectVaries: true,
  examples: [
    { title: 'A group', command: 'GET /groups/ops' },
    { title: 'A role for it', command: 'POST /groups/ops/role -f role.json' },
    { title: 'Whether the service is well', command: 'GET /healthz' },
  ],
};

/** Adds the command. */
export function addApi(program: Command, surroundings: Surroundings): void {
  const command = addLeaf(program, 'api', apiText)
    .argument('<method>', 'GET, POST, PUT, PATCH or DELETE')
    .argument('<path>', 'Path, starting with a slash')
    .option('-p, --param <name=value>', 'parameter of the query (repeat)', assignments)
    .option('--header <name=value>', 'header (repeat)', assignments)
    .option('-f, --file <file>', 'body from a JSON or YAML file, - is standard input');
  runs(command, surroundings, (context, [method, path], options) =>
    api(context, String(method).toUpperCase(), String(path), options),
  );
}

async function api(context: Context, method: string, given: string, options: Options): Promise<void> {
  if (!methods.includes(method)) throw usageError(`${method} is no method.`, `Use one of ${methods.join(', ')}.`);
  const path = fullPath(context, given);
  const query = (options.param ?? {}) as Record<string, string>;
  const headers = (options.header ?? {}) as Record<string, string>;
  const file = options.file as string | undefined;
  const body = file === undefined ? undefined : await readDocument(file, context.io);
  const isRead = ['GET', 'HEAD', 'OPTIONS'].includes(method);
  if (options.dryRun === true && !isRead) {
    const url = baseUrlOf(context.sources).replace(/\/+$/, '') + path + queryString(query);
    return printPlan(context, { method, url, ...(body === undefined ? {} : { body }) });
  }
  if (!isRead) requireWritable(context.sources);
  const shown = `${method} ${openPath(given, context.fieldsAt(method, path).query)}`;
  if (method === 'DELETE' || operationAt(context.manifest, method, path)?.effect === 'destructive')
    await confirmed(context, `${shown}?`, options, file === '-');
  const client = await context.connect();
  const answer = await client.raw(method, path, { query, headers, body, signal: context.io.signal });
  assertSuccess(answer);
  await printAnswer(context, answer.body, `${shown}: ${answer.status}`);
}

/** Puts the prefix of the service before the paths of its operations. */
function fullPath({ manifest }: Context, path: string): string {
  if (!path.startsWith('/')) throw usageError(`${path} is no path: it starts with a slash.`);
  const areas = new Set(manifest.operations.map((operation) => operation.path.split('/')[1]));
  return areas.has(/^\/+([^/?]*)/.exec(path)?.[1]) ? manifest.prefix + path : path;
}
