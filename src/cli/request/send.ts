/** Sends the request of an operation for a command, and prints the response. */

import type { ApiResponse } from '../../client/response.ts';
import type { CallInput } from '../../client/types.ts';
import type { JsonSchema, ManifestOperation } from '../../contract/manifest-types.ts';
import type { Context, RequestContext } from '../context.ts';
import { requireSendableCredentials } from '../http/connection.ts';
import { findOutputFailure, findSecretOutputFailure, outputError } from '../io/output-failure.ts';
import type { CreatedEntities } from './created-entity.ts';
import { nameRejected } from './not-found.ts';

/** Sends an operation with the credentials in use; public ones need none.  */
export async function send(
  context: RequestContext,
  operation: ManifestOperation,
  input: CallInput,
): Promise<ApiResponse> {
  if (operation.auth !== 'none' && !input.anonymous) requireSendableCredentials(context.settings);
  const client = await context.connect();
  return client.call(operation.id, { signal: context.io.signal, ...input }).catch((error: unknown) => {
    throw nameRejected(context.manifest, operation, input, error);
  });
}

/**
 * Prints a response body; an empty one is a notice for people and `{}` for programs.
 * @throws CliError (exit 70) with the ids of created entities whose response cannot be printed
 */
export async function printResponse(
  context: Context,
  body: unknown,
  done: string,
  created?: CreatedEntities,
  schema?: JsonSchema,
): Promise<void> {
  const isEmpty = body === undefined || (typeof body === 'object' && body !== null && Object.keys(body).length === 0);
  const { format } = context.printer;
  if (!isEmpty || format === 'json' || format === 'jsonl' || format === 'yaml')
    await context.printer.value(body, schema);
  if (created) await assertPrinted(context, created);
  if (isEmpty) context.notice(done);
}

async function assertPrinted({ io }: Context, { ids, undo, hasSecret, mayBeOlder }: CreatedEntities): Promise<void> {
  const failure = await (hasSecret ? findSecretOutputFailure(io) : findOutputFailure(io));
  if (!failure) return;
  const was = ids.length === 1 ? 'was' : 'were';
  const done = `${ids.join(', ')} ${was} created${mayBeOlder ? ', or existed before' : ''}.`;
  throw outputError(failure, done, undo && formatUndo(undo, hasSecret));
}

/** @throws CliError (exit 70) if a secret cannot be printed. @param done what the command did, as a sentence */
export async function assertSecretPrinted({ io }: Context, done: string, hint: string): Promise<void> {
  const failure = await findSecretOutputFailure(io);
  if (failure) throw outputError(failure, done, hint);
}

function formatUndo(undo: string, hasSecret: boolean): string {
  return hasSecret
    ? `Its secret is lost. Revoke it with \`${undo}\`, and use --secret-output FILE or another output.`
    : `If it is not wanted, delete it with \`${undo}\`.`;
}
