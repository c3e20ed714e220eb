/** The names of entities by their ids, for people who read the ids. */
import type { Reader } from '../store/store.ts';
import { customerKey } from '../store/tables.ts';

export interface EntityNameOfId {
  readonly id: string;
  readonly kind: NamedKind;
  readonly name: string;
}

type Finder = (store: Reader, ids: readonly string[]) => Promise<readonly (readonly [id: string, name: string])[]>;

/** An id can be one of several kinds: callers choose those of users, businesses and clients. */
const finders = {
  user: async ({ users }, ids) => (await users.getMany(ids)).map(({ userId, userName }) => [userId, userName]),
  group: async ({ groups }, ids) => (await groups.getMany(ids)).map(({ groupId, groupName }) => [groupId, groupName]),
  business: async ({ businesses }, ids) =>
    (await businesses.getMany(ids)).map(({ businessId, businessName }) => [businessId, businessName]),
  client: async ({ clients }, ids) =>
    (await clients.getMany(ids)).map(({ clientId, serviceAccountId, appId }) => [clientId, serviceAccountId ?? appId]),
  corporateGroup: async ({ corporateGroups }, ids) =>
    (await corporateGroups.getMany(ids)).map((group) => [group.corporateGroupId, group.corporateGroupName]),
  customer: findCustomers,
  apiKey: async ({ apiKeys }, ids) => (await apiKeys.getMany(ids)).map(({ apiKeyId, appId }) => [apiKeyId, appId]),
} as const satisfies Readonly<Record<string, Finder>>;

export type NamedKind = keyof typeof finders;
export const namedKinds = Object.keys(finders) as readonly NamedKind[];

/** Returns the names of these ids, sorted by kind; an id without an entity has none. */
export async function readEntityNames(
  store: Reader,
  ids: readonly string[],
  kinds: readonly NamedKind[] = namedKinds,
): Promise<readonly EntityNameOfId[]> {
  const distinct = [...new Set(ids)];
  if (distinct.length === 0) return [];
  const found = await Promise.all(
    kinds.map(async (kind) => (await finders[kind](store, distinct)).map(([id, name]) => ({ id, kind, name }))),
  );
  return found.flat();
}

/** A customer has the name of its business. */
async function findCustomers({ customers, businesses }: Reader, ids: readonly string[]) {
  const keys = ids.filter((id) => /^[1-9]\d{0,11}$/.test(id)).map((id) => customerKey(Number(id)));
  const rows = keys.length === 0 ? [] : await customers.getMany(keys);
  const owners = await businesses.getMany(rows.flatMap(({ businessId }) => businessId ?? []));
  const namesByBusiness = new Map(owners.map(({ businessId, businessName }) => [businessId, businessName]));
  return rows.flatMap(({ customerId, businessId = '', name = namesByBusiness.get(businessId) }) =>
    name === undefined ? [] : [[String(customerId), name] as const],
  );
}
