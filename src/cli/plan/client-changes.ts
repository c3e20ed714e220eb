/** What changes of clients and API keys, and what of it can't be done through the interface. Pure. */
import { type ApiKeyChange, type ClientChange, type FieldChange, listChange, valueChange } from './changes.ts';
import type { DesiredApiKey, DesiredClient } from './desired.ts';
import type { Index } from './matching.ts';
import type { ApiKeyState, ClientState } from './state.ts';

/** Something that the documents ask for and that can't be. */
export interface Refusal {
  readonly path: string;
  readonly message: string;
}

export interface Outcome<Change> {
  readonly changes: readonly Change[];
  readonly refusals: readonly Refusal[];
}

const refused = (path: string, message: string) => ({ changes: [], refusals: [{ path, message }] });
const nothing = { changes: [], refusals: [] };

/** The change of one client. */
export function clientChange(desired: DesiredClient, index: Index): Outcome<ClientChange> {
  const { path, clientId, serviceAccountId } = desired;
  const before = index.client(desired);
  const other = clientId !== undefined && before !== undefined && before.clientId !== clientId;
  if (other)
    return refused(
      path,
      `the service account ${serviceAccountId} belongs to the client ${before.clientId}, not ${clientId}`,
    );
  return before ? movedClient(desired, before) : newClient(desired);
}

function newClient({ path, clientId, serviceAccountId, fields }: DesiredClient): Outcome<ClientChange> {
  if (serviceAccountId === undefined)
    return refused(
      path,
      `there is no client ${clientId}, and its id can't be chosen: give a serviceAccountId to make one`,
    );
  if (clientId !== undefined)
    return refused(
      `${path}/clientId`,
      `there is no client of the service account ${serviceAccountId}, and the id of a new one can't be chosen`,
    );
  if (fields.appId === undefined) return refused(path, `the client of ${serviceAccountId} is new and needs an appId`);
  const owner = ['userId', 'businessId'].find((field) => fields[field] !== undefined);
  if (owner !== undefined)
    return refused(
      `${path}/${owner}`,
      `a client with a serviceAccountId has no ${owner}: it can be owned by one of them only`,
    );
  const body = { serviceAccountId, ...fields };
  const change = { action: 'create', kind: 'client', name: serviceAccountId, body } as const;
  return {
    changes: [
      { ...change, fields: Object.entries(fields).flatMap(([name, value]) => fieldChange(name, undefined, value)) },
    ],
    refusals: [],
  };
}

/** Of a client that is there only its place in an organization can be changed. */
function movedClient({ path, serviceAccountId, fields }: DesiredClient, before: ClientState): Outcome<ClientChange> {
  const changed = Object.entries(fields).flatMap(([name, value]) => fieldChange(name, before[name], value));
  const fixed = changed.filter(({ field }) => field !== 'organizationId' && field !== 'businessUnitId');
  if (fixed.length > 0)
    return {
      changes: [],
      refusals: fixed.map(({ field }) => ({
        path: `${path}/${field}`,
        message: `${field} of the client ${before.clientId} is ${shown(before[field])}; the interface can't change it`,
      })),
    };
  if (changed.length === 0) return nothing;
  const organizationId = fields.organizationId ?? before.organizationId;
  const businessUnitId = fields.businessUnitId ?? before.businessUnitId;
  if (organizationId === undefined || businessUnitId === undefined)
    return refused(path, `to move the client ${before.clientId} both organizationId and businessUnitId are needed`);
  const body = { clientIds: [before.clientId], target: { organizationId, businessUnitId } };
  const name = serviceAccountId ?? before.clientId;
  const change = { action: 'update', kind: 'client', name, id: before.clientId } as const;
  return { changes: [{ ...change, fields: changed, before, body }], refusals: [] };
}

function shown(value: unknown): string {
  return value === undefined ? 'not set' : Array.isArray(value) ? value.join(', ') || 'empty' : String(value);
}

function fieldChange(field: string, before: unknown, after: unknown): FieldChange[] {
  if (!Array.isArray(after)) return valueChange(field, before, after);
  return listChange(field, (before as string[] | undefined) ?? [], after as string[]);
}

/** The change of one API key: an existing one is never made again. */
export function apiKeyChange(desired: DesiredApiKey, index: Index): Outcome<ApiKeyChange> {
  const { path, apiKeyId, appId, serviceAccountId } = desired;
  const client = index.client(desired);
  const isNew = !client && serviceAccountId !== undefined && index.isNewService(serviceAccountId);
  if (!client && !isNew)
    return refused(
      path,
      `there is no client ${serviceAccountId === undefined ? desired.clientId : `of the service account ${serviceAccountId}`}`,
    );
  const before = index.apiKey(desired);
  if (apiKeyId !== undefined && !before)
    return refused(`${path}/apiKeyId`, `there is no API key ${apiKeyId}, and its id can't be chosen`);
  const owner = { ...(client ? { clientId: client.clientId } : { serviceAccountId }), appId };
  const name = `${serviceAccountId ?? desired.clientId} ${appId}`;
  if (!before) return { changes: [{ action: 'create', kind: 'apiKey', name, fields: [], ...owner }], refusals: [] };
  const fields = [
    ...valueChange('appId', before.appId, appId),
    ...valueChange('clientId', before.clientId, client?.clientId ?? `(new) ${serviceAccountId}`),
  ];
  if (fields.length === 0) return nothing;
  return {
    changes: [{ action: 'update', kind: 'apiKey', name, id: before.apiKeyId, fields, before, ...owner }],
    refusals: [],
  };
}

/** A client that goes, with its keys and memberships. */
export function clientRemoval(before: ClientState): ClientChange {
  const { clientId, serviceAccountId } = before;
  return {
    action: 'delete',
    kind: 'client',
    name: serviceAccountId ?? clientId,
    id: clientId,
    fields: [],
    before,
    body: {},
  };
}

/** An API key that goes. */
export function apiKeyRemoval(before: ApiKeyState): ApiKeyChange {
  const { apiKeyId, clientId, appId } = before;
  return {
    action: 'delete',
    kind: 'apiKey',
    name: `${clientId} ${appId}`,
    id: apiKeyId,
    fields: [],
    before,
    clientId,
    appId,
  };
}
