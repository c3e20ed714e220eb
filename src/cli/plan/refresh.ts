/** Computes what must be read for a plan, and reads it, until nothing is missing. Never writes. */

import type { RequestContext } from '../context.ts';
import { requestsAtOnce, runConcurrently } from '../http/run-concurrently.ts';
import { isNameLikeId } from '../output/value-prefix.ts';
import { tryOperation } from '../request/call-operation.ts';
import type { ManagedResource, PendingCreation } from './inventory.ts';
import { type AnyChange, selectChanges } from './model/changes.ts';
import type { DesiredState, ListName } from './model/desired-entries.ts';
import { sortTopologically } from './model/group-graph.ts';
import { idForm } from './model/members.ts';
import type { RemoteBusiness, RemoteState, RemoteUser } from './model/remote-state.ts';
import { createResourceIndex } from './model/resource-index.ts';
import { computeChanges } from './plan.ts';
import { findRemovals, listRemovedServices, noRemovals } from './prune.ts';
import { readControlEntity, readControlPage, readOptionalControlList } from './read-list.ts';
import { documentResources, findResource, memberships } from './resources/index.ts';
import { computeRoleImpact, listAffectedHolders, projectGroups } from './role-effects.ts';

/** Above this number of ids the whole list is read, if the server has one. */
const maxSingleLookups = 50;

/** Reads the scope and returns the extended state. */
export async function refresh(context: RequestContext, state: RemoteState, scope: RefreshScope): Promise<RemoteState> {
  let refreshed = state;
  for (const { list, read } of documentResources)
    if (scope.lists.includes(list)) refreshed = { ...refreshed, ...(await read(context, refreshed)) };
  refreshed = { ...refreshed, ...(await memberships.read(context, refreshed, scope.members)) };
  const users = await lookUp(scope.users, {
    readAll: () => readOptionalControlList(context, '/_iam/users') as Promise<RemoteUser[] | undefined>,
    idOf: ({ userId }) => userId,
    read: (id) => findUser(context, id),
    select: toRemoteUser,
  });
  const businesses = await lookUp(scope.businesses, {
    readAll: () => readOptionalControlList(context, '/_iam/businesses') as Promise<RemoteBusiness[] | undefined>,
    idOf: ({ businessId }) => businessId,
    read: (id) => findBusiness(context, id),
    select: (business) => business,
  });
  const services = await mapConcurrently(scope.services, (id) => findService(context, refreshed, id));
  const serviceRoles = await mapConcurrently(
    scope.serviceRoles,
    async (id) => (await readServiceRoles(context, id)) ?? [],
  );
  return {
    ...refreshed,
    users: new Map([...refreshed.users, ...users.found]),
    businesses: new Map([...refreshed.businesses, ...businesses.found]),
    wholeLists: new Set([
      ...refreshed.wholeLists,
      ...(users.isWhole ? (['users'] as const) : []),
      ...(businesses.isWhole ? (['businesses'] as const) : []),
    ]),
    services: new Map([...refreshed.services, ...services]),
    serviceRoles: new Map([...refreshed.serviceRoles, ...serviceRoles]),
  };
}

interface EntityLookup<Entity> {
  /** The whole list; undefined if the server has none. */
  readAll(): Promise<readonly Entity[] | undefined>;
  idOf(entity: Entity): string;
  read(id: string): Promise<Entity | undefined>;
  select(entity: Entity | undefined): Entity | undefined;
}

interface FoundEntities<Entity> {
  readonly found: ReadonlyMap<string, Entity | undefined>;
  /** Every entity of the server is found. */
  readonly isWhole: boolean;
}

/** Looks up ids and names: each of a few, or all in the whole list, so that the requests do not grow with their number. */
async function lookUp<Entity>(
  values: readonly string[],
  { readAll, idOf, read, select }: EntityLookup<Entity>,
): Promise<FoundEntities<Entity>> {
  const all = values.length > maxSingleLookups ? await readAll() : undefined;
  if (!all) return { found: await mapConcurrently(values, read), isWhole: false };
  const missing = values.map((id) => [id, undefined] as const);
  return { found: new Map([...missing, ...all.map((one) => [idOf(one), select(one)] as const)]), isWhole: true };
}

