/** Sending an operation for a command: tried, confirmed, sent, and its answer printed. */
import type { Answer } from '../client/answer.ts';
import { operationPath } from '../client/request.ts';
import type { CallInput } from '../client/types.ts';
import type { ManifestOperation } from '../contract/manifest-types.ts';
import type { Options } from './leaf.ts';
import { baseUrlOf, requireSignIn } from './runtime/connection.ts';
import type { Context } from './runtime/context.ts';
import { escapeControls, jsonText } from './runtime/control-characters.ts';
import { CliError } from './runtime/failures.ts';
import { canAsk, confirm, confirmByName } from './runtime/prompt.ts';
import { openBody, openHeaders, openPath } from './runtime/redact.ts';
import { maxWaitOf, withRetries } from './runtime/retry.ts';
import { safetyOf } from './runtime/safety.ts';

export interface Plan {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Prints what a write would send, with secrets left out. */
export async function printPlan(context: Context, plan: Plan): Promise<void> {
  context.curl?.(plan);
  const shown = withoutSecrets(context, plan);
  if (!context.printer.isForPeople) return context.printer.value(shown);
  const headers = Object.entries(shown.headers ?? {}).map(([name, value]) => `${name}: ${value}`);
  const body = shown.body === undefined ? [] : [jsonText(shown.body, 2)];
  context.printer.lines([`${shown.method} ${shown.url}`, ...headers, ...body]);
  context.notice('Not sent: this was a dry run.');
}

/** A copy that shows only what its operation or route declares, without secrets. */
export function withoutSecrets({ fieldsAt }: Pick<Context, 'fieldsAt'>, plan: Plan): Plan {
  const { method, url, headers, body } = plan;
  const fields = fieldsAt(method, url);
  return {
    method,
    url: openPath(url, fields.query),
    ...(headers ? { headers: openHeaders(headers, fields.headers) } : {}),
    ...(body === undefined ? {} : { body: openBody(body, fields.body) }),
  };
}

/** The plan of an operation. */
export function planOf(context: Context, operation: ManifestOperation, input: CallInput): Plan {
  const url =
    baseUrlOf(context.sources).replace(/\/+$/, '') + context.manifest.prefix + operationPath(operation, input);
  const headers = { ...(input.ifMatch === undefined ? {} : { 'if-match': input.ifMatch }), ...input.headers };
  const withHeaders = Object.keys(headers).length > 0 ? { headers } : {};
  return { method: operation.method, url, ...withHeaders, ...(input.body === undefined ? {} : { body: input.body }) };
}

export interface Severity {
  /** More than one goes, or something that many stand on: `--yes` does not cover that. */
  readonly severe?: boolean;
  /** What is typed where `--yes` is not enough: of the profile in use where left out. */
  readonly name?: string;
  /** Given with `--confirm`, this counts as well: it confirms more than is asked. */
  readonly also?: string;
  /** What goes along. Looked up only where somebody is asked, since that takes calls. */
  readonly details?: () => Promise<readonly string[]>;
}

/**
 * Asks before something goes away; ends the command where the answer is no. In a protected profile, and for what is
 * severe, its name has to be typed, or to be given with `--confirm`.
 */
export async function confirmed(
  context: Context,
  question: string,
  options: Options,
  stdinIsData = false,
  severity: Severity = {},
): Promise<void> {
  const { isProtected, name: usual } = safetyOf(context.sources);
  const { severe = isProtected, name = usual } = severity;
  const given = options.confirm as string | undefined;
  if (given !== undefined && given !== name && given !== severity.also)
    throw new CliError(`--confirm is ${JSON.stringify(given)}, and this needs ${name}; nothing was sent.`, {
      code: 'NOT_CONFIRMED',
      exitCode: 2,
    });
  if (given !== undefined || (options.yes === true && !severe)) return;
  const asking = context.asking(stdinIsData);
  if (severity.details && canAsk(asking))
    for (const line of await severity.details()) context.io.stderr.write(`  ${escapeControls(line)}\n`);
  const plainly = escapeControls(question);
  if (severe ? await confirmByName(asking, plainly, name) : await confirm(asking, plainly)) return;
  throw new CliError('Not confirmed; nothing was sent.', { code: 'NOT_CONFIRMED', exitCode: 1 });
}

/** Calls an operation as whoever is signed in; a public one as anybody. What can be repeated is, where the server is busy. */
export async function send(context: Context, operation: ManifestOperation, input: CallInput): Promise<Answer> {
  if (operation.auth !== 'none' && !input.anonymous) requireSignIn(context.sources);
  const client = await context.connect();
  const call = () => client.call(operation.id, { signal: context.io.signal, ...input });
  if (!operation.idempotent) return call();
  const { sources, io, notice, environment } = context;
  const isRead = operation.effect === 'read';
  const rules = { maxWait: maxWaitOf(sources), isRead, signal: io.signal, random: environment.random, notice };
  return withRetries(rules, call);
}

/** Prints what came back; an empty answer is a notice for people and `{}` for programs. */
export async function printAnswer(context: Context, body: unknown, done: string): Promise<void> {
  const isEmpty = body === undefined || (typeof body === 'object' && body !== null && Object.keys(body).length === 0);
  const { format } = context.printer;
  if (!isEmpty || format === 'json' || format === 'jsonl' || format === 'yaml') await context.printer.value(body);
  if (isEmpty) context.notice(done);
}
