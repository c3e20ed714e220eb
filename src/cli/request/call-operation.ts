/** Calls operations of the API by id. */
import { ClientError } from '../../client/errors.ts';
import type { ApiResponse } from '../../client/response.ts';
import type { CallInput } from '../../client/types.ts';
import type { RequestContext } from '../context.ts';
import { getOperation } from '../request/find-operation.ts';
import { send } from '../request/send.ts';

/** Calls an operation. @throws ClientError for an error response */
export function callOperation(context: RequestContext, id: string, input: CallInput): Promise<ApiResponse> {
  return send(context, getOperation(context.manifest, id), input);
}

/** Calls an operation; returns undefined for an expected error code. @throws ClientError for other error responses */
export async function tryOperation(
  context: RequestContext,
  id: string,
  input: CallInput,
  ...expectedCodes: readonly string[]
): Promise<ApiResponse | undefined> {
  try {
    return await callOperation(context, id, input);
  } catch (error) {
    if (error instanceof ClientError && expectedCodes.includes(error.code)) return undefined;
    throw error;
  }
}

/** Calls an operation that creates a resource, and returns the fields of the response. */
export async function createResource(
  context: RequestContext,
  id: string,
  body: unknown,
): Promise<Readonly<Record<string, unknown>>> {
  const response = await callOperation(context, id, { body });
  return (response.body ?? {}) as Readonly<Record<string, unknown>>;
}