/** Looks up a user. Only the control plane returns the business of a user. Not every id is a login name. */
async function findUser(context: RequestContext, userId: string): Promise<RemoteUser | undefined> {
  if (isNameLikeId('user', userId)) {
    const user = await readControlEntity(context, `/_iam/users/${encodeURIComponent(userId)}`);
    if (user) return toRemoteUser(user as RemoteUser);
  } else {
    const page = await readControlPage(context, '/_iam/users', { name: userId });
    if (page) return toRemoteUser((page.items as RemoteUser[]).find((user) => user.userId === userId));
  }
  if (!idForm.test(userId)) return undefined;
  const found = await tryOperation(context, 'user-identities.get', { params: { id: userId } }, 'USER_NOT_FOUND');
  return found && { userId };
}

function toRemoteUser(user: RemoteUser | undefined): RemoteUser | undefined {
  if (!user) return undefined;
  const { userId, businessId = null, userName, nameVerified } = user;
  return { userId, businessId, userName, nameVerified };
}

/** Reads the names of these users, and all businesses, for an export. Without a control plane they have none. */
export async function readNames(
  context: RequestContext,
  state: RemoteState,
  { users, businesses }: Pick<RefreshScope, 'users' | 'businesses'>,
): Promise<RemoteState> {
  const named = await refresh(context, state, { ...emptyScope, users: excludeKnown(users, state.users) });
  if (excludeKnown(businesses, named.businesses).length === 0) return named;
  const all = (await readOptionalControlList(context, '/_iam/businesses')) as RemoteBusiness[] | undefined;
  return { ...named, businesses: new Map((all ?? []).map((business) => [business.businessId, business])) };
}

async function findBusiness(context: RequestContext, businessId: string): Promise<RemoteBusiness | undefined> {
  if (!idForm.test(businessId)) return undefined;
  const input = { params: { businessId } };
  const found = await tryOperation(context, 'business-accesses.list-business-roles', input, 'BUSINESS_NOT_FOUND');
  return found && { businessId };
}

async function findService(
  context: RequestContext,
  { clients }: RemoteState,
  serviceId: string,
): Promise<true | undefined> {
  if (clients) return clients.some(({ serviceAccountId }) => serviceAccountId === serviceId) ? true : undefined;
  return (await readServiceRoles(context, serviceId)) && true;
}

async function readServiceRoles(context: RequestContext, serviceId: string): Promise<readonly string[] | undefined> {
  const input = { params: { serviceId } };
  const found = await tryOperation(context, 'service-accesses.list-service-roles', input, 'SERVICE_NOT_FOUND');
  return found && (found.body as { role: string }[]).map(({ role }) => role);
}

/** Runs `work` for all names with bounded concurrency. */
async function mapConcurrently<Result>(
  names: readonly string[],
  work: (name: string) => Promise<Result>,
): Promise<Map<string, Result>> {
  const found = new Map<string, Result>();
  const read = async (name: string) => [name, await work(name)] as const;
  for await (const [name, result] of runConcurrently(names.values(), requestsAtOnce, read, () => false))
    found.set(name, result);
  return found;
}

export interface RefreshScope {
  /** Whole lists. */
  readonly lists: readonly ListName[];
  /** Names of groups whose members must be read. */
  readonly members: readonly string[];
  readonly users: readonly string[];
  readonly businesses: readonly string[];
  readonly services: readonly string[];
  /** Services whose clients are deleted, to read all their roles. */
  readonly serviceRoles: readonly string[];
}

/** Nothing to read. */
export const emptyScope: RefreshScope = {
  lists: [],
  members: [],
  users: [],
  businesses: [],
  services: [],
  serviceRoles: [],
};

/** Whether there is anything to read. */
export function isEmptyScope(scope: RefreshScope): boolean {
  return Object.values(scope).every((part) => part.length === 0);
}

/** Whether the plan needs no other reads after these: nothing that is read depends on single resources. */
export function isLastScope({ lists, members }: RefreshScope): boolean {
  return lists.length + members.length === 0;
}

