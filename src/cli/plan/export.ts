/** `iam export`: builds a document of all resources without secrets, in a stable order. */
import type { CommandOptions } from '../context.ts';
import type { PlanDeps } from './deps.ts';
import { type Member, memberFields, memberKinds, sortMembers } from './members.ts';
import { emptyScope, refresh } from './refresh.ts';
import { emptyRemoteState, getGroupMembers, type RemoteGroup, type RemoteState } from './remote-state.ts';
import { entrySchemas, type KindName, kindNames } from './schema.ts';

/** Prints the resources of the server as a document. */
export async function runExport(deps: PlanDeps, options: CommandOptions): Promise<void> {
  const { printer, notice } = deps.context;
  if (['jsonl', 'csv', 'name'].includes(printer.format))
    throw deps.usage(`Cannot export as ${printer.format}: a document is YAML or JSON.`, 'Remove -o, or use -o json.');
  const requested = (options.kind as readonly KindName[] | undefined) ?? kindNames;
  const hasControl = (await deps.readControlPage('/_iam/clients', { limit: 1 })) !== undefined;
  const kinds =
    hasControl || options.kind !== undefined
      ? requested
      : requested.filter((kind) => !controlPlaneKinds.includes(kind));
  if (!hasControl) notice('The control plane is disabled: clients, customers and business users are not exported.');
  const document = buildExportDocument(await readRemoteState(deps, kinds, hasControl), kinds);
  if (printer.format === 'json') await printer.value(document);
  else printer.verbatim([deps.yaml.formatYaml(document, { lineWidth: 0, aliasDuplicateObjects: false }).trimEnd()]);
}

/** Kinds that only the control plane lists. */
const controlPlaneKinds: readonly KindName[] = ['clients', 'customers'];

async function readRemoteState(deps: PlanDeps, kinds: readonly KindName[], hasControl: boolean): Promise<RemoteState> {
  // API keys refer to the service accounts of their clients.
  const lists = kindNames.filter(
    (kind) => kinds.includes(kind) || (kind === 'clients' && hasControl && kinds.includes('apiKeys')),
  );
  const state = await refresh(deps, emptyRemoteState, { ...emptyScope, lists });
  return refresh(deps, state, { ...emptyScope, members: [...(state.groups?.keys() ?? [])] });
}

type Entry = Readonly<Record<string, unknown>>;

/** Builds the entries of the requested kinds; empty kinds are omitted. */
function buildExportDocument(
  state: RemoteState,
  requested: readonly KindName[],
): Readonly<Record<string, readonly Entry[]>> {
  const builders: Readonly<Record<KindName, () => Entry[]>> = {
    groups: () =>
      sortEntries(
        [...(state.groups?.values() ?? [])].map((group) => buildGroupEntry(group, state)),
        'groupName',
      ),
    clients: () => buildClientEntries(state),
    apiKeys: () => buildApiKeyEntries(state),
    corporateGroups: () => buildCorporateGroupEntries(state),
    customers: () => buildCustomerEntries(state),
  };
  const entries = kindNames.filter((kind) => requested.includes(kind)).map((kind) => [kind, builders[kind]()] as const);
  return Object.fromEntries(entries.filter(([, list]) => list.length > 0));
}

function sortEntries(entries: readonly Entry[], ...fields: readonly string[]): Entry[] {
  const key = (entry: Entry) => fields.map((field) => String(entry[field] ?? '')).join('\n');
  return [...entries].sort((a, b) => (key(a) < key(b) ? -1 : Number(key(a) > key(b))));
}

/** Selects the fields of the schema in its order; empty fields are omitted. */
function buildEntry(kind: KindName, resource: Entry): Entry {
  const names = Object.keys(entrySchemas[kind].properties ?? {});
  const isFull = (value: unknown) => value !== undefined && !(Array.isArray(value) && value.length === 0);
  return Object.fromEntries(names.filter((name) => isFull(resource[name])).map((name) => [name, resource[name]]));
}

function buildGroupEntry(group: RemoteGroup, state: RemoteState): Entry {
  const members = sortMembers(getGroupMembers(state, group.groupName).values());
  const lists = memberKinds.map((kind) => [
    memberFields[kind],
    members.filter((one) => one.kind === kind).map(buildMemberEntry),
  ]);
  return buildEntry('groups', {
    ...group,
    roles: [...group.roles].sort(),
    dependencies: [...group.dependencies].sort().map((groupName) => ({ groupName })),
    ...Object.fromEntries(lists),
  });
}

function buildMemberEntry({ id, businessId }: Member): unknown {
  return businessId === undefined ? id : { businessId, userId: id };
}

/** Clients with a service account are identified by it, because client ids differ between servers. */
function buildClientEntries({ clients = [] }: RemoteState): Entry[] {
  const entries = clients.map(({ clientId, ...client }) =>
    buildEntry('clients', {
      ...client,
      ...(client.serviceAccountId === undefined ? { clientId } : {}),
      scope: [...((client.scope as string[] | undefined) ?? [])].sort(),
      grantTypes: [...((client.grantTypes as string[] | undefined) ?? [])].sort(),
    }),
  );
  return sortEntries(entries, 'serviceAccountId', 'clientId');
}

/** API keys get an id only if a client has several keys for one application. */
function buildApiKeyEntries({ apiKeys = [], clients = [] }: RemoteState): Entry[] {
  const services = new Map(clients.map(({ clientId, serviceAccountId }) => [clientId, serviceAccountId]));
  const usageCounts = new Map<string, number>();
  const usageKey = ({ clientId, appId }: { clientId: string; appId: string }) => `${clientId} ${appId}`;
  for (const key of apiKeys) usageCounts.set(usageKey(key), (usageCounts.get(usageKey(key)) ?? 0) + 1);
  const entries = apiKeys.map((key) => {
    const serviceAccountId = services.get(key.clientId);
    const owner = serviceAccountId === undefined ? { clientId: key.clientId } : { serviceAccountId };
    const isAmbiguous = (usageCounts.get(usageKey(key)) ?? 0) > 1;
    return buildEntry('apiKeys', { ...owner, appId: key.appId, ...(isAmbiguous ? { apiKeyId: key.apiKeyId } : {}) });
  });
  return sortEntries(entries, 'serviceAccountId', 'clientId', 'appId', 'apiKeyId');
}

function buildCorporateGroupEntries({ corporateGroups = [] }: RemoteState): Entry[] {
  const entries = corporateGroups.map((group) =>
    buildEntry('corporateGroups', { ...group, businesses: [...group.businesses].sort() }),
  );
  return sortEntries(entries, 'corporateGroupName');
}

function buildCustomerEntries({ customers = [], businesses }: RemoteState): Entry[] {
  const entries = customers.map((customer) => {
    const business = customer.businessId === undefined ? undefined : businesses.get(customer.businessId);
    if (!business) return buildEntry('customers', customer as unknown as Entry);
    return buildEntry('customers', { ...business, document: customer.document, name: undefined, userId: undefined });
  });
  return sortEntries(entries, 'businessId', 'userId');
}
