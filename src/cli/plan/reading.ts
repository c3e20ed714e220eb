/** Reads of a server what planning asks for. Nothing here writes. */
import { type Member, memberKey } from './members.ts';
import type {
  ApiKeyState,
  BusinessState,
  ClientState,
  CorporateGroupState,
  CustomerState,
  GroupState,
  State,
  UserState,
} from './state.ts';
import type { Query, Tools } from './tools.ts';
import type { Unread } from './unread.ts';

const longestPage = 1000;
const atOnce = 8;
/** So many things are looked for one by one; beyond, the whole list is read where there is one. */
const fewThings = 50;

type Row = Readonly<Record<string, unknown>>;

/** Reads what is asked for and gives the state with it. */
export async function readMore(tools: Tools, state: State, wanted: Unread): Promise<State> {
  let known = state;
  for (const kind of wanted.lists) known = { ...known, ...(await lists[kind](tools, known)) };
  const members = await each(wanted.members, (name) => readMembers(tools, known, name));
  const users = await readUsers(tools, wanted.users);
  const businesses = await each(wanted.businesses, (id) => findBusiness(tools, id));
  const services = await each(wanted.services, (id) => findService(tools, known, id));
  const serviceRoles = await each(wanted.serviceRoles, async (id) => (await rolesOfService(tools, id)) ?? []);
  return {
    ...known,
    members: new Map([...known.members, ...members]),
    users: new Map([...known.users, ...users]),
    businesses: new Map([...known.businesses, ...businesses]),
    services: new Map([...known.services, ...services]),
    serviceRoles: new Map([...known.serviceRoles, ...serviceRoles]),
  };
}

type ListReader = (tools: Tools, state: State) => Promise<Partial<State>>;

const lists: Readonly<Record<Unread['lists'][number], ListReader>> = {
  groups: async (tools) => {
    const rows = (await pages((query) => tools.page('groups.list', { query }))) as (Row & {
      dependencies: { groupName: string }[];
    })[];
    const groups = rows.map(
      (row) => ({ ...row, dependencies: row.dependencies.map(({ groupName }) => groupName) }) as unknown as GroupState,
    );
    return { groups: new Map(groups.map((group) => [group.groupName, group])) };
  },
  clients: async (tools) => ({ clients: (await controlList(tools, '/_iam/clients')) as ClientState[] }),
  apiKeys: async (tools) => ({
    apiKeys: (await pages((query) => tools.page('api-key.list', { query }))) as ApiKeyState[],
  }),
  corporateGroups: async (tools) => {
    const rows = (await pages((query) => tools.page('corporate-groups.list', { query }))) as (Row & {
      businesses: { businessId: string }[];
    })[];
    return {
      corporateGroups: rows.map(
        (row) =>
          ({
            ...row,
            businesses: row.businesses.map(({ businessId }) => businessId),
          }) as unknown as CorporateGroupState,
      ),
    };
  },
  customers: async (tools, state) => {
    const customers = (await controlList(tools, '/_iam/customers')) as CustomerState[];
    const businesses = (await controlList(tools, '/_iam/businesses')) as BusinessState[];
    return {
      customers,
      businesses: new Map([...state.businesses, ...businesses.map((one) => [one.businessId, one] as const)]),
    };
  },
};

type PageReader<Page> = (query: Query) => Promise<Page>;

async function pages(
  read: PageReader<{ readonly items: readonly unknown[]; readonly next?: string | undefined }>,
): Promise<unknown[]> {
  const found: unknown[] = [];
  let after: string | undefined;
  do {
    const page = await read({ limit: longestPage, after });
    // One by one: a call with so many arguments would not fit.
    for (const item of page.items) found.push(item);
    after = page.next;
  } while (after !== undefined);
  return found;
}

/** @throws where the server has no control plane: nothing else lists these. */
async function controlList(tools: Tools, path: string): Promise<unknown[]> {
  const found = await optionalList(tools, path);
  if (found) return found;
  throw tools.failure(
    `The server at ${tools.baseUrl} has no control plane, and nothing else lists ${path.replace('/_iam/', '')}.`,
    {
      code: 'CONTROL_PLANE_MISSING',
      exitCode: 3,
      fix: 'Leave them out of the documents, or use a server that was started without --no-control.',
    },
  );
}

