/** Clients: their service accounts identify them, because ids differ between servers. A new secret is stored before the next step. */
import type { JsonSchema } from '../../../contract/manifest-types.ts';
import type { RequestContext } from '../../context.ts';
import { callOperation, createResource, tryOperation } from '../../request/call-operation.ts';
import { callControlPlane } from '../../request/control-plane.ts';
import { type Execution, recordCreation } from '../execution.ts';
import {
  acceptChanges,
  type ClientChange,
  type DiffResult,
  diffList,
  diffValue,
  type FieldChange,
  isRemoval,
  joinResults,
  rejectEntry,
  type Step,
  selectChanges,
} from '../model/changes.ts';
import { type DesiredClient, type DocumentEntry, toStoredName } from '../model/desired-entries.ts';
import type { Portable } from '../model/portable.ts';
import type { RemoteClient } from '../model/remote-state.ts';
import type { ResourceIndex } from '../model/resource-index.ts';
import { readControlList } from '../read-list.ts';
import type { Resource } from '../resource.ts';
import { valueSchemas } from '../value-schemas.ts';
import { described, id, list, object } from './document-schema.ts';

/** What the operation that creates clients sets. */
const createdVisibility = 'CREDENTIALS_ONLY';
const creationDefaults = {
  party: '1STPARTY',
  authorities: [],
  scope: [],
  grantTypes: ['client_credentials'],
  factorVisibility: createdVisibility,
  redirectURIs: [],
  audiences: [],
  postLogoutRedirectURIs: [],
  ...{ organizationId: undefined, businessUnitId: undefined },
  ...{ browserLogin: undefined, requirePkce: undefined, idTokenAlg: undefined },
  ...{ requirePushedAuthorizationRequests: undefined },
  ...{ userId: undefined, businessId: undefined, ownerClientId: undefined },
};

type ClientStep = Extract<Step, { kind: 'client' }>;

/** A client is identified by its service account, or by its id if it exists. */
export const clientResource: Resource<DesiredClient, RemoteClient, ClientChange, ClientStep> = {
  kind: 'client',
  label: 'client',
  list: 'clients',
  needsControlPlane: true,
  recordKinds: ['client'],
  requires: [],
  schema: createSchema(),
  nameField: 'serviceAccountId',
  sortFields: ['serviceAccountId', 'clientId'],
  parse: parseClient,
  toStored: storeClientNames,
  newNames: ({ fields }) => ({ appId: fields.appId }),
  uniqueNames: ({ clientId, serviceAccountId }) => [
    ...(clientId === undefined ? [] : [`client ${clientId}`]),
    ...(serviceAccountId === undefined ? [] : [`client of the service account ${serviceAccountId}`]),
  ],
  validate: (documents) =>
    documents.flatMap(({ path, clientId, serviceAccountId }) =>
      clientId === undefined && serviceAccountId === undefined
        ? [{ path, message: 'a client needs a serviceAccountId or a clientId' }]
        : [],
    ),
  read: async (context) => ({ clients: (await readControlList(context, '/_iam/clients')) as RemoteClient[] }),
  listRemote: ({ clients = [] }) => clients,
  idOf: ({ clientId }) => clientId,
  find: (document, index) => index.client(document),
  diff: (documents, { index }) =>
    joinResults(documents.map((document) => diffClient(document, index.client(document)))),
  // A client refers to no resource that the plan must look up or could delete.
  listReferences: () => ({}),
  check: () => [],
  remove: buildClientRemoval,
  creationDefaults,
  creationKey: ({ serviceAccountId }) => String(serviceAccountId),
  order: (changes) => {
    const steps = selectChanges(changes, 'client').map((change): ClientStep => ({ kind: 'client', change }));
    return {
      write: [steps.filter(({ change }) => !isRemoval(change))],
      remove: [steps.filter(({ change }) => isRemoval(change))],
    };
  },
  write: writeClient,
  describeSecretOwner: ({ clientId, serviceAccountId }) => `client ${clientId} of ${serviceAccountId}`,
  export: ({ clients = [] }, portable) => clients.flatMap((client) => buildClientEntry(client, portable)),
};

