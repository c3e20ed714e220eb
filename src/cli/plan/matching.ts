/** Which thing of the server an entry of the documents means. Pure. */
import type { Desired, DesiredApiKey, DesiredClient, DesiredCustomer } from './desired.ts';
import type { ApiKeyState, BusinessState, ClientState, CorporateGroupState, CustomerState, State } from './state.ts';

/** Lists by what entries name, made once: entries and things can be thousands. */
export interface Index {
  client(entry: Pick<DesiredClient, 'clientId' | 'serviceAccountId'>): ClientState | undefined;
  /** Whether the documents make the client of this service account. */
  isNewService(serviceAccountId: string): boolean;
  apiKey(entry: DesiredApiKey): ApiKeyState | undefined;
  corporateGroup(name: string): CorporateGroupState | undefined;
  /** The corporate group that a business is in. */
  home(businessId: string): CorporateGroupState | undefined;
  customer(entry: DesiredCustomer): CustomerState | undefined;
  /** Who has the document of an entry: it is there once among users, and among businesses. */
  documentOwner(entry: DesiredCustomer): CustomerState | undefined;
  /** Whether the documents make the business. */
  isNewBusiness(businessId: string): boolean;
  business(businessId: string): BusinessState | undefined;
}

/** Prepares to find things by the words of the documents. */
export function indexOf(desired: Desired, state: State): Index {
  const by = <Thing>(things: readonly Thing[] = [], name: (thing: Thing) => unknown) =>
    new Map(things.map((thing) => [name(thing), thing]));
  const clients = by(state.clients, ({ clientId }) => clientId);
  const services = by(state.clients, ({ serviceAccountId }) => serviceAccountId);
  const keys = by(state.apiKeys, ({ apiKeyId }) => apiKeyId);
  const keysByUse = by(state.apiKeys, ({ clientId, appId }) => `${clientId} ${appId}`);
  const corporate = by(state.corporateGroups, ({ corporateGroupName }) => corporateGroupName);
  const homes = new Map(
    (state.corporateGroups ?? []).flatMap((group) =>
      group.businesses.map((businessId) => [businessId, group] as const),
    ),
  );
  const customersOf = (field: 'businessId' | 'userId') =>
    by(
      state.customers?.filter((customer) => customer[field] !== undefined),
      (customer) => customer[field],
    );
  const customers = { business: customersOf('businessId'), user: customersOf('userId') };
  const documents = by(
    state.customers,
    ({ businessId, document }) => `${businessId === undefined ? 'user' : 'business'} ${document}`,
  );
  const documentOwner: Index['documentOwner'] = ({ kind, document }) => documents.get(`${kind} ${document}`);
  const made = new Set(desired.customers.map(({ businessId }) => businessId));
  const newServices = new Set(desired.clients.map(({ serviceAccountId }) => serviceAccountId));
  const client: Index['client'] = ({ clientId, serviceAccountId }) =>
    serviceAccountId === undefined ? clients.get(clientId) : services.get(serviceAccountId);
  return {
    client,
    isNewService: (id) => newServices.has(id),
    apiKey: (entry) => {
      if (entry.apiKeyId !== undefined) return keys.get(entry.apiKeyId);
      const owner = entry.clientId ?? client(entry)?.clientId;
      return keysByUse.get(`${owner} ${entry.appId}`);
    },
    corporateGroup: (name) => corporate.get(name),
    home: (businessId) => homes.get(businessId),
    customer: (entry) => {
      const { kind, businessId, userId } = entry;
      if (kind === 'user') return customers.user.get(userId);
      return businessId === undefined ? documentOwner(entry) : customers.business.get(businessId);
    },
    documentOwner,
    isNewBusiness: (id) => made.has(id),
    business: (id) => state.businesses.get(id),
  };
}
