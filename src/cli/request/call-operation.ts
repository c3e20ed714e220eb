/** Calls operations of the API by id. */
import { ClientError } from '../../client/errors.ts';
import type { ApiResponse } from '../../client/response.ts';
import type { CallInput } from '../../client/types.ts';
import type { RequestContext } from '../context.ts';
import { categoryOf } from '../errors.ts';
import { getOperation } from './find-operation.ts';
import { send } from './send.ts';

/**
 * Upper bound for attempts of a write that is repeated after a concurrent change. One of several concurrent writers always
 * succeeds.
 */
const maxAttempts = 10;

/**
 * Repeats a read and a write with If-Match (RFC 9110) while others change the entity in between.
 * @param work with the number of the attempt, from 1
 * @throws ClientError of the last attempt
 */
export async function repeatOnChange<Result>(
  { manifest }: Pick<RequestContext, 'manifest'>,
  work: (attempt: number) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work(attempt);
    } catch (error) {
      const isConflict = error instanceof ClientError && categoryOf(manifest, error) === 'changed';
      if (!isConflict || attempt === maxAttempts) throw error;
    }
  }
}

/** Calls an operation. @throws ClientError for an error response */
export function callOperation(context: RequestContext, id: string, input: CallInput): Promise<ApiResponse> {
  return send(context, getOperation(context.manifest, id), input);
}

/** Calls an operation; returns undefined for an expected error code. @throws ClientError for other error responses */
export function tryOperation(
  context: RequestContext,
  id: string,
  input: CallInput,
  ...expectedCodes: readonly string[]
): Promise<ApiResponse | undefined> {
  return unlessRejected(callOperation(context, id, input), expectedCodes);
}

/** Resolves to undefined if the server rejects the request with an expected error code. Other errors are thrown. */
export async function unlessRejected<Result>(
  request: Promise<Result>,
  expectedCodes: readonly string[],
): Promise<Result | undefined> {
  try {
    return await request;
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
