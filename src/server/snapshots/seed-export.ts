/** Exports a dump as a seed: entities only, with hashes instead of passwords and secrets. */
import { bootstrapGroupNames } from '../bootstrap-groups.ts';
import { certificatePrefix } from '../federation/certificate-login.ts';
import type { SeedDocument } from '../seed/schema.ts';
import {
  type Client,
  type Factor,
  type Group,
  isUserNameVerified,
  type Membership,
  type User,
} from '../store/tables.ts';
import { type DumpTables, readRows } from './dump.ts';

type Users = NonNullable<SeedDocument['users']>;
type Groups = NonNullable<SeedDocument['groups']>;

/**
 * Exports the state as a seed. Omits the bootstrap clients and user, as every server has its own, and everything that a
 * seed can't express: sessions, codes, messages, unverified contacts and names, clients that other clients own or whose
 * owner is omitted or was removed, and delegated memberships of services: a seed would grant them every role of the group.
 */
export async function exportSeed(state: { dump(): Promise<DumpTables> }): Promise<SeedDocument> {
  const dump = await state.dump();
  const users = readRows(dump, 'users').filter(({ bootstrap }) => bootstrap === undefined);
  const businesses = readRows(dump, 'businesses');
  const owners = {
    users: new Set(users.map(({ userId }) => userId)),
    businesses: new Set(businesses.map(({ businessId }) => businessId)),
  };
  const clients = readRows(dump, 'clients').filter((client) => isExportable(client, owners));
  const clientIds = new Set(clients.map(({ clientId }) => clientId));
  const members = { ...owners, services: new Set(clients.map(({ serviceAccountId }) => serviceAccountId)) };
  return omitEmpty({
    clients: clients.map(toSeedClient),
    businesses: businesses.map(({ businessId, businessName, document }) =>
      omitEmpty({ businessId, businessName, document }),
    ),
    users: toSeedUsers(users, readRows(dump, 'factors')),
    groups: toSeedGroups(
      readRows(dump, 'groups'),
      readRows(dump, 'memberships').filter(({ delegated, ...member }) => !delegated && isMember(member, members)),
    ),
    apiKeys: readRows(dump, 'apiKeys')
      .filter(({ clientId }) => clientIds.has(clientId))
      .map(({ apiKeyId, appId, clientId, keyHash, hint }) => ({ apiKeyId, appId, clientId, keyHash, hint })),
    corporateGroups: readRows(dump, 'corporateGroups').map(
      ({ corporateGroupId, corporateGroupName, organizationId, businesses }) =>
        omitEmpty({ corporateGroupId, corporateGroupName, organizationId, businesses }),
    ),
    products: readRows(dump, 'products').map((product) => omitEmpty({ ...product })),
    mainframe: readRows(dump, 'logons').map((logon) => omitEmpty({ ...logon })),
    providers: readRows(dump, 'providers').map((provider) => ({ ...provider })),
  }) as SeedDocument;
}

interface ExportedOwners {
  readonly users: ReadonlySet<string>;
  readonly businesses: ReadonlySet<string>;
}

function isExportable({ bootstrap, userId, businessId, ownerClientId }: Client, owners: ExportedOwners): boolean {
  if (bootstrap !== undefined || ownerClientId !== undefined) return false;
  if (userId !== undefined && !owners.users.has(userId)) return false;
  return businessId === undefined || owners.businesses.has(businessId);
}

interface ExportedMembers extends ExportedOwners {
  readonly services: ReadonlySet<string | undefined>;
}

function isMember({ kind, memberId }: Pick<Membership, 'kind' | 'memberId'>, members: ExportedMembers): boolean {
  if (kind === 'business') return members.businesses.has(memberId);
  return kind === 'service' ? members.services.has(memberId) : members.users.has(memberId);
}

/** Removes undefined and empty values. */
function omitEmpty<T extends object>(values: T): T {
  const isEmpty = (value: unknown) => value === undefined || (Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(values).filter(([, value]) => !isEmpty(value))) as T;
}

function toSeedClient({
  createdAt: _,
  tokenGeneration: _generation,
  ownerClientId: _owner,
  bootstrap: __,
  ...client
}: Client) {
  return omitEmpty(client);
}

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

function toSeedUsers(users: readonly User[], factors: readonly Factor[]): Users {
  const byUser = groupBy(factors, ({ userId }) => userId);
  return users.map((user) => toSeedUser(user, byUser.get(user.userId) ?? [])) as Users;
}

function toSeedUser(user: User, factors: readonly Factor[]) {
  const { userId, userName, passwordHash, businessId, lead, locked, identities, legacyLogons } = user;
  const isCertificate = (name: string) => name.startsWith(certificatePrefix);
  return omitEmpty({
    userId,
    userName: isUserNameVerified(user) ? userName : undefined,
    passwordHash,
    userEmail: user.emailVerified ? user.userEmail : undefined,
    userMobile: user.mobileVerified ? user.userMobile : undefined,
    businessId,
    lead: lead || undefined,
    locked: locked || undefined,
    identities: identities.filter((name) => !isCertificate(name)),
    certificates: identities.filter(isCertificate).map((name) => name.slice(certificatePrefix.length)),
    legacyLogons,
    factors: factors.map(({ factorId: id, contactType, email, mobile, tags, verified }) =>
      omitEmpty({ id, contactType, email, mobile, tags, verified: verified ? undefined : false }),
    ),
  });
}

function toSeedGroups(groups: readonly Group[], memberships: readonly Membership[]): Groups {
  const names = new Map(groups.map(({ groupId, groupName }) => [groupId, groupName]));
  const byGroup = groupBy(memberships, ({ groupId }) => groupId);
  return groups.map(({ groupId, groupName, organizationId, businessUnitId, roles, dependencies }) =>
    omitEmpty({
      // Bootstrap groups have different ids on every server.
      groupId: bootstrapGroupNames.includes(groupName) ? undefined : groupId,
      groupName,
      organizationId,
      businessUnitId,
      roles,
      dependencies: dependencies.flatMap((id) => names.get(id) ?? []).map((name) => ({ groupName: name })),
      ...toSeedMembers(byGroup.get(groupId) ?? []),
    }),
  ) as Groups;
}

function toSeedMembers(memberships: readonly Membership[]) {
  const idsOf = (kind: Membership['kind']) =>
    memberships.filter((membership) => membership.kind === kind).map(({ memberId }) => memberId);
  return {
    users: idsOf('user'),
    businesses: idsOf('business'),
    services: idsOf('service'),
    businessUsers: memberships
      .filter(({ kind }) => kind === 'businessUser')
      .map(({ businessId, memberId }) => ({ businessId, userId: memberId })),
  };
}
