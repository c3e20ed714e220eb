/** Sends the request of an operation for a command, and prints the response. */

import type { ApiResponse } from '../../client/response.ts';
import type { CallInput } from '../../client/types.ts';
import type { ManifestOperation } from '../../contract/manifest-types.ts';
import type { Context, RequestContext } from '../context.ts';
import { requireSendableCredentials } from '../http/connection.ts';
import { readMaxWait, withRetries } from '../http/retry.ts';
import { explainUnknownOutcome } from './unknown-outcome.ts';

/** Sends an operation with the credentials in use; public ones need none. Retries idempotent ones while the server is busy. */
export async function send(
  context: RequestContext,
  operation: ManifestOperation,
  input: CallInput,
): Promise<ApiResponse> {
  if (operation.auth !== 'none' && !input.anonymous) requireSendableCredentials(context.settings);
  const client = await context.connect();
  const call = () =>
    client.call(operation.id, { signal: context.io.signal, ...input }).catch((error: unknown) => {
      throw operation.effect === 'read' ? error : explainUnknownOutcome(context.manifest, operation, input, error);
    });
  if (!operation.idempotent) return call();
  const { settings, io, notice, environment } = context;
  const isRead = operation.effect === 'read';
  const rules = { maxWait: readMaxWait(settings), isRead, signal: io.signal, random: environment.random, notice };
  return withRetries(rules, call);
}

/** Prints a response body; an empty one is a notice for people and `{}` for programs. */
export async function printResponse(context: Context, body: unknown, done: string): Promise<void> {
  const isEmpty = body === undefined || (typeof body === 'object' && body !== null && Object.keys(body).length === 0);
  const { format } = context.printer;
  if (!isEmpty || format === 'json' || format === 'jsonl' || format === 'yaml') await context.printer.value(body);
  if (isEmpty) context.notice(done);
}
