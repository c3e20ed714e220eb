/** The requests that an in-process server handled. */
import * as z from 'zod';
import { type ErrorCode, InputError, type OperationId } from '../client/index.ts';
import {
  findRequests,
  matchesQuery,
  maxAwaited,
  RequestFilters,
  type RequestQuery,
  toRequestDetail,
  toRequestItem,
} from '../server/control/request-items.ts';
import { validateBody } from '../server/http/request-validation.ts';
import type { Observability } from '../server/observability/observability.ts';
import type { RequestLog } from '../server/observability/request-log.ts';
import { withDeadline } from './deadline.ts';
import type { RequestDetails, RequestRecord } from './library-types.ts';

export interface RequestFilter {
  /** Such as groups.create. */
  readonly operation?: OperationId | undefined;
  /** The caller, a client or a user, by id or name. */
  readonly caller?: string | undefined;
  /** Such as 404, or a class such as '4xx'; several as '4xx,5xx'. */
  readonly status?: number | string | undefined;
  /** An error code in the response. */
  readonly error?: ErrorCode | undefined;
}

export interface RequestListOptions extends RequestFilter {
  /** Whether to include reads of the web console. Default: false. */
  readonly console?: boolean | undefined;
}

export interface RequestWaitOptions extends RequestFilter {
  /** Number of requests to wait for. Default: 1. */
  readonly count?: number | undefined;
  /** Id of a request: returns only later requests. */
  readonly after?: string | undefined;
  /** Maximum time to wait, in milliseconds of real time. Default: 5000. */
  readonly timeout?: number | undefined;
}

export interface Requests {
  /** Returns the requests in the log, newest first. The setting request-log-size limits the log (default: 1000). */
  list(search?: RequestListOptions): RequestRecord[];
  /** Returns a request with headers and bodies, without secrets; undefined if the log does not contain it. */
  get(id: string): RequestDetails | undefined;
  /**
   * Returns the last `count` matching requests, newest first, and waits until there are enough.
   * @throws WaitError on timeout; InputError if `count` is out of range.
   */
  waitFor(wait?: RequestWaitOptions): Promise<RequestRecord[]>;
}

const defaultTimeout = 5_000;

/** Creates the request log of the current app context. A server without control plane has none. */
export function createRequests(
  getContext: () => { readonly observability: Observability | undefined; readonly baseUrl: string },
): Requests {
  const requireObservability = () => requireControlPlane(getContext().observability, 'The request log');
  return {
    list({ console: withConsole, ...search } = {}) {
      const query = buildQuery(search);
      return [...requireObservability().requestLog.newestFirst({ withConsole })]
        .filter((request) => matchesQuery(request, query))
        .map(toRequestItem);
    },
    get(id) {
      const entry = requireObservability().requestLog.find(id);
      return entry && toRequestDetail(entry, getContext().baseUrl);
    },
    async waitFor({ count = 1, after, timeout = defaultTimeout, ...search } = {}) {
      if (!Number.isInteger(count) || count < 1 || count > maxAwaited)
        throw new InputError(`requests.waitFor: count must be from 1 to ${maxAwaited}.`);
      const { requestLog, requestWaiters } = requireObservability();
      const query = { ...buildQuery(search), after };
      const findMatches = async () => findRequests(requestLog, query, count);
      const found = await withDeadline(
        timeout,
        (signal) => requestWaiters.waitFor(findMatches, signal),
        () =>
          `Fewer than ${count} matching requests arrived within ${timeout} ms. ${describeLatest(requestLog, after)}`,
      );
      return found.map(toRequestItem);
    },
  };
}

const maxDescribed = 5;

/** What did arrive, newest first: a test that waits for the wrong request shows the right one. */
function describeLatest(requestLog: RequestLog, after: string | undefined): string {
  const latest: string[] = [];
  for (const entry of requestLog.newestFirst()) {
    if (entry.requestId === after || latest.length === maxDescribed) break;
    const { method, path, operation, status, caller, errors } = toRequestItem(entry);
    const outcome = [status ?? 'closed', ...errors].join(' ');
    latest.push(`${method} ${path} (${operation ?? 'no operation'}) by ${caller}: ${outcome}`);
  }
  return latest.length === 0 ? 'No other request arrived.' : `The latest requests:\n  ${latest.join('\n  ')}`;
}

/** @throws Error if the control plane is disabled. */
export function requireControlPlane(observability: Observability | undefined, what: string): Observability {
  if (!observability) throw new Error(`${what} requires the control plane (setting disable-control-plane).`);
  return observability;
}

const Filter = z.strictObject(RequestFilters);

/** @throws IamError for an unknown key, operation or error code, and for a status that is none. */
function buildQuery({ status, ...search }: RequestFilter): RequestQuery {
  const query = { ...search, status: status === undefined ? undefined : String(status) };
  return validateBody(Filter, query) as RequestQuery;
}
