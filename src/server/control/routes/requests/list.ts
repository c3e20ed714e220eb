import { PageQuery } from '../../../../contract/schemas/primitives.ts';
import type { RequestLog, RequestLogEntry } from '../../../observability/request-log.ts';
import { toPage } from '../../../store/pages.ts';
import { defineRoute } from '../../define.ts';
import {
  ConsoleFilter,
  matchesQuery,
  RequestFilters,
  RequestItem,
  type RequestQuery,
  toRequestItem,
} from '../../request-items.ts';

export default defineRoute({
  capability: 'read',
  id: 'control.requests',
  title: 'List requests',
  description:
    'The last requests, newest first, without requests to the control plane and, by default, without reads of the web console. New requests do not shift pages. The setting request-log-size limits how many are stored; a restart deletes them.',
  method: 'GET',
  path: '/requests',
  audit: { kind: 'read', targets: {} },
  request: { query: { ...PageQuery, ...RequestFilters, ...ConsoleFilter } },
  response: { page: RequestItem },
  errors: [],

  async handle({ query }, { observability, range: { after, limit } }) {
    const before = after === undefined ? Number.POSITIVE_INFINITY : Number(after);
    const page = toPage(findNewest(observability.requestLog, query, before, limit + 1), limit, ({ sequence }) =>
      String(sequence),
    );
    return { ...page, items: page.items.map(toRequestItem) };
  },
});

function findNewest(
  requestLog: RequestLog,
  query: RequestQuery & { readonly console?: boolean | undefined },
  before: number,
  limit: number,
): RequestLogEntry[] {
  const found: RequestLogEntry[] = [];
  for (const entry of requestLog.newestFirst({ withConsole: query.console })) {
    if (entry.sequence >= before || !matchesQuery(entry, query)) continue;
    found.push(entry);
    if (found.length === limit) break;
  }
  return found;
}
