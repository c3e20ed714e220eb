/** Clients and API keys: their changes, those that the API does not support, and their writes. A new secret is stored before the next step. */

import { type ApiKeyChange, type ClientChange, diffList, diffValue, type FieldChange } from '../changes.ts';
import type { DesiredApiKey, DesiredClient } from '../desired-state.ts';
import { type Execution, type StepWriter, unwrapResult } from '../execution.ts';
import type { RemoteApiKey, RemoteClient } from '../remote-state.ts';
import type { ResourceIndex } from '../resource-index.ts';

/** A desired change that cannot be applied. */
export interface PlanIssue {
  readonly path: string;
  readonly message: string;
}

export interface DiffResult<Change> {
  readonly changes: readonly Change[];
  readonly issues: readonly PlanIssue[];
}

const rejectWith = (path: string, message: string) => ({ changes: [], issues: [{ path, message }] });
const noChanges = { changes: [], issues: [] };

/** Computes the change of one client. */
export function diffClient(desired: DesiredClient, index: ResourceIndex): DiffResult<ClientChange> {
  const { path, clientId, serviceAccountId } = desired;
  const before = index.client(desired);
  const other = clientId !== undefined && before !== undefined && before.clientId !== clientId;
  if (other)
    return rejectWith(
      path,
      `the service account ${serviceAccountId} belongs to the client ${before.clientId}, not ${clientId}`,
    );
  return before ? diffExistingClient(desired, before) : buildClientCreation(desired);
}

function buildClientCreation({ path, clientId, serviceAccountId, fields }: DesiredClient): DiffResult<ClientChange> {
  if (serviceAccountId === undefined)
    return rejectWith(
      path,
      `client ${clientId} not found; to create a client, set a serviceAccountId, because ids can't be chosen`,
    );
  if (clientId !== undefined)
    return rejectWith(
      `${path}/clientId`,
      `client of the service account ${serviceAccountId} not found; remove clientId to create one, because ids can't be chosen`,
    );
  if (fields.appId === undefined)
    return rejectWith(path, `the client of ${serviceAccountId} is new and needs an appId`);
  const owner = ['userId', 'businessId'].find((field) => fields[field] !== undefined);
  if (owner !== undefined)
    return rejectWith(
      `${path}/${owner}`,
      `a client with a serviceAccountId has no ${owner}; a client has exactly one owner`,
    );
  const body = { serviceAccountId, ...fields };
  const change = { action: 'create', kind: 'client', name: serviceAccountId, body } as const;
  return {
    changes: [
      { ...change, fields: Object.entries(fields).flatMap(([name, value]) => diffField(name, undefined, value)) },
    ],
    issues: [],
  };
}

/** An existing client can only be moved to another organization or business unit. */
function diffExistingClient(
  { path, serviceAccountId, fields }: DesiredClient,
  before: RemoteClient,
): DiffResult<ClientChange> {
  const changed = Object.entries(fields).flatMap(([name, value]) => diffField(name, before[name], value));
  const immutable = changed.filter(({ field }) => field !== 'organizationId' && field !== 'businessUnitId');
  if (immutable.length > 0)
    return {
      changes: [],
      issues: immutable.map(({ field }) => ({
        path: `${path}/${field}`,
        message: `${field} of the client ${before.clientId} is ${formatValue(before[field])}; the API can't change it`,
      })),
    };
  if (changed.length === 0) return noChanges;
  const organizationId = fields.organizationId ?? before.organizationId;
  const businessUnitId = fields.businessUnitId ?? before.businessUnitId;
  if (organizationId === undefined || businessUnitId === undefined)
    return rejectWith(path, `moving the client ${before.clientId} requires both organizationId and businessUnitId`);
  const body = { clientIds: [before.clientId], target: { organizationId, businessUnitId } };
  const name = serviceAccountId ?? before.clientId;
  const change = { action: 'update', kind: 'client', name, id: before.clientId } as const;
  return { changes: [{ ...change, fields: changed, before, body }], issues: [] };
}

function formatValue(value: unknown): string {
  return value === undefined ? 'not set' : Array.isArray(value) ? value.join(', ') || 'empty' : String(value);
}