/** A list of the control plane; nothing where there is no control plane. */
export async function optionalList(tools: Tools, path: string): Promise<unknown[] | undefined> {
  let isMissing = false;
  const found = await pages(async (query) => {
    const page = await tools.control(path, query);
    isMissing ||= page === undefined;
    return page ?? { items: [] };
  });
  return isMissing ? undefined : found;
}

type MemberRow = Member & { readonly userId?: string; readonly serviceId?: string };

async function readMembers(tools: Tools, state: State, groupName: string): Promise<ReadonlyMap<string, Member>> {
  const groupId = state.groups?.get(groupName)?.groupId ?? groupName;
  const rows = (await optionalList(tools, `/_iam/groups/${encodeURIComponent(groupId)}/members`)) as
    | MemberRow[]
    | undefined;
  const members = rows ? rows.map(memberOfRow) : await membersByInterface(tools, groupId);
  return new Map(members.map((member) => [memberKey(member), member]));
}

function memberOfRow({ kind, userId, businessId, serviceId }: MemberRow): Member {
  if (kind === 'businessUser') return { kind, id: userId ?? '', businessId };
  return { kind, id: userId ?? businessId ?? serviceId ?? '' };
}

/** Without a control plane: the interface lists members in the name of a business only one business at a time. */
async function membersByInterface(tools: Tools, groupId: string): Promise<Member[]> {
  const list = (id: string, params: Row) =>
    pages((query) => tools.page(id, { params: params as Record<string, string>, query }));
  const users = (await list('user-accesses.list-users', { groupName: groupId })) as { userId: string }[];
  const businesses = (await list('business-accesses.list-businesses', { groupId })) as { businessId: string }[];
  const services = (await list('service-accesses.list-services', { groupId })) as { serviceId: string }[];
  return [
    ...users.map(({ userId }) => ({ kind: 'user', id: userId }) as const),
    ...businesses.map(({ businessId }) => ({ kind: 'business', id: businessId }) as const),
    ...services.map(({ serviceId }) => ({ kind: 'service', id: serviceId }) as const),
  ];
}

async function readUsers(tools: Tools, ids: readonly string[]): Promise<Map<string, UserState | undefined>> {
  if (ids.length <= fewThings) return each(ids, (id) => findUser(tools, id));
  const all = (await optionalList(tools, '/_iam/users')) as UserState[] | undefined;
  if (!all) return each(ids, (id) => findUser(tools, id));
  const byId = new Map(all.map((user) => [user.userId, user]));
  return new Map(ids.map((id) => [id, userState(byId.get(id))]));
}

/** The control plane knows the business of a user; the interface only whether the user is there. */
async function findUser(tools: Tools, userId: string): Promise<UserState | undefined> {
  const page = await tools.control('/_iam/users', { name: userId });
  if (page) return userState((page.items as UserState[]).find((user) => user.userId === userId));
  const { code, failure } = await tools.call('user-identities.get', { params: { id: userId } });
  if (code === undefined) return { userId };
  if (code === 'USER_NOT_FOUND') return undefined;
  throw failure;
}

function userState(user: UserState | undefined): UserState | undefined {
  return user && { userId: user.userId, businessId: user.businessId ?? null };
}

async function findBusiness(tools: Tools, businessId: string): Promise<BusinessState | undefined> {
  const { code, failure } = await tools.call('business-accesses.list-business-roles', { params: { businessId } });
  if (code === undefined) return { businessId };
  if (code === 'BUSINESS_NOT_FOUND') return undefined;
  throw failure;
}

async function findService(tools: Tools, { clients }: State, serviceId: string): Promise<true | undefined> {
  if (clients) return clients.some(({ serviceAccountId }) => serviceAccountId === serviceId) ? true : undefined;
  return (await rolesOfService(tools, serviceId)) && true;
}

async function rolesOfService(tools: Tools, serviceId: string): Promise<readonly string[] | undefined> {
  const { body, code, failure } = await tools.call('service-accesses.list-service-roles', { params: { serviceId } });
  if (code === undefined) return (body as { role: string }[]).map(({ role }) => role);
  if (code === 'SERVICE_NOT_FOUND') return undefined;
  throw failure;
}

/** Does `work` for all names, some at a time. */
async function each<Result>(
  names: readonly string[],
  work: (name: string) => Promise<Result>,
): Promise<Map<string, Result>> {
  const found = new Map<string, Result>();
  const waiting = names.values();
  const lane = async () => {
    for (const name of waiting) found.set(name, await work(name));
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, names.length) }, lane));
  return found;
}
