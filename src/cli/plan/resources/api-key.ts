/** API keys: an existing key is never created again. A new key is stored before the next step. */
import type { JsonSchema } from '../../../contract/manifest-types.ts';
import { callOperation, createResource, tryOperation } from '../../request/call-operation.ts';
import { type Execution, recordCreation } from '../execution.ts';
import {
  type ApiKeyChange,
  acceptChanges,
  type DiffResult,
  diffValue,
  isRemoval,
  joinResults,
  type PlanIssue,
  rejectEntry,
  type Step,
  selectChanges,
} from '../model/changes.ts';
import { type DesiredApiKey, type DocumentEntry, toStoredName } from '../model/desired-entries.ts';
import type { Portable } from '../model/portable.ts';
import type { RemoteApiKey, RemoteState } from '../model/remote-state.ts';
import type { ResourceIndex } from '../model/resource-index.ts';
import { readApiList } from '../read-list.ts';
import type { CheckContext, Resource } from '../resource.ts';
import { valueSchemas } from '../value-schemas.ts';
import { describePrunedClient, isPortable } from './client.ts';
import { described, id, object } from './document-schema.ts';

type ApiKeyStep = Extract<Step, { kind: 'apiKey' }>;

/** An API key is identified by its id, or by its client and application. */
export const apiKeyResource: Resource<DesiredApiKey, RemoteApiKey, ApiKeyChange, ApiKeyStep> = {
  kind: 'apiKey',
  label: 'API key',
  list: 'apiKeys',
  needsControlPlane: false,
  recordKinds: ['apiKey'],
  // An API key refers to the service account of its client.
  requires: ['clients'],
  schema: createSchema(),
  sortFields: ['serviceAccountId', 'clientId', 'appId', 'apiKeyId'],
  parse: (entry, path) => ({ ...entry, path }) as unknown as DesiredApiKey,
  toStored: (document, index) => ({
    ...document,
    appId: toStoredName(document.appId, (name) => index.apiKey(document)?.appId === name),
  }),
  newNames: ({ appId, clientId, serviceAccountId }, index) => {
    const owner = index.client({
      ...(clientId === undefined ? {} : { clientId }),
      ...(serviceAccountId === undefined ? {} : { serviceAccountId }),
    });
    return owner?.appId === appId ? {} : { appId };
  },
  uniqueNames: ({ apiKeyId, clientId, serviceAccountId, appId }) => [
    apiKeyId === undefined ? `API key of ${clientId ?? serviceAccountId} for ${appId}` : `API key ${apiKeyId}`,
  ],
  validate: (documents) =>
    documents.flatMap(({ path, clientId, serviceAccountId }) =>
      (clientId === undefined) === (serviceAccountId === undefined)
        ? [{ path, message: 'an API key needs a clientId or a serviceAccountId' }]
        : [],
    ),
  read: async (context) => ({ apiKeys: (await readApiList(context, 'api-key.list')) as RemoteApiKey[] }),
  listRemote: ({ apiKeys = [] }) => apiKeys,
  idOf: ({ apiKeyId }) => apiKeyId,
  find: (document, index) => index.apiKey(document),
  diff: (documents, { index }) => joinResults(documents.map((document) => diffApiKey(document, index))),
  listReferences: () => ({}),
  check: checkClients,
  remove: buildApiKeyRemoval,
  creationDefaults: {},
  creationKey: ({ clientId, appId }) => `${clientId} ${appId}`,
  order: (changes) => {
    const steps = selectChanges(changes, 'apiKey').map((change): ApiKeyStep => ({ kind: 'apiKey', change }));
    return {
      // Before their clients get roles, because creating a key requires all roles of its client.
      write: [steps.filter(({ change }) => !isRemoval(change))],
      revoke: [steps.filter(({ change }) => isRemoval(change))],
    };
  },
  write: writeApiKey,
  describeSecretOwner: ({ apiKeyId, name }) => `API key ${apiKeyId} (${name})`,
  export: buildApiKeyEntries,
};

function createSchema(): JsonSchema {
  return object(
    {
      apiKeyId: id('Id of an existing key'),
      appId: described(valueSchemas.client.appId, 'Application that uses the key'),
      clientId: id('Client that the key authenticates'),
      serviceAccountId: id('Service account of that client'),
    },
    ['appId'],
    'An API key, identified by apiKeyId, or by client and application.',
  );
}

