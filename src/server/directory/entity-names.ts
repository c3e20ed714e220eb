/** The names of entities by their ids, for people who read the ids. */
import type { Reader } from '../store/store.ts';
import type { ApiKey, Business, Client, CorporateGroup, Group, User } from '../store/tables.ts';
import { customerKey } from '../store/tables.ts';

export interface EntityNameOfId {
  readonly id: string;
  readonly kind: NamedKind;
  readonly name: string;
}

type Finder = (store: Reader, ids: readonly string[]) => Promise<readonly (readonly [id: string, name: string])[]>;

/** The names of rows. A client has the one of its service account, or else of its application. */
export const nameEntity = {
  user: ({ userName }: User) => userName,
  group: ({ groupName }: Group) => groupName,
  business: ({ businessName }: Business) => businessName,
  client: ({ serviceAccountId, appId }: Client) => serviceAccountId ?? appId,
  corporateGroup: ({ corporateGroupName }: CorporateGroup) => corporateGroupName,
  apiKey: ({ appId }: ApiKey) => appId,
} as const;

/** An id can be one of several kinds: callers choose those of users, businesses and clients. */
const finders = {
  user: async ({ users }, ids) => (await users.getMany(ids)).map((row) => [row.userId, nameEntity.user(row)]),
  group: async ({ groups }, ids) => (await groups.getMany(ids)).map((row) => [row.groupId, nameEntity.group(row)]),
  business: async ({ businesses }, ids) =>
    (await businesses.getMany(ids)).map((row) => [row.businessId, nameEntity.business(row)]),
  client: async ({ clients }, ids) => (await clients.getMany(ids)).map((row) => [row.clientId, nameEntity.client(row)]),
  corporateGroup: async ({ corporateGroups }, ids) =>
    (await corporateGroups.getMany(ids)).map((row) => [row.corporateGroupId, nameEntity.corporateGroup(row)]),
  customer: findCustomers,
  apiKey: async ({ apiKeys }, ids) => (await apiKeys.getMany(ids)).map((row) => [row.apiKeyId, nameEntity.apiKey(row)]),
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
