/** Reads the remote state for a plan. Never writes. */

import type { PlanDeps, QueryParams } from './deps.ts';
import type { RefreshScope } from './refresh-scope.ts';
import type {
  RemoteApiKey,
  RemoteBusiness,
  RemoteClient,
  RemoteCorporateGroup,
  RemoteCustomer,
  RemoteGroup,
  RemoteState,
  RemoteUser,
} from './remote-state.ts';
import { type Member, memberKey } from './resources/members.ts';

const maxPageSize = 1000;
const concurrency = 8;
/** Above this number of ids the whole list is read, if the server has one. */
const maxSingleLookups = 50;

type Row = Readonly<Record<string, unknown>>;

/** Reads the scope and returns the extended state. */
export async function refresh(deps: PlanDeps, state: RemoteState, scope: RefreshScope): Promise<RemoteState> {
  let refreshed = state;
  for (const kind of scope.lists) refreshed = { ...refreshed, ...(await listReaders[kind](deps, refreshed)) };
  const members = await mapConcurrently(scope.members, (name) => readMembers(deps, refreshed, name));
  const users = await readUsers(deps, scope.users);
  const businesses = await mapConcurrently(scope.businesses, (id) => findBusiness(deps, id));
  const services = await mapConcurrently(scope.services, (id) => findService(deps, refreshed, id));
  const serviceRoles = await mapConcurrently(
    scope.serviceRoles,
    async (id) => (await readServiceRoles(deps, id)) ?? [],
  );
  return {
    ...refreshed,
    members: new Map([...refreshed.members, ...members]),
    users: new Map([...refreshed.users, ...users]),
    businesses: new Map([...refreshed.businesses, ...businesses]),
    services: new Map([...refreshed.services, ...services]),
    serviceRoles: new Map([...refreshed.serviceRoles, ...serviceRoles]),
  };
}

type ListReader = (deps: PlanDeps, state: RemoteState) => Promise<Partial<RemoteState>>;

const listReaders: Readonly<Record<RefreshScope['lists'][number], ListReader>> = {
  groups: async (deps) => {
    const rows = (await readPages((query) => deps.readPage('groups.list', { query }))) as (Row & {
      dependencies: { groupName: string }[];
    })[];
    const groups = rows.map(
      (row) => ({ ...row, dependencies: row.dependencies.map(({ groupName }) => groupName) }) as unknown as RemoteGroup,
    );
    return { groups: new Map(groups.map((group) => [group.groupName, group])) };
  },
  clients: async (deps) => ({ clients: (await readControlList(deps, '/_iam/clients')) as RemoteClient[] }),
  apiKeys: async (deps) => ({
    apiKeys: (await readPages((query) => deps.readPage('api-key.list', { query }))) as RemoteApiKey[],
  }),
  corporateGroups: async (deps) => {
    const rows = (await readPages((query) => deps.readPage('corporate-groups.list', { query }))) as (Row & {
      businesses: { businessId: string }[];
    })[];
    return {
      corporateGroups: rows.map(
        (row) =>
          ({
            ...row,
            businesses: row.businesses.map(({ businessId }) => businessId),
          }) as unknown as RemoteCorporateGroup,
      ),
    };
  },
  customers: async (deps, state) => {
    const customers = (await readControlList(deps, '/_iam/customers')) as RemoteCustomer[];
    const businesses = (await readControlList(deps, '/_iam/businesses')) as RemoteBusiness[];
    return {
      customers,
      businesses: new Map([...state.businesses, ...businesses.map((one) => [one.businessId, one] as const)]),
    };
  },
};

type PageReader<Page> = (query: QueryParams) => Promise<Page>;

async function readPages(
  read: PageReader<{ readonly items: readonly unknown[]; readonly next?: string | undefined }>,
): Promise<unknown[]> {
  const found: unknown[] = [];
  let after: string | undefined;
  do {
    const page = await read({ limit: maxPageSize, after });
    // `push(...items)` could exceed the argument limit.
    for (const item of page.items) found.push(item);
    after = page.next;
  } while (after !== undefined);
  return found;
}

/** Reads a list that only the control plane has. @throws CliError if the server has no control plane */
async function readControlList(deps: PlanDeps, path: string): Promise<unknown[]> {
  const found = await readOptionalControlList(deps, path);
  if (found) return found;
  throw deps.failure(
    `The server at ${deps.baseUrl} has no control plane, which is required to list ${path.replace('/_iam/', '')}.`,
    {
      code: 'CONTROL_PLANE_MISSING',
      exitCode: 3,
      hint: 'Remove them from the documents, or use a server that was started without --disable-control-plane.',
    },
  );
}

