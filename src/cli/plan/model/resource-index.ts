/** Maps document entries to resources on the server. Pure. */
import type { DesiredApiKey, DesiredClient, DesiredCustomer, DesiredState } from './desired-entries.ts';
import type {
  RemoteApiKey,
  RemoteBusiness,
  RemoteClient,
  RemoteCorporateGroup,
  RemoteCustomer,
  RemoteGroup,
  RemoteState,
} from './remote-state.ts';

/** Lookup maps, built once, because there can be thousands of entries and resources. */
export interface ResourceIndex {
  group(name: string): RemoteGroup | undefined;
  /** By service account or id; an entry without both by its application and owner. */
  client(
    entry: Pick<DesiredClient, 'clientId' | 'serviceAccountId'> & Partial<Pick<DesiredClient, 'fields'>>,
  ): RemoteClient | undefined;
  /** Whether the documents create the client of this service account. */
  isServiceCreated(serviceAccountId: string): boolean;
  apiKey(entry: DesiredApiKey): RemoteApiKey | undefined;
  corporateGroup(name: string): RemoteCorporateGroup | undefined;
  corporateGroupOfBusiness(businessId: string): RemoteCorporateGroup | undefined;
  customer(entry: DesiredCustomer): RemoteCustomer | undefined;
  /** Returns the owner of a document number, which is unique per user or business. */
  documentOwner(entry: DesiredCustomer): RemoteCustomer | undefined;
  /** Whether the documents create the business with this id, or, if they choose none, with this name. */
  isBusinessCreated(value: string): boolean;
  business(businessId: string): RemoteBusiness | undefined;
}

/** Creates the lookup maps. */
export function createResourceIndex(desired: DesiredState, state: RemoteState): ResourceIndex {
  const indexBy = <Resource>(resources: readonly Resource[] = [], name: (resource: Resource) => unknown) =>
    new Map(resources.map((resource) => [name(resource), resource]));
  const clients = indexBy(state.clients, ({ clientId }) => clientId);
  const services = indexBy(state.clients, ({ serviceAccountId }) => serviceAccountId);
  const clientsByUse = indexBy(
    state.clients?.filter(({ serviceAccountId }) => serviceAccountId === undefined),
    formatClientUse,
  );
  const keys = indexBy(state.apiKeys, ({ apiKeyId }) => apiKeyId);
  const keysByUse = indexBy(state.apiKeys, ({ clientId, appId }) => `${clientId} ${appId}`);
  const corporate = indexBy(state.corporateGroups, ({ corporateGroupName }) => corporateGroupName);
  const corporateGroupByBusiness = new Map(
    (state.corporateGroups ?? []).flatMap((group) =>
      group.businesses.map((businessId) => [businessId, group] as const),
    ),
  );
  const customersOf = (field: 'businessId' | 'userId') =>
    indexBy(
      state.customers?.filter((customer) => customer[field] !== undefined),
      (customer) => customer[field],
    );
  const customers = { business: customersOf('businessId'), user: customersOf('userId') };
  const documents = indexBy(
    state.customers,
    ({ businessId, document }) => `${businessId === undefined ? 'user' : 'business'} ${document}`,
  );
  const documentOwner: ResourceIndex['documentOwner'] = ({ kind, document }) => documents.get(`${kind} ${document}`);
  const createdBusinesses = new Set(
    desired.customers.map(({ businessId, fields }) => businessId ?? fields.businessName),
  );
  const createdServices = new Set(desired.clients.map(({ serviceAccountId }) => serviceAccountId));
  const client: ResourceIndex['client'] = ({ clientId, serviceAccountId, fields }) => {
    if (serviceAccountId !== undefined) return services.get(serviceAccountId);
    return clientId === undefined && fields ? clientsByUse.get(formatClientUse(fields)) : clients.get(clientId);
  };
  return {
    group: (name) => state.groups?.get(name),
    client,
    isServiceCreated: (id) => createdServices.has(id),
    apiKey: (entry) => {
      if (entry.apiKeyId !== undefined) return keys.get(entry.apiKeyId);
      const owner = entry.clientId ?? client(entry)?.clientId;
      return keysByUse.get(`${owner} ${entry.appId}`);
    },
    corporateGroup: (name) => corporate.get(name),
    corporateGroupOfBusiness: (businessId) => corporateGroupByBusiness.get(businessId),
    customer: (entry) => {
      const { kind, businessId, userId } = entry;
      if (kind === 'user') return customers.user.get(userId);
      return businessId === undefined ? documentOwner(entry) : customers.business.get(businessId);
    },
    documentOwner,
    isBusinessCreated: (id) => createdBusinesses.has(id),
    business: (id) => state.businesses.get(id),
  };
}

/** The application and the owner of a client without a service account. */
function formatClientUse({ appId, userId, businessId, ownerClientId }: Readonly<Record<string, unknown>>): string {
  return JSON.stringify([appId, userId, businessId, ownerClientId]);
}
