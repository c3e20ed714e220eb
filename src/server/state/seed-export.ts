/** The seed that makes what is there: entities only, with hashes in the place of passwords and secrets. */
import { bootstrapGroups } from '../bootstrap-groups.ts';
import { certificatePrefix } from '../identity/certificate-login.ts';
import type { SeedDocument } from '../seed/schema.ts';
import {
  type ApiKey,
  type Business,
  type Client,
  type CorporateGroup,
  type Factor,
  type Group,
  isUserNameProven,
  type Logon,
  type Membership,
  type Product,
  type Provider,
  type Row,
  type TableName,
  type User,
} from '../store/tables.ts';
import type { Image } from './image.ts';

type Users = NonNullable<SeedDocument['users']>;
type Groups = NonNullable<SeedDocument['groups']>;

/**
 * What a seed can say of a state. The clients and the user of the first start are left out: every server has its own.
 * So is what a seed has no word for: sessions, codes, messages, contacts and names that are not proven, and memberships of
 * services that give only what their owner holds: a seed would give them every role of the group.
 */
export async function exportSeed(state: { now(): Promise<Image> }): Promise<SeedDocument> {
  const image = await state.now();
  const users = rowsIn<User>(image, 'users').filter(({ bootstrap }) => bootstrap === undefined);
  const clients = rowsIn<Client>(image, 'clients').filter(({ bootstrap }) => bootstrap === undefined);
  const known = new Set(users.map(({ userId }) => userId));
  return filled({
    clients: clients.map(seedClient),
    businesses: rowsIn<Business>(image, 'businesses').map(({ businessId, businessName, document }) =>
      filled({ businessId, businessName, document }),
    ),
    users: seedUsers(users, rowsIn<Factor>(image, 'factors')),
    groups: seedGroups(
      rowsIn<Group>(image, 'groups'),
      rowsIn<Membership>(image, 'memberships').filter(
        ({ kind, memberId, delegated }) =>
          !delegated && (kind === 'business' || kind === 'service' || known.has(memberId)),
      ),
    ),
    apiKeys: rowsIn<ApiKey>(image, 'apiKeys')
      .filter(({ clientId }) => clients.some((client) => client.clientId === clientId))
      .map(({ apiKeyId, appId, clientId, keyHash, hint }) => ({ apiKeyId, appId, clientId, keyHash, hint })),
    corporateGroups: rowsIn<CorporateGroup>(image, 'corporateGroups').map(
      ({ corporateGroupId, corporateGroupName, organizationId, businesses }) =>
        filled({ corporateGroupId, corporateGroupName, organizationId, businesses }),
    ),
    products: rowsIn<Product>(image, 'products').map((product) => filled({ ...product })),
    mainframe: rowsIn<Logon>(image, 'logons').map((logon) => filled({ ...logon })),
    providers: rowsIn<Provider>(image, 'providers').map((provider) => ({ ...provider })),
  }) as SeedDocument;
}

function rowsIn<R extends Row<TableName>>(image: Image, name: TableName): readonly R[] {
  return (image.get(name) ?? []) as unknown as readonly R[];
}

/** Without what is missing or empty. */
function filled<T extends object>(values: T): T {
  const isEmpty = (value: unknown) => value === undefined || (Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(values).filter(([, value]) => !isEmpty(value))) as T;
}

function seedClient({
  createdAt: _,
  tokensValidFrom: _until,
  ownerClientId: _owner,
  bootstrap: __,
  ...client
}: Client) {
  return filled(client);
}

function groupedBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

function seedUsers(users: readonly User[], factors: readonly Factor[]): Users {
  const byUser = groupedBy(factors, ({ userId }) => userId);
  return users.map((user) => seedUser(user, byUser.get(user.userId) ?? [])) as Users;
}

function seedUser(user: User, factors: readonly Factor[]) {
  const { userId, userName, passwordHash, businessId, lead, locked, identities, legacyLogons } = user;
  const isCertificate = (name: string) => name.startsWith(certificatePrefix);
  return filled({
    userId,
    userName: isUserNameProven(user) ? userName : undefined,
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
      filled({ id, contactType, email, mobile, tags, verified: verified ? undefined : false }),
    ),
  });
}

function seedGroups(groups: readonly Group[], memberships: readonly Membership[]): Groups {
  const names = new Map(groups.map(({ groupId, groupName }) => [groupId, groupName]));
  const byGroup = groupedBy(memberships, ({ groupId }) => groupId);
  return groups.map(({ groupId, groupName, organizationId, businessUnitId, roles, dependencies }) =>
    filled({
      // Every server gives the groups of its first start ids of its own.
      groupId: bootstrapGroups.includes(groupName) ? undefined : groupId,
      groupName,
      organizationId,
      businessUnitId,
      roles,
      dependencies: dependencies.flatMap((id) => names.get(id) ?? []).map((name) => ({ groupName: name })),
      ...membersOf(byGroup.get(groupId) ?? []),
    }),
  ) as Groups;
}

function membersOf(memberships: readonly Membership[]) {
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
