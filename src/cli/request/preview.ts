/** Previews of requests: what `--dry-run` prints and plans contain. */

import { buildOperationPath } from '../../client/request.ts';
import type { CallInput } from '../../client/types.ts';
import type { ManifestOperation } from '../../contract/manifest-types.ts';
import type { Context } from '../context.ts';
import { resolveBaseUrl } from '../http/connection.ts';
import { redactHeaders, redactPath, redactRequestBody } from '../http/redact.ts';
import { jsonText } from '../io/control-characters.ts';
import { isRoute } from './find-operation.ts';

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
  context.printer.lines(formatPreviewLines(redacted));
  context.notice('Dry run: nothing was sent.');
}

/** Prints the requests of a command that sends several, as a list for programs. */
export async function printRequestPreviews(context: Context, previews: readonly RequestPreview[]): Promise<void> {
  for (const preview of previews) context.curl?.(preview);
  const redacted = previews.map((preview) => withoutSecrets(context, preview));
  if (!context.printer.isForPeople) return context.printer.value(redacted);
  context.printer.lines(redacted.flatMap(formatPreviewLines));
  context.notice('Dry run: nothing was sent.');
}

function formatPreviewLines({ method, url, headers = {}, body }: RequestPreview): string[] {
  const formatted = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${url}`, ...formatted, ...(body === undefined ? [] : [jsonText(body, 2)])];
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

/** Builds the preview of the request of an operation, or of a route that updates. */
export function previewOf(context: Context, operation: ManifestOperation, input: CallInput): RequestPreview {
  const url =
    resolveBaseUrl(context.settings).replace(/\/+$/, '') +
    (isRoute(operation) ? context.manifest.controlPrefix : context.manifest.prefix) +
    buildOperationPath(operation, input);
  const headers = { ...(input.ifMatch === undefined ? {} : { 'if-match': input.ifMatch }), ...input.headers };
  const withHeaders = Object.keys(headers).length > 0 ? { headers } : {};
  return { method: operation.method, url, ...withHeaders, ...(input.body === undefined ? {} : { body: input.body }) };
}
