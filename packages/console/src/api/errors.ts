/** Errors of requests, as the pages show them. */
import type { components } from '#control-api';

export type ResponseError = components['schemas']['ErrorItem'];

/** An error response of the server, or none at all. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  /** Undefined if the server did not respond. */
  readonly status: number | undefined;
  readonly items: readonly ResponseError[];
  readonly requestId: string | undefined;

  constructor(status: number | undefined, items: readonly ResponseError[], requestId?: string) {
    super(items.map(({ message }) => message).join(' '));
    this.status = status;
    this.items = items;
    this.requestId = requestId;
  }
}

const unreachable: ResponseError = {
  code: 'UNREACHABLE',
  message: 'The server did not respond: it is not known whether it received the request.',
};

/** What openapi-fetch returns. */
export interface FetchResult<Data> {
  readonly data?: Data | undefined;
  readonly error?: unknown;
  readonly response: Response;
}

/** Returns the body of a successful response. @throws RequestError for all others. */
export async function unwrap<Data>(pending: Promise<FetchResult<Data>>): Promise<Data> {
  return (await unwrapResponse(pending)).data;
}

/** Like `unwrap`, with the response for its headers. */
export async function unwrapResponse<Data>(
  pending: Promise<FetchResult<Data>>,
): Promise<{ data: Data; response: Response }> {
  const { data, error, response } = await pending.catch((cause: unknown) => {
    if (isAborted(cause)) throw cause;
    // Of the request for the token.
    if (cause instanceof RequestError) throw cause;
    throw new RequestError(undefined, [unreachable]);
  });
  if (!response.ok) throw new RequestError(response.status, toItems(error, response), requestIdOf(response));
  return { data: data as Data, response };
}

function requestIdOf(response: Response): string | undefined {
  return response.headers.get('x-request-id') ?? undefined;
}

/** A proxy may respond with another body than the server. */
function toItems(error: unknown, { status, statusText }: Response): readonly ResponseError[] {
  const items = Array.isArray(error) ? error.filter(isErrorItem) : [];
  return items.length > 0 ? items : [{ code: `HTTP_${status}`, message: statusText || `Status ${status}` }];
}

function isErrorItem(value: unknown): value is ResponseError {
  return typeof value === 'object' && value !== null && 'code' in value && 'message' in value;
}

/** Whether the request was given up. */
export function isAborted(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}

/** Whether the caller lacks a role. */
export function isForbidden(error: unknown): boolean {
  return error instanceof RequestError && error.status === 403;
}

/** Whether the server is not reachable, for example because it restarts. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof RequestError && (error.status === undefined || error.status === 503);
}

/** Whether the version that a write named is no longer the current one. */
export function isChangedMeanwhile(error: unknown): boolean {
  return error instanceof RequestError && error.items.some(({ code }) => code === 'CHANGED_MEANWHILE');
}