/** Whether an apply creates the same client on another server. */
export function isPortable({ serviceAccountId, party, userId, businessId, ownerClientId }: RemoteClient): boolean {
  const isOwned = [userId, businessId, ownerClientId].some((owner) => owner !== undefined);
  return serviceAccountId !== undefined && party !== '3RDPARTY' && !isOwned;
}

function buildClientEntry(client: RemoteClient, portable: Portable): DocumentEntry[] {
  const {
    clientId,
    serviceAccountId = clientId,
    appId,
    scope,
    grantTypes,
    authorities = [],
    factorVisibility,
  } = client;
  if (!isPortable(client)) {
    const why = 'only clients with a service account and no owner are the same on another server';
    portable.note('left out: clients', `${clientId} (${appId})`, why);
    return [];
  }
  const unset = [
    ...(authorities.length > 0 ? [`authorities ${authorities.join(' ')}`] : []),
    ...(factorVisibility === createdVisibility ? [] : [`factorVisibility ${String(factorVisibility)}`]),
  ];
  for (const field of unset)
    portable.note(
      'left out: fields of clients',
      `${field} of ${serviceAccountId}`,
      'set them with `iam clients update`',
    );
  const sorted = (list: unknown) => [...((list as string[] | undefined) ?? [])].sort();
  return [{ ...client, clientId: undefined, scope: sorted(scope), grantTypes: sorted(grantTypes) }];
}

function createSchema(): JsonSchema {
  return object(
    {
      clientId: id('Id of an existing client'),
      serviceAccountId: id('Service account of the client; a client is created if none has this id'),
      appId: described(valueSchemas.client.appId, 'Application that the client belongs to'),
      scope: list(
        described(valueSchemas.client.scope.items, 'A permission'),
        'Permissions of its tokens',
        valueSchemas.client.scope.maxItems,
      ),
      grantTypes: list(
        described(valueSchemas.client.grantTypes.items, 'A grant type'),
        'Allowed OAuth grant types',
        valueSchemas.client.grantTypes.maxItems,
      ),
      redirectURIs: list(
        { ...described(valueSchemas.client.redirectURIs.items, 'A redirect URI'), minLength: 1 },
        'Redirect URIs of logins',
        valueSchemas.client.redirectURIs.maxItems,
      ),
      audiences: list(
        { ...described(valueSchemas.client.audiences.items, 'An audience'), minLength: 1 },
        'Audiences of its tokens, besides the issuer',
        valueSchemas.client.audiences.maxItems,
      ),
      browserLogin: described(
        valueSchemas.client.browserLogin,
        'Whether users can log in with a browser (default: if first-party)',
      ),
      postLogoutRedirectURIs: list(
        { ...described(valueSchemas.client.postLogoutRedirectURIs.items, 'A redirect URI'), minLength: 1 },
        'Redirect URIs after a logout',
        valueSchemas.client.postLogoutRedirectURIs.maxItems,
      ),
      requirePkce: described(valueSchemas.client.requirePkce, 'Whether browser logins must use PKCE (default: yes)'),
      requirePushedAuthorizationRequests: described(
        valueSchemas.client.requirePushedAuthorizationRequests,
        'Whether browser logins must push their request (default: no)',
      ),
      idTokenAlg: described(valueSchemas.client.idTokenAlg, 'Algorithm that signs its ID tokens (default: RS256)'),
      organizationId: described(valueSchemas.client.organizationId, 'Organization the client belongs to'),
      businessUnitId: described(valueSchemas.client.businessUnitId, 'Business unit the client belongs to'),
      userId: id('User that owns the client'),
      businessId: id('Business that owns the client'),
    },
    [],
    'A client, identified by serviceAccountId or clientId.',
  );
}

function parseClient({ clientId, serviceAccountId, ...fields }: DocumentEntry, path: string): DesiredClient {
  const named = { clientId, serviceAccountId };
  const listed = Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
  return { path, ...listed, fields };
}