/** Reads a list of the control plane; undefined if the server has none. */
export async function readOptionalControlList(deps: PlanDeps, path: string): Promise<unknown[] | undefined> {
  let isMissing = false;
  const found = await readPages(async (query) => {
    const page = await deps.readControlPage(path, query);
    isMissing ||= page === undefined;
    return page ?? { items: [] };
  });
  return isMissing ? undefined : found;
}

type MemberRow = Member & { readonly userId?: string; readonly serviceId?: string };

async function readMembers(
  deps: PlanDeps,
  state: RemoteState,
  groupName: string,
): Promise<ReadonlyMap<string, Member>> {
  const groupId = state.groups?.get(groupName)?.groupId ?? groupName;
  const rows = (await readOptionalControlList(deps, `/_iam/groups/${encodeURIComponent(groupId)}/members`)) as
    | MemberRow[]
    | undefined;
  const members = rows ? rows.map(parseMemberRow) : await readMembersFromService(deps, groupId);
  return new Map(members.map((member) => [memberKey(member), member]));
}

function parseMemberRow({ kind, userId, businessId, serviceId }: MemberRow): Member {
  if (kind === 'businessUser') return { kind, id: userId ?? '', businessId };
  return { kind, id: userId ?? businessId ?? serviceId ?? '' };
}

/** Reads members without the control plane. Business users are omitted, because the API lists them only per business. */
async function readMembersFromService(deps: PlanDeps, groupId: string): Promise<Member[]> {
  const list = (id: string, params: Row) =>
    readPages((query) => deps.readPage(id, { params: params as Record<string, string>, query }));
  const users = (await list('user-accesses.list-users', { groupName: groupId })) as { userId: string }[];
  const businesses = (await list('business-accesses.list-businesses', { groupId })) as { businessId: string }[];
  const services = (await list('service-accesses.list-services', { groupId })) as { serviceId: string }[];
  return [
    ...users.map(({ userId }) => ({ kind: 'user', id: userId }) as const),
    ...businesses.map(({ businessId }) => ({ kind: 'business', id: businessId }) as const),
    ...services.map(({ serviceId }) => ({ kind: 'service', id: serviceId }) as const),
  ];
}

async function readUsers(deps: PlanDeps, ids: readonly string[]): Promise<Map<string, RemoteUser | undefined>> {
  if (ids.length <= maxSingleLookups) return mapConcurrently(ids, (id) => findUser(deps, id));
  const all = (await readOptionalControlList(deps, '/_iam/users')) as RemoteUser[] | undefined;
  if (!all) return mapConcurrently(ids, (id) => findUser(deps, id));
  const byId = new Map(all.map((user) => [user.userId, user]));
  return new Map(ids.map((id) => [id, toRemoteUser(byId.get(id))]));
}

/** Looks up a user. Only the control plane returns the business of a user. */
async function findUser(deps: PlanDeps, userId: string): Promise<RemoteUser | undefined> {
  const page = await deps.readControlPage('/_iam/users', { name: userId });
  if (page) return toRemoteUser((page.items as RemoteUser[]).find((user) => user.userId === userId));
  const { code, failure } = await deps.call('user-identities.get', { params: { id: userId } });
  if (code === undefined) return { userId };
  if (code === 'USER_NOT_FOUND') return undefined;
  throw failure;
}

function toRemoteUser(user: RemoteUser | undefined): RemoteUser | undefined {
  return user && { userId: user.userId, businessId: user.businessId ?? null };
}

async function findBusiness(deps: PlanDeps, businessId: string): Promise<RemoteBusiness | undefined> {
  const { code, failure } = await deps.call('business-accesses.list-business-roles', { params: { businessId } });
  if (code === undefined) return { businessId };
  if (code === 'BUSINESS_NOT_FOUND') return undefined;
  throw failure;
}

async function findService(deps: PlanDeps, { clients }: RemoteState, serviceId: string): Promise<true | undefined> {
  if (clients) return clients.some(({ serviceAccountId }) => serviceAccountId === serviceId) ? true : undefined;
  return (await readServiceRoles(deps, serviceId)) && true;
}

async function readServiceRoles(deps: PlanDeps, serviceId: string): Promise<readonly string[] | undefined> {
  const { body, code, failure } = await deps.call('service-accesses.list-service-roles', { params: { serviceId } });
  if (code === undefined) return (body as { role: string }[]).map(({ role }) => role);
  if (code === 'SERVICE_NOT_FOUND') return undefined;
  throw failure;
}

/** Runs `work` for all names with bounded concurrency. */
async function mapConcurrently<Result>(
  names: readonly string[],
  work: (name: string) => Promise<Result>,
): Promise<Map<string, Result>> {
  const found = new Map<string, Result>();
  const queue = names.values();
  const worker = async () => {
    for (const name of queue) found.set(name, await work(name));
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, names.length) }, worker));
  return found;
}
