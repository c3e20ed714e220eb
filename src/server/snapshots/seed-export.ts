/** Exports a dump as a seed: entities only, with hashes instead of passwords and secrets. */
import { isBuiltInGroup } from '../../contract/roles.ts';
import { readRedirectUris } from '../directory/clients.ts';
import { certificatePrefix } from '../federation/certificate-login.ts';
import { createPause } from '../lib/event-loop-turns.ts';
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
  const users = await collect(readRows(dump, 'users'), (user) => (user.bootstrap === undefined ? user : undefined));
  const businesses = readRows(dump, 'businesses');
  const owners = {
    users: new Set(await collect(users, ({ userId }) => userId)),
    businesses: new Set(await collect(businesses, ({ businessId }) => businessId)),
  };
  const clients = await collect(readRows(dump, 'clients'), (client) =>
    isExportable(client, owners) ? client : undefined,
  );
  const clientIds = new Set(await collect(clients, ({ clientId }) => clientId));
  const members = { ...owners, services: new Set(await collect(clients, ({ serviceAccountId }) => serviceAccountId)) };
  return omitEmpty({
    clients: await collect(clients, toSeedClient),
    businesses: await collect(businesses, ({ businessId, businessName, document }) =>
      omitEmpty({ businessId, businessName, document }),
    ),
    users: await toSeedUsers(users, readRows(dump, 'factors')),
    groups: await toSeedGroups(
      readRows(dump, 'groups'),
      await collect(readRows(dump, 'memberships'), (membership) =>
        !membership.delegated && isMember(membership, members) ? membership : undefined,
      ),
    ),
    apiKeys: await collect(
      readRows(dump, 'apiKeys'),
      ({ createdAt: _, lastUsedAt: _used, rotatedAt: _rotated, ...key }) =>
        clientIds.has(key.clientId) ? key : undefined,
    ),
    corporateGroups: await collect(
      readRows(dump, 'corporateGroups'),
      ({ corporateGroupId, corporateGroupName, organizationId, businesses: members }) =>
        omitEmpty({ corporateGroupId, corporateGroupName, organizationId, businesses: members }),
    ),
    products: await collect(readRows(dump, 'products'), (product) => omitEmpty({ ...product })),
    mainframe: await collect(readRows(dump, 'logons'), (logon) => omitEmpty({ ...logon })),
    providers: await collect(readRows(dump, 'providers'), (provider) => ({ ...provider })),
  }) as SeedDocument;
}

/** Formats a seed as JSON, yielding to the event loop. */
export async function formatSeed(seed: SeedDocument): Promise<string> {
  const sections: string[] = [];
  for (const [name, entries] of Object.entries(seed) as [string, readonly object[]][]) {
    const lines = await collect(entries, (entry) => indent(JSON.stringify(entry, undefined, 2)));
    sections.push(`  ${JSON.stringify(name)}: [\n${lines.join(',\n')}\n  ]`);
  }
  return sections.length === 0 ? '{}\n' : `{\n${sections.join(',\n')}\n}\n`;
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '    ');
}

/** The results for the rows, without undefined ones, yielding to the event loop. */
async function collect<Entry, Result>(
  rows: readonly Entry[],
  toResult: (row: Entry) => Result | undefined,
): Promise<Result[]> {
  const pause = createPause();
  const results: Result[] = [];
  for (const row of rows) {
    const pausing = pause();
    if (pausing) await pausing;
    const result = toResult(row);
    if (result !== undefined) results.push(result);
  }
  return results;
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
  secretRotatedAt: _rotated,
  tokenGeneration: _generation,
  ownerClientId: _owner,
  bootstrap: __,
  redirectURI,
  otherRedirectURIs = [],
  ...client
}: Client) {
  const uris = readRedirectUris({ redirectURI, otherRedirectURIs });
  return omitEmpty({ ...client, ...(uris.length === 1 ? { redirectURI: uris[0] } : { redirectURIs: uris }) });
}

async function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Promise<Map<string, Item[]>> {
  const groups = new Map<string, Item[]>();
  await collect(items, (item) => {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  });
  return groups;
}

async function toSeedUsers(users: readonly User[], factors: readonly Factor[]): Promise<Users> {
  const byUser = await groupBy(factors, ({ userId }) => userId);
  return (await collect(users, (user) => toSeedUser(user, byUser.get(user.userId) ?? []))) as Users;
}

function toSeedUser(user: User, factors: readonly Factor[]) {
  const { userId, userName, passwordHash, businessId, lead, locked, identities, legacyLogons } = user;
  const isCertificate = (name: string) => name.startsWith(certificatePrefix);
  return omitEmpty({
    userId,
    userName: isUserNameVerified(user) ? userName : undefined,
    selfRegistered: user.selfRegistered,
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

async function toSeedGroups(groups: readonly Group[], memberships: readonly Membership[]): Promise<Groups> {
  const names = new Map(groups.map(({ groupId, groupName }) => [groupId, groupName]));
  const byGroup = await groupBy(memberships, ({ groupId }) => groupId);
  return (await collect(groups, ({ groupId, groupName, organizationId, businessUnitId, roles, dependencies }) =>
    omitEmpty({
      // Bootstrap groups have different ids on every server.
      groupId: isBuiltInGroup(groupName) ? undefined : groupId,
      groupName,
      organizationId,
      businessUnitId,
      roles,
      dependencies: dependencies.flatMap((id) => names.get(id) ?? []).map((name) => ({ groupName: name })),
      ...toSeedMembers(byGroup.get(groupId) ?? []),
    }),
  )) as Groups;
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
