/** Sends the request of an operation for a command, and prints the response. */

import type { ApiResponse } from '../../client/response.ts';
import type { CallInput } from '../../client/types.ts';
import { identifyingProperties } from '../../contract/entities.ts';
import type { JsonSchema, Manifest, ManifestOperation } from '../../contract/manifest-types.ts';
import type { Context, RequestContext } from '../context.ts';
import { requireSendableCredentials } from '../http/connection.ts';
import { singleQuote } from '../http/curl.ts';
import { splitSecrets } from '../http/redact.ts';
import { findOutputFailure, outputError } from '../io/output-failure.ts';
import { idBesideToken } from './created-entity.ts';
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

/** An entity that a command created. */
export interface CreatedEntity {
  readonly id: string;
  /** The command that deletes it; undefined if there is none. */
  readonly undo: string | undefined;
  /** The response has a secret that cannot be read again. */
  readonly hasSecret: boolean;
}

/**
 * Prints a response body; an empty one is a notice for people and `{}` for programs.
 * @throws CliError (exit 70) with the id of a created entity whose response cannot be printed
 */
export async function printResponse(
  context: Context,
  body: unknown,
  done: string,
  created?: CreatedEntity,
  schema?: JsonSchema,
): Promise<void> {
  const isEmpty = body === undefined || (typeof body === 'object' && body !== null && Object.keys(body).length === 0);
  const { format } = context.printer;
  if (!isEmpty || format === 'json' || format === 'jsonl' || format === 'yaml')
    await context.printer.value(body, schema);
  if (created) await assertPrinted(context, created);
  if (isEmpty) context.notice(done);
}

async function assertPrinted({ io }: Context, { id, undo, hasSecret }: CreatedEntity): Promise<void> {
  const failure = await findOutputFailure(io);
  if (!failure) return;
  throw outputError(failure, `${id} was created.`, undo && formatUndo(undo, hasSecret));
}

/** @throws CliError (exit 70) if a secret cannot be printed. @param done what the command did, as a sentence */
export async function assertSecretPrinted({ io }: Context, done: string, hint: string): Promise<void> {
  const failure = await findOutputFailure(io);
  if (failure) throw outputError(failure, done, hint);
}

function formatUndo(undo: string, hasSecret: boolean): string {
  return hasSecret
    ? `Its secret is lost. Revoke it with \`${undo}\`, and use --secret-output FILE or another output.`
    : `If it is not wanted, delete it with \`${undo}\`.`;
}

/** What a response says about the entity that the operation created; undefined if it created none. */
export function describeCreated(
  { operations }: Manifest,
  operation: ManifestOperation,
  body: unknown,
): CreatedEntity | undefined {
  const fields = Object.entries((body ?? {}) as Readonly<Record<string, unknown>>);
  const removal = operations.find(
    ({ method, path, params, command }) =>
      method === 'DELETE' && command !== undefined && path === `${operation.path}/{${params[0]?.name}}`,
  );
  const isFound = fields.some(([name, value]) => name === 'created' && !value);
  if (operation.creates === undefined || isFound) return undefined;
  const target = fields.find(([name]) => name === removal?.params[0]?.name);
  const [, id] = target ?? fields.find(([name]) => identifyingProperties.has(name)) ?? [];
  if (typeof id !== 'string') return undefined;
  // A user can sign in again for another token.
  const hasSecret =
    idBesideToken(operation) === undefined && Object.keys(splitSecrets(operation.response, body).secrets).length > 0;
  return { id, undo: removal && `iam ${removal.command} ${singleQuote(id)}`, hasSecret };
}
