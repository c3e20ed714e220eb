/** A document that says what a server has: everything but secrets, in an order that stays the same. Pure. */
import type { Member } from './members.ts';
import { memberFields, memberKinds, sortedMembers } from './members.ts';
import { type KindName, kindNames, kinds } from './schema.ts';
import { type GroupState, membersIn, type State } from './state.ts';

type Entry = Readonly<Record<string, unknown>>;

/** Entries of these kinds; a kind that has none is left out. */
export function exportOf(state: State, wanted: readonly KindName[]): Readonly<Record<string, readonly Entry[]>> {
  const found: Readonly<Record<KindName, () => Entry[]>> = {
    groups: () =>
      sorted(
        [...(state.groups?.values() ?? [])].map((group) => groupEntry(group, state)),
        'groupName',
      ),
    clients: () => clientEntries(state),
    apiKeys: () => apiKeyEntries(state),
    corporateGroups: () => corporateEntries(state),
    customers: () => customerEntries(state),
  };
  const entries = kindNames.filter((kind) => wanted.includes(kind)).map((kind) => [kind, found[kind]()] as const);
  return Object.fromEntries(entries.filter(([, list]) => list.length > 0));
}

function sorted(entries: readonly Entry[], ...fields: readonly string[]): Entry[] {
  const key = (entry: Entry) => fields.map((field) => String(entry[field] ?? '')).join('\n');
  return [...entries].sort((a, b) => (key(a) < key(b) ? -1 : Number(key(a) > key(b))));
}

/** The fields that a document can have, in its order; what is empty is left out. */
function entryOf(kind: KindName, thing: Entry): Entry {
  const names = Object.keys(kinds[kind].properties ?? {});
  const isFull = (value: unknown) => value !== undefined && !(Array.isArray(value) && value.length === 0);
  return Object.fromEntries(names.filter((name) => isFull(thing[name])).map((name) => [name, thing[name]]));
}

function groupEntry(group: GroupState, state: State): Entry {
  const members = sortedMembers(membersIn(state, group.groupName).values());
  const lists = memberKinds.map((kind) => [
    memberFields[kind],
    members.filter((one) => one.kind === kind).map(memberEntry),
  ]);
  return entryOf('groups', {
    ...group,
    roles: [...group.roles].sort(),
    dependencies: [...group.dependencies].sort().map((groupName) => ({ groupName })),
    ...Object.fromEntries(lists),
  });
}

function memberEntry({ id, businessId }: Member): unknown {
  return businessId === undefined ? id : { businessId, userId: id };
}

/** A client with a service account goes by that: elsewhere its id would be another. */
function clientEntries({ clients = [] }: State): Entry[] {
  const entries = clients.map(({ clientId, ...client }) =>
    entryOf('clients', {
      ...client,
      ...(client.serviceAccountId === undefined ? { clientId } : {}),
      scope: [...((client.scope as string[] | undefined) ?? [])].sort(),
      grantTypes: [...((client.grantTypes as string[] | undefined) ?? [])].sort(),
    }),
  );
  return sorted(entries, 'serviceAccountId', 'clientId');
}

/** Of several keys of one client for one application each needs its id. */
function apiKeyEntries({ apiKeys = [], clients = [] }: State): Entry[] {
  const services = new Map(clients.map(({ clientId, serviceAccountId }) => [clientId, serviceAccountId]));
  const uses = new Map<string, number>();
  const useOf = ({ clientId, appId }: { clientId: string; appId: string }) => `${clientId} ${appId}`;
  for (const key of apiKeys) uses.set(useOf(key), (uses.get(useOf(key)) ?? 0) + 1);
  const entries = apiKeys.map((key) => {
    const serviceAccountId = services.get(key.clientId);
    const owner = serviceAccountId === undefined ? { clientId: key.clientId } : { serviceAccountId };
    const isTwin = (uses.get(useOf(key)) ?? 0) > 1;
    return entryOf('apiKeys', { ...owner, appId: key.appId, ...(isTwin ? { apiKeyId: key.apiKeyId } : {}) });
  });
  return sorted(entries, 'serviceAccountId', 'clientId', 'appId', 'apiKeyId');
}

function corporateEntries({ corporateGroups = [] }: State): Entry[] {
  const entries = corporateGroups.map((group) =>
    entryOf('corporateGroups', { ...group, businesses: [...group.businesses].sort() }),
  );
  return sorted(entries, 'corporateGroupName');
}

function customerEntries({ customers = [], businesses }: State): Entry[] {
  const entries = customers.map((customer) => {
    const business = customer.businessId === undefined ? undefined : businesses.get(customer.businessId);
    if (!business) return entryOf('customers', customer as unknown as Entry);
    return entryOf('customers', { ...business, document: customer.document, name: undefined, userId: undefined });
  });
  return sorted(entries, 'businessId', 'userId');
}
