/** Audit events as the control plane returns them. */
import * as z from 'zod';
import { auditedEntities } from '../../contract/audit.ts';
import { isAllowed } from '../../contract/roles.ts';
import { exampleInt, exampleText, optionalInt, optionalText, singleLine } from '../../contract/schemas/primitives.ts';
import type { ObjectChange } from '../audit/changes.ts';
import type { RecordedEvent } from '../audit/event.ts';
import { readEntityNames } from '../directory/entity-names.ts';
import type { ControlContext } from '../request-context.ts';
import { changeActions } from '../snapshots/dump-diff.ts';
import { maintainRoles } from './define.ts';
import { FieldDifferenceItem } from './field-difference.ts';

const entity = z.enum(auditedEntities).meta({ examples: ['group'] });

const AuditObjectItem = z.strictObject({
  entity,
  id: exampleText('ops', 'Id, or what a rejected request named it by'),
  name: optionalText('ops'),
});

const AuditChange = AuditObjectItem.extend({
  action: z.enum(changeActions),
  fields: z.array(FieldDifferenceItem),
});

const AuditParty = z.strictObject({
  kind: z.enum(['anonymous', 'client', 'user', 'logon', 'various']),
  name: optionalText('alice', 'Name of the user, or else the service account or application of the client'),
  clientId: optionalText('billing-service'),
  userId: optionalText('alice'),
  logon: optionalText('ALICE01'),
  sessionId: optionalText('64b0c0ffee00000000000001'),
  authMethod: optionalText('basic'),
});

export const AuditItem = z.strictObject({
  sequence: exampleInt(42, 'Increases with each event of the server or sandbox'),
  server: optionalText(
    'iam-1',
    'Name of the server, if several share the store: each has the events of its own requests',
  ),
  time: exampleText('2026-03-01T12:00:00.000Z', 'By the clock of the server or sandbox'),
  event: z.enum(['authentication', 'administration']).meta({ examples: ['administration'] }),
  operation: optionalText('groups.add-role', 'Absent if the request was rejected before routing'),
  result: z.enum(['granted', 'refused', 'failed']).meta({ examples: ['granted'] }),
  status: optionalInt(200),
  error: optionalText('ROLE_MISSING', 'Error code'),
  reason: optionalText('The caller lacks ADMIN.'),
  actor: AuditParty.describe('Who sent the request'),
  byConsole: z.literal(true).optional().describe('The web console sent the request'),
  subject: AuditParty.optional().describe('Whom the request concerns, if not the actor: who logged in'),
  objects: z.array(AuditObjectItem).describe('What it changed or is about; for a membership the group and the member'),
  changes: z
    .array(AuditChange)
    .optional()
    .describe(
      'What the committed transactions changed. Sensitive fields are only named; so are all fields for a caller that may not read values',
    ),
  changed: z
    .literal(true)
    .optional()
    .describe('Something was changed; without changes, what is no object, such as the clock or a session'),
  truncated: z.literal(true).optional().describe('Changes or values are left out, as they are too many or too long'),
  repeated: optionalInt(
    17,
    'Number of further rejections like the one at since: the audit log counts equal ones within a minute',
  ),
  since: optionalText('2026-03-01T11:59:30.000Z'),
  rule: optionalText('ADMIN', 'The role expression that was evaluated'),
  remoteAddress: exampleText('127.0.0.1'),
  requestId: exampleText('4f1c2b7a-93de-4c55-8a0e-2f6f5f0e9b11', 'X-Request-Id of the response'),
  callerRequestId: optionalText('checkout-4711', 'X-Request-Id of the request'),
  traceId: optionalText('4bf92f3577b34da6a3ce929d0e0e4736'),
});

const Instant = z.iso.datetime({ error: 'must be a time in UTC, such as 2026-03-01T12:00:00Z' });

export const AuditFilters = {
  caller: singleLine(100, 'Only events of this user or client, by id or name')
    .optional()
    .meta({ examples: ['billing-service'] }),
  entity: entity.optional().meta({ description: 'Only events about objects of this kind', examples: ['group'] }),
  object: singleLine(200, 'Only events about this object, by id or name')
    .optional()
    .meta({ examples: ['ops'] }),
  operation: singleLine(100, 'Only events of this operation of the interface or the control plane')
    .optional()
    .meta({ examples: ['groups.add-role'] }),
  event: z.enum(['authentication', 'administration']).optional().meta({ description: 'Only events of this kind' }),
  result: z.enum(['granted', 'refused', 'failed']).optional().meta({ description: 'Only events with this result' }),
  changed: z
    .boolean()
    .optional()
    .meta({
      description:
        'Only events that changed something: no rejections, and no writes without effect; false for the others',
      examples: [true],
    }),
  since: Instant.optional().meta({ description: 'Only events from this time on', examples: ['2026-03-01T12:00:00Z'] }),
  until: Instant.optional().meta({ description: 'Only events until this time', examples: ['2026-03-01T13:00:00Z'] }),
};

/** Whether the caller may read the values before and after a change. Without remote access, callers are not authenticated. */
export function mayReadValues({ settings, caller }: Pick<ControlContext, 'settings' | 'caller'>): boolean {
  return !settings.allowRemote || isAllowed(maintainRoles, caller);
}

/** Adds the names of objects, and removes values that the caller may not read. */
export async function toAuditItems(
  { store, auditTrail }: Pick<ControlContext, 'store' | 'auditTrail'>,
  events: readonly RecordedEvent[],
  showsValues: boolean,
): Promise<z.input<typeof AuditItem>[]> {
  const nameless = events.flatMap(({ objects = [] }) => objects.filter(({ name }) => name === undefined));
  const ids = nameless.map(({ id }) => id);
  const found = await readEntityNames(store, ids, ['user', 'group', 'business', 'client']);
  const services = nameless.filter(({ entity: kind }) => kind === 'client').map(({ id }) => id);
  const clients = services.length === 0 ? [] : await store.clients.findMany('serviceAccountId', services);
  const known = new Map<string, { readonly id: string; readonly name?: string | undefined }>([
    ...(nameless.length === 0 ? [] : auditTrail.namedObjects()).map(
      (object) => [`${object.entity} ${object.id}`, object] as const,
    ),
    ...found.map(({ kind, id, name }) => [`${kind} ${id}`, { id, name }] as const),
    ...clients.map(({ clientId, serviceAccountId = '' }) => {
      return [`client ${serviceAccountId}`, { id: clientId, name: serviceAccountId }] as const;
    }),
  ]);
  return events.map(({ objects = [], changesText, code, targets: _, sandbox: __, ...event }) => ({
    ...event,
    ...(code === undefined ? {} : { error: code }),
    objects: objects.map((object) => ({
      ...object,
      ...(object.name ? {} : known.get(`${object.entity} ${object.id}`)),
    })),
    ...(changesText === undefined ? {} : { changes: readChanges(changesText, showsValues) }),
  })) as z.input<typeof AuditItem>[];
}

function readChanges(text: string, showsValues: boolean) {
  const changes = JSON.parse(text) as readonly ObjectChange[];
  if (showsValues) return changes;
  return changes.map(({ fields, ...change }) => ({ ...change, fields: fields.map(({ field }) => ({ field })) }));
}
