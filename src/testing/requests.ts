/** The calls that a server answered, for who runs it in his own process. */
import type * as z from 'zod';
import {
  findRequests,
  type RequestItem as ItemSchema,
  matchesQuery,
  maxAwaited,
  type RequestQuery,
  toRequestItem,
} from '../server/control/request-items.ts';
import type { Observability } from '../server/observability/observability.ts';

/** A call: who, which operation, what came of it. */
export type RequestRecord = z.output<typeof ItemSchema>;

export interface RequestFilter {
  /** Such as groups.create. */
  readonly operation?: string | undefined;
  /** The subject that called, client or user. */
  readonly caller?: string | undefined;
  /** Such as 404, or a class such as '4xx'. */
  readonly status?: number | string | undefined;
  /** An error code of the answer. */
  readonly error?: string | undefined;
}

export interface RequestWaitOptions extends RequestFilter {
  /** How many calls to wait for; 1 where missing. */
  readonly count?: number | undefined;
  /** Id of a call: only those that came later. */
  readonly after?: string | undefined;
  /** How long to wait at most, in milliseconds of real time; 5000 where missing. */
  readonly timeout?: number | undefined;
}

export interface Requests {
  /** Those that are kept, the newest first: the last thousand, unless the setting request-log-size says otherwise. */
  list(search?: RequestFilter): RequestRecord[];
  /**
   * The last calls that fit, the newest first, as soon as there are so many.
   * @throws Error where there were fewer in time; RangeError for a count that can not be waited for.
   */
  waitFor(wait?: RequestWaitOptions): Promise<RequestRecord[]>;
}

const defaultTimeout = 5_000;

/** The calls of whichever world answers. A server without control plane keeps none. */
export function createRequests(insight: () => Observability | undefined): Requests {
  function requireObservability(): Observability {
    const found = insight();
    if (!found) throw new Error('A server with the setting disable-control-plane keeps no calls.');
    return found;
  }

  return {
    list(search = {}) {
      const query = buildQuery(search);
      return [...requireObservability().requestLog.newestFirst()]
        .filter((call) => matchesQuery(call, query))
        .map(toRequestItem);
    },
    async waitFor({ count = 1, after, timeout = defaultTimeout, ...search } = {}) {
      if (!Number.isInteger(count) || count < 1 || count > maxAwaited)
        throw new RangeError(`count must be from 1 to ${maxAwaited}.`);
      const { requestLog: requests, requestWaiters: calls } = requireObservability();
      const query = { ...buildQuery(search), after };
      const findCalls = async () => findRequests(requests, query, count);
      const found = await calls.waitFor(findCalls, AbortSignal.timeout(timeout));
      if (!found) throw new Error(`Fewer than ${count} such calls came within ${timeout} ms.`);
      return found.map(toRequestItem);
    },
  };
}

function buildQuery({ status, ...search }: RequestFilter): RequestQuery {
  return { ...search, status: status === undefined ? undefined : String(status) };
}
