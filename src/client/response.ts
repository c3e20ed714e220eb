/** From the bytes of an answer to a value, or to the failure it stands for. */
import { errorItems } from './error-items.ts';
import { ClientError } from './errors.ts';
import type { ResultPage } from './types.ts';

export type ResponseHeaders = Readonly<Record<string, string>>;

/** An answer as it came, its body parsed where it is JSON. */
export interface ApiResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ResponseHeaders;
  readonly body: unknown;
  readonly requestId: string | undefined;
}

/** Parses the body by its type. Broken JSON stays text: a proxy's page must not hide the status it came with. */
export function parseBody(text: string, contentType: string | undefined): unknown {
  if (text === '') return undefined;
  if (!/[/+]json\b/i.test(contentType ?? '')) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** Throws what the answer stands for, where that is a failure: any status but 2xx, and an error array under a 2xx. */
export function assertSuccess(response: ApiResponse): void {
  const items = errorItems(response.body);
  const succeeded = response.status >= 200 && response.status < 300;
  if (succeeded && items.length === 0) return;
  throw new ClientError({
    status: response.status,
    items,
    requestId: response.requestId,
    retryAfter: parseRetryAfter(response.headers['retry-after']),
  });
}

function parseRetryAfter(retryAfter: string | undefined): number | undefined {
  return retryAfter !== undefined && /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) : undefined;
}

/** The cursor of the page after this one, from the Link header. */
function parseNextCursor(headers: ResponseHeaders): string | undefined {
  for (const [, target, parameters] of (headers.link ?? '').matchAll(/<([^>]*)>([^,]*)/g)) {
    if (/;\s*rel="?next"?/i.test(parameters ?? ''))
      return new URL(target ?? '', 'http://relative').searchParams.get('after') ?? undefined;
  }
  return undefined;
}

/** The page that an answer to a list is. */
export function asPage(response: ApiResponse): ResultPage<unknown> {
  if (!Array.isArray(response.body))
    throw new ClientError({
      status: response.status,
      items: [{ code: 'ANSWER_UNREADABLE', message: 'The answer is no list.' }],
      requestId: response.requestId,
    });
  const next = parseNextCursor(response.headers);
  return next === undefined ? { items: response.body } : { items: response.body, next };
}
