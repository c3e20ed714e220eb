/** GET /_iam/requests */
import { PageQuery } from '../../../contract/schemas.ts';
import { pageOf } from '../../identity/pages.ts';
import type { KeptCall, RequestJournal } from '../../insight/journal.ts';
import { defineRoute } from '../define.ts';
import { fitsQuery, RequestFilters, RequestItem, type RequestQuery, requestItem } from '../request-items.ts';

export default defineRoute({
  capability: 'read',
  id: 'control.requests',
  title: 'Lists calls',
  description:
    'The last calls, the newest first, but for those to the control plane itself. Those that come while pages are read do not shift them. As many are kept as the setting requests-kept says; a restart forgets them.',
  method: 'GET',
  path: '/requests',
  audit: { kind: 'read', targets: {} },
  status: [200, 206, 400, 401, 403, 500],
  request: { query: { ...PageQuery, ...RequestFilters } },
  response: { page: RequestItem },
  errors: [],

  async handle({ query }, { insight, range: { after, limit } }) {
    const before = after === undefined ? Number.POSITIVE_INFINITY : Number(after);
    const page = pageOf(newest(insight.requests, query, before, limit + 1), limit, ({ sequence }) => String(sequence));
    return { ...page, items: page.items.map(requestItem) };
  },
});

function newest(journal: RequestJournal, query: RequestQuery, before: number, most: number): KeptCall[] {
  const found: KeptCall[] = [];
  for (const call of journal.newestFirst()) {
    if (call.sequence >= before || !fitsQuery(call, query)) continue;
    found.push(call);
    if (found.length === most) break;
  }
  return found;
}
