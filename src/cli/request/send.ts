/** Sends an operation for a command: preview, confirmation, request and output. */

import { buildOperationPath } from '../../client/request.ts';
import type { ApiResponse } from '../../client/response.ts';
import type { CallInput } from '../../client/types.ts';
import type { ManifestOperation } from '../../contract/manifest-types.ts';
import { resolveSafetyRules } from '../config/safety.ts';
import type { CommandOptions, Context } from '../context.ts';
import { CliError } from '../errors.ts';
import { requireSendableCredentials, resolveBaseUrl } from '../http/connection.ts';
import { redactHeaders, redactPath, redactRequestBody } from '../http/redact.ts';
import { readMaxWait, withRetries } from '../http/retry.ts';
import { escapeControls, jsonText } from '../io/control-characters.ts';
import { canPrompt, confirm, confirmByName } from '../io/prompt.ts';

export interface RequestPreview {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Prints the request that a write would send, without secrets. */
export async function printRequestPreview(context: Context, preview: RequestPreview): Promise<void> {
  context.curl?.(preview);
  const redacted = withoutSecrets(context, preview);
  if (!context.printer.isForPeople) return context.printer.value(redacted);
  const headers = Object.entries(redacted.headers ?? {}).map(([name, value]) => `${name}: ${value}`);
  const body = redacted.body === undefined ? [] : [jsonText(redacted.body, 2)];
  context.printer.lines([`${redacted.method} ${redacted.url}`, ...headers, ...body]);
  context.notice('Dry run: nothing was sent.');
}

/** A copy with only the declared fields of its operation or route, without secrets. */
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

/** Builds the preview of an operation's request. */
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
  /** The name is required, because more than one entity or a whole server is affected; `--yes` is not enough. */
  readonly requireName?: boolean;
  /** The name to type; by default that of the profile in use. */
  readonly name?: string;
  /** Another name that `--confirm` accepts, because it confirms more than is required. */
  readonly alternativeName?: string;
  /** What else is affected. Loaded only before a prompt, since that takes requests. */
  readonly details?: () => Promise<readonly string[]>;
}

/**
 * Prompts before a destructive request; ends the command if the answer is no. In a protected profile, and with
 * `requireName`, the name must be typed or passed with `--confirm`.
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
    throw new CliError(`--confirm is ${JSON.stringify(typedName)} but must be ${name}; nothing was sent.`, {
      code: 'NOT_CONFIRMED',
      exitCode: 2,
    });
  if (typedName !== undefined || (options.yes === true && !requireName)) return;
  const promptOptions = context.promptOptions(stdinIsData);
  if (confirmOptions.details && canPrompt(promptOptions))
    for (const line of await confirmOptions.details()) context.io.stderr.write(`  ${escapeControls(line)}\n`);
  const message = escapeControls(question);
  if (requireName ? await confirmByName(promptOptions, message, name) : await confirm(promptOptions, message)) return;
  throw new CliError('Not confirmed; nothing was sent.', { code: 'NOT_CONFIRMED', exitCode: 1 });
}

/** Sends an operation with the credentials in use; public ones need none. Retries idempotent ones while the server is busy. */
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

/** Prints a response body; an empty one is a notice for people and `{}` for programs. */
export async function printResponse(context: Context, body: unknown, done: string): Promise<void> {
  const isEmpty = body === undefined || (typeof body === 'object' && body !== null && Object.keys(body).length === 0);
  const { format } = context.printer;
  if (!isEmpty || format === 'json' || format === 'jsonl' || format === 'yaml') await context.printer.value(body);
  if (isEmpty) context.notice(done);
}
