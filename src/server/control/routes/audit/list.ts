import { matchesAuditFilter } from '../../../../contract/audit.ts';
import { PageQuery } from '../../../../contract/schemas/primitives.ts';
import { maxAuditEvents } from '../../../audit/trail.ts';
import type { ControlContext } from '../../../request-context.ts';
import { toPage } from '../../../store/pages.ts';
import { AuditFilters, AuditItem, mayReadValues, toAuditItems } from '../../audit-items.ts';
import { defineRoute } from '../../define.ts';

export default defineRoute({
  capability: 'read',
  id: 'control.audit',
  title: 'List audit events',
  description: `Who changed or tried to change what: the last ${maxAuditEvents} logins, changes and rejections of the server or of the sandbox, newest first, with the values before and after. New events do not shift pages. A reset does not delete them. Sensitive fields are only named. On a server with remote access, values require the roles of GET /_iam/inbox; other callers get the names of the changed fields. Servers that share a store have the events of their own requests.`,
  method: 'GET',
  path: '/audit',
  audit: { kind: 'read', targets: {} },
  request: { query: { ...PageQuery, ...AuditFilters } },
  response: { page: AuditItem },
  errors: [],

  async handle({ query: { object, ...filter } }, context) {
    const { auditTrail, range } = context;
    const names = object === undefined ? undefined : await listNames(context, object);
    const before = range.after === undefined ? Number.POSITIVE_INFINITY : Number(range.after);
    const found = auditTrail
      .since(0)
      .filter((event) => event.sequence < before && matchesAuditFilter(event, { ...filter, object: names }))
      .reverse();
    const page = toPage(found.slice(0, range.limit + 1), range.limit, ({ sequence }) => String(sequence));
    return { ...page, items: await toAuditItems(context, page.items, mayReadValues(context)) };
  },
});

/** What events call an object with this id or name. A membership has the id of the group, and of the account of a service. */
async function listNames({ auditTrail, store }: ControlContext, object: string): Promise<readonly string[]> {
  const client = await store.clients.get(object);
  const named = auditTrail.namedObjects().filter(({ name }) => name === object);
  return [object, ...named.map(({ id }) => id), ...(client?.serviceAccountId ? [client.serviceAccountId] : [])];
}