/** Computes the change of one API key; an existing key is never created again. */
function diffApiKey(desired: DesiredApiKey, index: ResourceIndex): DiffResult<ApiKeyChange> {
  const { path, apiKeyId, appId, serviceAccountId } = desired;
  const client = index.client(desired);
  const isNew = !client && serviceAccountId !== undefined && index.isServiceCreated(serviceAccountId);
  if (!client && !isNew)
    return rejectEntry(
      path,
      `client ${serviceAccountId === undefined ? desired.clientId : `of the service account ${serviceAccountId}`} not found`,
    );
  const before = index.apiKey(desired);
  if (apiKeyId !== undefined && !before)
    return rejectEntry(
      `${path}/apiKeyId`,
      `API key ${apiKeyId} not found; remove apiKeyId to create one, because ids can't be chosen`,
    );
  const owner = { ...(client ? { clientId: client.clientId } : { serviceAccountId }), appId };
  const name = formatName(client?.serviceAccountId ?? serviceAccountId ?? desired.clientId, appId);
  if (!before) return acceptChanges([{ action: 'create', kind: 'apiKey', name, fields: [], ...owner }]);
  const fields = [
    ...diffValue('appId', before.appId, appId),
    ...diffValue('clientId', before.clientId, client?.clientId ?? `(new) ${serviceAccountId}`),
  ];
  if (fields.length === 0) return acceptChanges([]);
  return acceptChanges([{ action: 'update', kind: 'apiKey', name, id: before.apiKeyId, fields, before, ...owner }]);
}

/** Returns keys of clients that would be deleted. */
function checkClients(documents: readonly DesiredApiKey[], { removedClients, index }: CheckContext): PlanIssue[] {
  if (removedClients.size === 0) return [];
  return documents.flatMap((document) => {
    const { clientId } = index.client(document) ?? {};
    return clientId !== undefined && removedClients.has(clientId)
      ? [{ path: document.path, message: describePrunedClient(document.serviceAccountId ?? clientId) }]
      : [];
  });
}

/** Builds the deletion of an API key. The clients have not been read if the set has none. */
function buildApiKeyRemoval(before: RemoteApiKey, { clients }: RemoteState, recordedName: string): ApiKeyChange {
  const { apiKeyId: id, clientId, appId } = before;
  const client = clients?.find((one) => one.clientId === clientId);
  const name = client ? formatName(client.serviceAccountId ?? clientId, appId) : recordedName;
  return { action: 'delete', kind: 'apiKey', name, id, fields: [], before, clientId, appId };
}

/** `billing reports`: the service account of the client, or its id, and the application. */
function formatName(client: string | undefined, appId: string): string {
  return `${client} ${appId}`;
}

async function writeApiKey(execution: Execution, { change }: ApiKeyStep): Promise<void> {
  const { context, record } = execution;
  const { action, name, id = '', appId } = change;
  if (action === 'delete') {
    await tryOperation(context, 'api-key.remove', { params: { apiKeyId: id } }, 'API_KEY_NOT_FOUND');
    return record({ what: 'gone', kind: 'apiKey', id, name });
  }
  const clientId = resolveClientId(execution, change);
  const body = { appId, clientId };
  if (action === 'update')
    return void (await callOperation(context, 'api-key.update', { params: { apiKeyId: id }, body }));
  await recordCreation(execution, {
    resources: [{ kind: 'apiKey', key: apiKeyResource.creationKey(body), name, sent: body }],
    send: () => createResource(context, 'api-key.create', body),
    idsOf: ({ apiKeyId }) => [String(apiKeyId)],
    storeSecret: ({ apiKeyId, apiKey }) =>
      execution.storeSecret({
        kind: 'apiKey',
        apiKeyId: String(apiKeyId),
        name,
        appId,
        clientId,
        apiKey: String(apiKey),
      }),
  });
}

/** Resolves the client of a key, including clients created by earlier steps. */
function resolveClientId(
  { clientIds }: Execution,
  { clientId, serviceAccountId = '' }: { clientId?: string | undefined; serviceAccountId?: string | undefined },
): string {
  return clientId ?? clientIds.get(serviceAccountId) ?? serviceAccountId;
}

/** One entry for each client and application: ids and further keys cannot be created on another server. */
function buildApiKeyEntries({ apiKeys = [], clients = [] }: RemoteState, portable: Portable): DocumentEntry[] {
  const services = new Map(clients.filter(isPortable).map((client) => [client.clientId, client.serviceAccountId]));
  const known = new Set<string>();
  return apiKeys.flatMap(({ apiKeyId, clientId, appId }) => {
    const serviceAccountId = services.get(clientId);
    const use = `${clientId} ${appId}`;
    if (serviceAccountId === undefined)
      portable.note('left out: API keys', apiKeyId, 'their clients are not in the document');
    else if (known.has(use))
      portable.note('left out: API keys', apiKeyId, 'a document has one key of a client for an application');
    else {
      known.add(use);
      return [{ serviceAccountId, appId }];
    }
    return [];
  });
}
