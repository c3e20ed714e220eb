/** Sending an operation for a command: tried, confirmed, sent, and its answer printed. */

import { buildOperationPath } from '../client/request.ts';
import type { ApiResponse } from '../client/response.ts';
import type { CallInput } from '../client/types.ts';
import type { ManifestOperation } from '../contract/manifest-types.ts';
import type { CommandOptions } from './command.ts';
import { requireSendableCredentials, resolveBaseUrl } from './runtime/connection.ts';
import type { Context } from './runtime/context.ts';
import { escapeControls, jsonText } from './runtime/control-characters.ts';
import { CliError } from './runtime/errors.ts';
import { canPrompt, confirm, confirmByName } from './runtime/prompt.ts';
import { redactHeaders, redactPath, redactRequestBody } from './runtime/redact.ts';
import { readMaxWait, withRetries } from './runtime/retry.ts';
import { resolveSafetyRules } from './runtime/safety.ts';

export interface RequestPreview {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Prints what a write would send, with secrets left out. */
export async function printRequestPreview(context: Context, preview: RequestPreview): Promise<void> {
  context.curl?.(preview);
  const shown = withoutSecrets(context, preview);
  if (!context.printer.isForPeople) return context.printer.value(shown);
  const headers = Object.entries(shown.headers ?? {}).map(([name, value]) => `${name}: ${value}`);
  const body = shown.body === undefined ? [] : [jsonText(shown.body, 2)];
  context.printer.lines([`${shown.method} ${shown.url}`, ...headers, ...body]);
  context.notice('Not sent: this was a dry run.');
}

/** A copy that shows only what its operation or route declares, without secrets. */
export function withoutSecrets({ fieldsAt }: Pick<Context, 'fieldsAt'>, preview: RequestPreview): RequestPreview {
  const { method, url, headers, body } = preview;
  const fields = fieldsAt(method, url);
  return {
    method,
    url: redactPath(url, fields.query),
    ...(headers ? { headers: redactHeaders(headers, fields.headers) } : {}),
    ...(body === undefined ? {} : { body: redactRequestBody(body, fields.body) }),
  };
}

/** The plan of an operation. */
export function previewOf(context: Context, operation: ManifestOperation, input: CallInput): RequestPreview {
  const url =
    resolveBaseUrl(context.sources).replace(/\/+$/, '') +
    context.manifest.prefix +
    buildOperationPath(operation, input);
  const headers = { ...(input.ifMatch === undefined ? {} : { 'if-match': input.ifMatch }), ...input.headers };
  const withHeaders = Object.keys(headers).length > 0 ? { headers } : {};
  return { method: operation.method, url, ...withHeaders, ...(input.body === undefined ? {} : { body: input.body }) };
}

export interface ConfirmOptions {
  /** More than one goes, or something that many stand on: `--yes` does not cover that. */
  readonly requireName?: boolean;
  /** What is typed where `--yes` is not enough: of the profile in use where left out. */
  readonly name?: string;
  /** Given with `--confirm`, this counts as well: it confirms more than is asked. */
  readonly alternativeName?: string;
  /** What goes along. Looked up only where somebody is asked, since that takes calls. */
  readonly details?: () => Promise<readonly string[]>;
}

/**
 * Asks before something goes away; ends the command where the answer is no. In a protected profile, and for what is
 * severe, its name has to be typed, or to be given with `--confirm`.
 */
export async function assertConfirmed(
  context: Context,
  question: string,
  options: CommandOptions,
  stdinIsData = false,
  confirmOptions: ConfirmOptions = {},
): Promise<void> {
  const { isProtected, name: defaultName } = resolveSafetyRules(context.sources);
  const { requireName = isProtected, name = defaultName } = confirmOptions;
  const typedName = options.confirm as string | undefined;
  if (typedName !== undefined && typedName !== name && typedName !== confirmOptions.alternativeName)
    throw new CliError(`--confirm is ${JSON.stringify(typedName)}, and this needs ${name}; nothing was sent.`, {
      code: 'NOT_CONFIRMED',
      exitCode: 2,
    });
  if (typedName !== undefined || (options.yes === true && !requireName)) return;
  const promptOptions = context.promptOptions(stdinIsData);
  if (confirmOptions.details && canPrompt(promptOptions))
    for (const line of await confirmOptions.details()) context.io.stderr.write(`  ${escapeControls(line)}\n`);
  const plainly = escapeControls(question);
  if (requireName ? await confirmByName(promptOptions, plainly, name) : await confirm(promptOptions, plainly)) return;
  throw new CliError('Not confirmed; nothing was sent.', { code: 'NOT_CONFIRMED', exitCode: 1 });
}

/** Calls an operation as whoever is signed in; a public one as anybody. What can be repeated is, where the server is busy. */
export async function send(context: Context, operation: ManifestOperation, input: CallInput): Promise<ApiResponse> {
  if (operation.auth !== 'none' && !input.anonymous) requireSendableCredentials(context.sources);
  const client = await context.connect();
  const call = () => client.call(operation.id, { signal: context.io.signal, ...input });
  if (!operation.idempotent) return call();
  const { sources, io, notice, environment } = context;
  const isRead = operation.effect === 'read';
  const rules = { maxWait: readMaxWait(sources), isRead, signal: io.signal, random: environment.random, notice };
  return withRetries(rules, call);
}

/** Prints what came back; an empty answer is a notice for people and `{}` for programs. */
export async function printResponse(context: Context, body: unknown, done: string): Promise<void> {
  const isEmpty = body === undefined || (typeof body === 'object' && body !== null && Object.keys(body).length === 0);
  const { format } = context.printer;
  if (!isEmpty || format === 'json' || format === 'jsonl' || format === 'yaml') await context.printer.value(body);
  if (isEmpty) context.notice(done);
}