function storeClientNames(document: DesiredClient, index: ResourceIndex): DesiredClient {
  const { appId } = document.fields;
  if (typeof appId !== 'string') return document;
  const stored = toStoredName(appId, (name) => index.client(document)?.appId === name);
  return { ...document, fields: { ...document.fields, appId: stored } };
}

/** Describes a reference to a client that --prune would delete. */
export function describePrunedClient(name: string): string {
  return `the client of ${name} would be pruned, because it is no longer in the clients of the documents`;
}

/** The id of a client, with its service account or application. */
function formatClient({ clientId, serviceAccountId, appId }: RemoteClient): string {
  return `${clientId} (${serviceAccountId ?? appId})`;
}

/** Computes the change of one client. */
function diffClient(desired: DesiredClient, before: RemoteClient | undefined): DiffResult<ClientChange> {
  const { path, clientId, serviceAccountId } = desired;
  const other = clientId !== undefined && before !== undefined && before.clientId !== clientId;
  if (other)
    return rejectEntry(
      path,
      `the service account ${serviceAccountId} belongs to the client ${before.clientId}, not ${clientId}`,
    );
  if (!before) return buildClientCreation(desired);
  // A user who chose the service account of its own client must not get the roles and keys of another one.
  const owner = ['userId', 'businessId'].find((field) => before[field] !== undefined && !(field in desired.fields));
  if (owner !== undefined && clientId === undefined)
    return rejectEntry(
      path,
      `the service account ${serviceAccountId} belongs to the client ${before.clientId} with the ${owner} ${before[owner]}; add its clientId if you mean this client`,
    );
  return diffExistingClient(desired, before);
}

function buildClientCreation({ path, clientId, serviceAccountId, fields }: DesiredClient): DiffResult<ClientChange> {
  if (serviceAccountId === undefined)
    return rejectEntry(
      path,
      `client ${clientId} not found; to create a client, set a serviceAccountId, because ids can't be chosen`,
    );
  if (clientId !== undefined)
    return rejectEntry(
      `${path}/clientId`,
      `client of the service account ${serviceAccountId} not found; remove clientId to create one, because ids can't be chosen`,
    );
  if (fields.appId === undefined)
    return rejectEntry(path, `the client of ${serviceAccountId} is new and needs an appId`);
  const owner = ['userId', 'businessId'].find((field) => fields[field] !== undefined);
  if (owner !== undefined)
    return rejectEntry(
      `${path}/${owner}`,
      `a client with a serviceAccountId has no ${owner}; a client has exactly one owner`,
    );
  const body = { serviceAccountId, ...fields };
  const created = Object.entries(fields).flatMap(([name, value]) => diffField(name, undefined, value));
  return acceptChanges([{ action: 'create', kind: 'client', name: serviceAccountId, fields: created, body }]);
}

