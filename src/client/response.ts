/** Parses responses into values or errors. */
import { errorItems } from './error-items.ts';
import { ClientError } from './errors.ts';
import type { ResultPage } from './types.ts';

export type ResponseHeaders = Readonly<Record<string, string>>;

/** A response; the body is parsed if it is JSON. */
export interface ApiResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ResponseHeaders;
  readonly body: unknown;
  readonly requestId: string | undefined;
}

/** Parses the body by its content type. Malformed JSON is returned as text, so the status is not hidden. */
export function parseBody(text: string, contentType: string | undefined): unknown {
  if (text === '') return undefined;
  if (!/[/+]json\b/i.test(contentType ?? '')) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** @throws ClientError for a status other than 2xx, and for an error array with a 2xx status. */
export function assertSuccess(response: ApiResponse): void {
  const error = findResponseError(response);
  if (error) throw error;
}

/** The error of a response; undefined for a success. */
export function findResponseError(response: ApiResponse): ClientError | undefined {
  const items = errorItems(response.body);
  const succeeded = response.status >= 200 && response.status < 300;
  if (succeeded && items.length === 0) return undefined;
  return new ClientError({
    status: response.status,
    items,
    requestId: response.requestId,
    retryAfter: parseRetryAfter(response.headers['retry-after']),
  });
}

function parseRetryAfter(retryAfter: string | undefined): number | undefined {
  return retryAfter !== undefined && /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) : undefined;
}

/** Returns the cursor of the next page, from the Link header. */
export function nextCursorOf({ headers }: Pick<ApiResponse, 'headers'>): string | undefined {
  for (const [, target, parameters] of (headers.link ?? '').matchAll(/<([^>]*)>([^,]*)/g)) {
    if (/;\s*rel="?next"?/i.test(parameters ?? ''))
      return new URL(target ?? '', 'http://relative').searchParams.get('after') ?? undefined;
  }
  return undefined;
}

/** Converts the response of a list into a page. @throws ClientError if it is not a list. */
export function asPage(response: ApiResponse): ResultPage<unknown> {
  if (!Array.isArray(response.body))
    throw new ClientError({
      status: response.status,
      items: [{ code: 'ANSWER_UNREADABLE', message: 'The response is not a list.' }],
      requestId: response.requestId,
    });
  const next = nextCursorOf(response);
  return next === undefined ? { items: response.body } : { items: response.body, next };
}
