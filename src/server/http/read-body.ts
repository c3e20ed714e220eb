/** Reads and validates the body of a request as its operation declares. */
import type * as z from 'zod';
import { errorTable } from '../../contract/error-codes.ts';
import { IamError } from '../../contract/errors.ts';
import type { Operation } from '../../contract/operation.ts';
import type { RequestCredentials } from '../auth/credentials.ts';
import { createAuthenticationError } from '../tokens/authentication-error.ts';
import { hasNoBody, readBytes, readFormOrJson, readJson } from './request-body.ts';
import type { KoaContext } from './request-state.ts';
import { validateBody, validateBodyAsync } from './request-validation.ts';

interface ReadBodyOptions {
  /** The schema of the operation. */
  readonly schema: z.ZodType;
  readonly limit: number;
  readonly credentials: RequestCredentials | undefined;
  /** The body, if it was received before. */
  readonly bytes?: Buffer | undefined;
}

/**
 * Receives a body that `readBody` parses later.
 * @param assertFits rejects a length by throwing, before the body is received
 * @throws IamError BODY_TOO_LARGE; the errors of `assertFits`
 */
export async function bufferBody(
  { req }: KoaContext,
  limit: number,
  assertFits?: (length: number) => void,
): Promise<Buffer> {
  assertFits?.(Number(req.headers['content-length'] ?? limit));
  return readBytes(req, limit);
}

export async function readBody(
  ctx: KoaContext,
  { request }: Operation<never>,
  { schema, limit, credentials, bytes }: ReadBodyOptions,
): Promise<unknown> {
  const isLongBody = request.bodyLimit !== undefined;
  const maxBytes = request.bodyLimit ?? limit;
  try {
    // A missing body equals an empty one if no field is required.
    if (!request.form && hasNoBody(ctx.req) && schema.safeParse({}).success) return schema.parse({});
    const body = await (request.form
      ? readFormOrJson(ctx.req, maxBytes, request.repeatable)
      : readJson(ctx.req, maxBytes, { isLarge: isLongBody, bytes }));
    ctx.state.body = body;
    // Only if needed: most operations are faster without the promise of each nested schema.
    return request.bodyChecks === 'async' ? await validateBodyAsync(schema, body) : validateBody(schema, body);
  } catch (error) {
    // With Basic authentication of the user the body is ignored, except for its size.
    const isIgnorable =
      credentials?.userBasicAuth !== undefined && error instanceof IamError && error.code !== 'BODY_TOO_LARGE';
    if (isIgnorable) return undefined;
    if (request.malformedBody === undefined || !isMalformed(error)) throw error;
    ctx.state.hasMalformedCredentials = true;
    throw createAuthenticationError(request.malformedBody);
  }
}

/** Whether the error is a validation error, not one of HTTP such as a body that is too large. */
function isMalformed(error: unknown): boolean {
  return error instanceof IamError && [400, 422].includes(errorTable[error.code].status);
}
