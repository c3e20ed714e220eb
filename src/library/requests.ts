/** The calls that a server answered, for who runs it in his own process. */
import type * as z from 'zod';
import {
  fitsQuery,
  type RequestItem as ItemSchema,
  mostAwaited,
  type RequestQuery,
  requestItem,
  wantedCalls,
} from '../server/control/request-items.ts';
import type { Insight } from '../server/insight/insight.ts';

/** A call: who, which operation, what came of it. */
export type RequestItem = z.output<typeof ItemSchema>;

export interface RequestSearch {
  /** Such as groups.create. */
  readonly operation?: string | undefined;
  /** The subject that called, client or user. */
  readonly caller?: string | undefined;
  /** Such as 404, or a class such as '4xx'. */
  readonly status?: number | string | undefined;
  /** An error code of the answer. */
  readonly error?: string | undefined;
}

export interface RequestWait extends RequestSearch {
  /** How many calls to wait for; 1 where missing. */
  readonly count?: number | undefined;
  /** Id of a call: only those that came later. */
  readonly after?: string | undefined;
  /** How long to wait at most, in milliseconds of real time; 5000 where missing. */
  readonly timeout?: number | undefined;
}

export interface Requests {
  /** Those that are kept, the newest first: the last thousand, unless the setting requests-kept says otherwise. */
  list(search?: RequestSearch): RequestItem[];
  /**
   * The last calls that fit, the newest first, as soon as there are so many.
   * @throws Error where there were fewer in time; RangeError for a count that can not be waited for.
   */
  waitFor(wait?: RequestWait): Promise<RequestItem[]>;
}

const usualTimeout = 5_000;

/** The calls of whichever world answers. A server without control plane keeps none. */
export function createRequests(insight: () => Insight | undefined): Requests {
  function kept(): Insight {
    const found = insight();
    if (!found) throw new Error('A server with the setting no-control keeps no calls.');
    return found;
  }

  return {
    list(search = {}) {
      const query = queryOf(search);
      return [...kept().requests.newestFirst()].filter((call) => fitsQuery(call, query)).map(requestItem);
    },
    async waitFor({ count = 1, after, timeout = usualTimeout, ...search } = {}) {
      if (!Number.isInteger(count) || count < 1 || count > mostAwaited)
        throw new RangeError(`count must be from 1 to ${mostAwaited}.`);
      const { requests, calls } = kept();
      const query = { ...queryOf(search), after };
      const look = async () => wantedCalls(requests, query, count);
      const found = await calls.waitFor(look, AbortSignal.timeout(timeout));
      if (!found) throw new Error(`Fewer than ${count} such calls came within ${timeout} ms.`);
      return found.map(requestItem);
    },
  };
}

function queryOf({ status, ...search }: RequestSearch): RequestQuery {
  return { ...search, status: status === undefined ? undefined : String(status) };
}