/** Of an existing client, only the organization with the business unit and what the control plane patches can change. */
function diffExistingClient({ path, fields }: DesiredClient, before: RemoteClient): DiffResult<ClientChange> {
  const changed = Object.entries(fields).flatMap(([name, value]) => diffField(name, before[name], value));
  const immutable = changed.filter(({ field }) => !mutableFields.has(field));
  if (immutable.length > 0)
    return {
      changes: [],
      issues: immutable.map(({ field }) => ({
        path: `${path}/${field}`,
        message: `${field} of the client ${formatClient(before)} is ${formatValue(before[field])}; the API can't change it${controlFields.has(field) ? `, but \`iam clients update\` can` : ''}`,
      })),
    };
  if (changed.length === 0) return acceptChanges([]);
  const updated = changed.filter(({ field }) => patchedFields.has(field)).map(({ field }) => field);
  const isMoved = changed.length > updated.length;
  const organizationId = fields.organizationId ?? before.organizationId;
  const businessUnitId = fields.businessUnitId ?? before.businessUnitId;
  if (isMoved && (organizationId === undefined || businessUnitId === undefined))
    return rejectEntry(
      path,
      `moving the client ${formatClient(before)} requires both organizationId and businessUnitId`,
    );
  const body = {
    ...(isMoved ? { target: { organizationId, businessUnitId } } : {}),
    ...Object.fromEntries(updated.map((name) => [name, fields[name]])),
  };
  const name = before.serviceAccountId ?? before.clientId;
  return acceptChanges([
    { action: 'update', kind: 'client', name, id: before.clientId, fields: changed, before, body },
  ]);
}

/** The fields that only a route of the control plane changes. */
const controlFields: ReadonlySet<string> = new Set(['appId', 'scope', 'grantTypes', 'authorities', 'factorVisibility']);

/** The fields that an apply changes by the route of the control plane. */
const patchedFields: ReadonlySet<string> = new Set([
  ...['redirectURIs', 'audiences', 'browserLogin', 'postLogoutRedirectURIs', 'requirePkce', 'idTokenAlg'],
  'requirePushedAuthorizationRequests',
]);

const mutableFields: ReadonlySet<string> = new Set(['organizationId', 'businessUnitId', ...patchedFields]);

function formatValue(value: unknown): string {
  return value === undefined ? 'not set' : Array.isArray(value) ? value.join(', ') || 'empty' : String(value);
}

function diffField(field: string, before: unknown, after: unknown): FieldChange[] {
  if (!Array.isArray(after)) return diffValue(field, before, after);
  return diffList(field, (before as string[] | undefined) ?? [], after as string[]);
}

/** Builds the deletion of a client, including its keys and memberships. */
function buildClientRemoval(before: RemoteClient): ClientChange {
  const { clientId: id, serviceAccountId: name = id } = before;
  return { action: 'delete', kind: 'client', name, id, fields: [], before, body: {} };
}

async function writeClient(execution: Execution, { change }: ClientStep): Promise<void> {
  const { context, clientIds, record } = execution;
  const { action, name, id = '', body } = change;
  if (action === 'update') return updateClient(context, id, body);
  if (action === 'delete') {
    await tryOperation(context, 'client-identities.remove', { params: { serviceAccountId: id } }, 'CLIENT_NOT_FOUND');
    return record({ what: 'gone', kind: 'client', id, name });
  }
  const entries = Object.entries(body);
  const fields = Object.fromEntries(entries.filter(([field]) => !patchedFields.has(field)));
  const { redirectURIs: [redirectURI, ...others] = [] } = body as { readonly redirectURIs?: readonly string[] };
  const isWithUri = redirectURI !== undefined;
  const created = await recordCreation(execution, {
    resources: [
      {
        ...{ kind: 'client', key: clientResource.creationKey(body), name },
        sent: { ...fields, ...(isWithUri ? { redirectURIs: [redirectURI] } : {}) },
      },
    ],
    send: () =>
      createResource(context, 'client-identities.create', { ...fields, ...(isWithUri ? { redirectURI } : {}) }),
    idsOf: ({ clientId }) => [String(clientId)],
    storeSecret: ({ clientId, clientSecret }) =>
      execution.storeSecret({
        kind: 'client',
        serviceAccountId: name,
        clientId: String(clientId),
        clientSecret: String(clientSecret),
      }),
  });
  clientIds.set(name, String(created.clientId));
  // The operation that creates clients sets the first redirect URI, and none of the other fields.
  const isMissing = ([field, value]: [string, unknown]) =>
    patchedFields.has(field) && (field === 'redirectURIs' ? others.length > 0 : !isEmptyList(value));
  await updateClient(context, String(created.clientId), Object.fromEntries(entries.filter(isMissing)));
}

const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0;

/** @param update `target`, where the client moves, and the patched fields; what is missing stays */
async function updateClient(context: RequestContext, clientId: string, update: ClientChange['body']): Promise<void> {
  const { target, ...fields } = update;
  if (target !== undefined)
    await callOperation(context, 'client-identities.migrate', { body: { clientIds: [clientId], target } });
  if (Object.keys(fields).length > 0)
    await callControlPlane(context, 'PATCH', `/_iam/clients/${encodeURIComponent(clientId)}`, { body: fields });
}