function diffField(field: string, before: unknown, after: unknown): FieldChange[] {
  if (!Array.isArray(after)) return diffValue(field, before, after);
  return diffList(field, (before as string[] | undefined) ?? [], after as string[]);
}

/** Computes the change of one API key; an existing key is never created again. */
export function diffApiKey(desired: DesiredApiKey, index: ResourceIndex): DiffResult<ApiKeyChange> {
  const { path, apiKeyId, appId, serviceAccountId } = desired;
  const client = index.client(desired);
  const isNew = !client && serviceAccountId !== undefined && index.isServiceCreated(serviceAccountId);
  if (!client && !isNew)
    return rejectWith(
      path,
      `client ${serviceAccountId === undefined ? desired.clientId : `of the service account ${serviceAccountId}`} not found`,
    );
  const before = index.apiKey(desired);
  if (apiKeyId !== undefined && !before)
    return rejectWith(
      `${path}/apiKeyId`,
      `API key ${apiKeyId} not found; remove apiKeyId to create one, because ids can't be chosen`,
    );
  const owner = { ...(client ? { clientId: client.clientId } : { serviceAccountId }), appId };
  const name = `${serviceAccountId ?? desired.clientId} ${appId}`;
  if (!before) return { changes: [{ action: 'create', kind: 'apiKey', name, fields: [], ...owner }], issues: [] };
  const fields = [
    ...diffValue('appId', before.appId, appId),
    ...diffValue('clientId', before.clientId, client?.clientId ?? `(new) ${serviceAccountId}`),
  ];
  if (fields.length === 0) return noChanges;
  return {
    changes: [{ action: 'update', kind: 'apiKey', name, id: before.apiKeyId, fields, before, ...owner }],
    issues: [],
  };
}

/** Builds the deletion of a client, including its keys and memberships. */
export function buildClientRemoval(before: RemoteClient): ClientChange {
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

/** Builds the deletion of an API key. */
export function buildApiKeyRemoval(before: RemoteApiKey): ApiKeyChange {
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

const writeClient: StepWriter<'client'> = async (execution, { change }) => {
  const { deps, clientIds, storeSecret, record } = execution;
  const { action, name, id = '', body } = change;
  if (action === 'update') return void unwrapResult(await deps.call('client-identities.migrate', { body }));
  if (action === 'delete') {
    unwrapResult(await deps.call('client-identities.remove', { params: { serviceAccountId: id } }), 'CLIENT_NOT_FOUND');
    return record('gone', { kind: 'client', id, name });
  }
  const created = unwrapResult(await deps.call('client-identities.create', { body }));
  const [clientId, clientSecret] = [String(created?.clientId), String(created?.clientSecret)];
  clientIds.set(name, clientId);
  await storeSecret({ kind: 'client', serviceAccountId: name, clientId, clientSecret });
  await record('made', { kind: 'client', id: clientId, name });
};

const writeApiKey: StepWriter<'apiKey'> = async (execution, { change }) => {
  const { deps, storeSecret, record } = execution;
  const { action, name, id = '', appId } = change;
  if (action === 'delete') {
    unwrapResult(await deps.call('api-key.remove', { params: { apiKeyId: id } }), 'API_KEY_NOT_FOUND');
    return record('gone', { kind: 'apiKey', id, name });
  }
  const clientId = resolveClientId(execution, change);
  if (action === 'update')
    return void unwrapResult(
      await deps.call('api-key.update', { params: { apiKeyId: id }, body: { appId, clientId } }),
    );
  const created = unwrapResult(await deps.call('api-key.create', { body: { appId, clientId } }));
  const [apiKeyId, apiKey] = [String(created?.apiKeyId), String(created?.apiKey)];
  await storeSecret({ kind: 'apiKey', apiKeyId, appId, clientId, apiKey });
  await record('made', { kind: 'apiKey', id: apiKeyId, name });
};

export const clientWriters = { client: writeClient, apiKey: writeApiKey };

/** Resolves the client of a key, including clients created by earlier steps. */
function resolveClientId(
  { clientIds }: Execution,
  { clientId, serviceAccountId = '' }: { clientId?: string | undefined; serviceAccountId?: string | undefined },
): string {
  return clientId ?? clientIds.get(serviceAccountId) ?? serviceAccountId;
}