/** Returns the next reads for a plan; lists first, then members, then single resources. */
export function computeRefreshScope(
  desired: DesiredState,
  state: RemoteState,
  recorded: readonly ManagedResource[],
  pending: readonly PendingCreation[],
  prune: boolean,
): RefreshScope {
  // What cannot be deleted is read to name it.
  const owned = recorded.filter(({ kind }) => prune || kind === 'membership' || findResource(kind)?.remove);
  const lists = listMissingKinds(desired, state, [...owned, ...pending]);
  if (lists.length > 0) return { ...emptyScope, lists };
  const members = listMissingMembers(desired, state, recorded, pending, prune);
  if (members.length > 0) return { ...emptyScope, members };
  return findMissingResources(desired, state, recorded, prune);
}

function listMissingKinds(
  desired: DesiredState,
  state: RemoteState,
  recorded: readonly Pick<ManagedResource, 'kind'>[],
): RefreshScope['lists'] {
  const recordedKinds = new Set(recorded.map(({ kind }) => kind));
  const desiredResources = documentResources.filter(({ list }) => desired[list].length > 0);
  const required = new Set(desiredResources.flatMap(({ list, requires }) => [list, ...requires]));
  const needed = documentResources.filter(
    ({ list, recordKinds }) => required.has(list) || recordKinds.some((kind) => recordedKinds.has(kind)),
  );
  return needed.map(({ list }) => list).filter((list) => state[list] === undefined);
}

/** Groups whose members are listed in the documents, and groups that are deleted. */
function listMissingMembers(
  desired: DesiredState,
  state: RemoteState,
  recorded: readonly ManagedResource[],
  pending: readonly PendingCreation[],
  prune: boolean,
): string[] {
  const listed = desired.groups
    .filter(({ members }) => Object.keys(members).length > 0)
    .map(({ groupName }) => groupName);
  const { resources: removals } = prune
    ? findRemovals(recorded, desired, state, createResourceIndex(desired, state))
    : noRemovals;
  const removed = removals.filter(({ kind }) => kind === 'group').map(({ name }) => name);
  const owned = memberships.listGroupsToRead(recorded, desired, state);
  const joining = pending.flatMap((creation) => memberships.groupOf(creation, state) ?? []);
  return listUnreadGroups([...listed, ...removed, ...owned, ...joining], state);
}

function listUnreadGroups(names: Iterable<string>, state: RemoteState): string[] {
  return [...new Set(names)].filter((name) => state.groups?.has(name) && !state.members.has(name));
}

function findMissingResources(
  desired: DesiredState,
  state: RemoteState,
  recorded: readonly ManagedResource[],
  prune: boolean,
): RefreshScope {
  const index = createResourceIndex(desired, state);
  const removals = prune ? findRemovals(recorded, desired, state, index) : noRemovals;
  const all = computeChanges(desired, state, index, removals).changes;
  const changes = selectChanges(all, 'group');
  const serviceRoles = excludeKnown(listRemovedServices(removals.resources), state.serviceRoles);
  const named = { ...listReferencedIds(desired, all, state), serviceRoles };
  const after = projectGroups(changes, state);
  if (sortTopologically(after.groups).cycles.length > 0) return { ...emptyScope, ...named };
  const impact = computeRoleImpact(changes, state, after);
  const members = listUnreadGroups(impact.relevant, state);
  if (members.length > 0) return { ...emptyScope, ...named, members };
  const businessRoles = [...state.members.values()].some((inGroup) =>
    [...inGroup.values()].some(({ kind }) => kind === 'business'),
  );
  const holders = businessRoles ? [...listAffectedHolders(impact)] : [];
  const users = holders.filter((holder) => holder.startsWith('user ')).map((holder) => holder.slice('user '.length));
  return { ...emptyScope, ...named, users: excludeKnown([...named.users, ...users], state.users) };
}

/** Returns ids that the documents reference and that have not been looked up. */
function listReferencedIds(desired: DesiredState, changes: readonly AnyChange[], state: RemoteState) {
  const references = documentResources.map((resource) =>
    resource.listReferences(desired[resource.list], { state, changes }),
  );
  return {
    users: excludeKnown(
      references.flatMap(({ users = [] }) => users),
      state.users,
    ),
    businesses: excludeKnown(
      references.flatMap(({ businesses = [] }) => businesses),
      state.businesses,
    ),
    services: excludeKnown(
      references.flatMap(({ services = [] }) => services),
      state.services,
    ),
  };
}

function excludeKnown(ids: readonly string[], lookup: ReadonlyMap<string, unknown>): string[] {
  return [...new Set(ids)].filter((id) => !lookup.has(id));
}
