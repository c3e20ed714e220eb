import { auditExtentHeader, auditServerHeader } from '../../../../contract/audit.ts';
import { PageQuery } from '../../../../contract/schemas/primitives.ts';
import { maxAuditEvents } from '../../../audit/trail.ts';
import type { ControlContext } from '../../../request-context.ts';
import { findUserByLogin } from '../../../users/users.ts';
import { AuditFilters, AuditItem, mayReadValues, toAuditItems } from '../../audit-items.ts';
import { defineRoute } from '../../define.ts';

export default defineRoute({
  capability: 'read',
  id: 'control.audit',
  title: 'List audit events',
  description: `Who changed or tried to change what: logins, changes and rejections of the server or of the sandbox, newest first, with the values before and after. The last ${maxAuditEvents} are in memory; behind them follow those in the files of the audit log, also of earlier runs of the server, where contacts are masked and equal rejections within a minute are counted. A page is short if few of the events that it searches match; the next one goes on. The header ${auditExtentHeader} says what can be listed: all events, those of the files that are not deleted (files), or those of this run in memory (run). New events do not shift pages. A reset does not delete them. Sensitive fields are only named. On a server with remote access, values require the roles of GET /_iam/inbox; other callers get the names of the changed fields. Servers that share a store have the events of their own requests: the header ${auditServerHeader} names the server.`,
  method: 'GET',
  path: '/audit',
  audit: { kind: 'read', targets: {} },
  request: { query: { ...PageQuery, ...AuditFilters } },
  response: { page: AuditItem },
  errors: [],

  async handle({ query: { object, ...filter } }, context) {
    const { auditTrail, range, store } = context;
    const names = object === undefined ? undefined : await listNames(context, object);
    const page = await auditTrail.read({ ...filter, object: names }, range);
    return {
      ...page,
      items: await toAuditItems(context, page.items, mayReadValues(context)),
      headers: {
        [auditExtentHeader]: await auditTrail.findExtent(),
        ...(store.shared === undefined ? {} : { [auditServerHeader]: store.shared.replica }),
      },
    };
  },
});

/**
 * What events call an object with this id or name: those before an earlier start have only its id. A membership has the id of
 * the group, and of the account of a service.
 */
async function listNames({ auditTrail, store }: ControlContext, object: string): Promise<readonly string[]> {
  const client = (await store.clients.get(object)) ?? (await store.clients.getBy('serviceAccountId', object));
  const user = await findUserByLogin(store, object);
  const group = await store.groups.getBy('groupName', object);
  const named = auditTrail.namedObjects().filter(({ name }) => name === object);
  const ids = [user?.userId, group?.groupId, client?.clientId, client?.serviceAccountId];
  return [...new Set([object, ...named.map(({ id }) => id), ...ids.filter((id) => id !== undefined)])];
}
