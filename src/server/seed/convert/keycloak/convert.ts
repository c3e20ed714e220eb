/** Converts the export of a Keycloak realm into a seed: users, groups with their roles, clients and identity providers. */
import type { Random } from '../../../lib/random.ts';
import type { HashPassword } from '../../../users/passwords.ts';
import { type ConversionOptions, ConvertedSeed, type ImportResult } from '../converted-seed.ts';
import { UserIds } from '../user-ids.ts';
import { convertClients } from './clients.ts';
import { type Fields, isFields, reportUnreadableFlags, toFlag, toObjects, toText, toTexts } from './fields.ts';
import { RealmGroups, type RealmMember } from './groups.ts';
import { reportMappers } from './mappers.ts';
import { convertProviders, reportUnknownProviders } from './providers.ts';
import { type Realm, type RealmFile, readGrants, readRealm } from './realm.ts';
import { type RoleNameOptions, RoleNames } from './role-names.ts';
import { displayName, listRoleReferences, RealmRoles } from './roles.ts';
import { convertUser, readName } from './users.ts';

export interface RealmOptions extends ConversionOptions, RoleNameOptions {
  /** The realm to convert, if the files contain several. */
  readonly realm?: string | undefined;
}

export interface RealmDeps {
  readonly random: Random;
  readonly hash: HashPassword;
}

/** @throws ConversionError for files that are not exports of realms */
export async function convertRealm(
  files: readonly RealmFile[],
  { random, hash }: RealmDeps,
  options: RealmOptions = {},
): Promise<ImportResult> {
  const seed = new ConvertedSeed(options);
  const realm = readRealm(files, seed.report, options.realm);
  for (const { file, repeated = [] } of files)
    for (const message of repeated)
      seed.report.leaveOut('repeated members', file, `${message}; as in Keycloak, the last counts`);
  const roles = new RealmRoles(realm, new RoleNames(seed.report, options), seed.report);
  const groups = new RealmGroups(realm, roles, seed);
  const services = convertClients(realm, seed, random);
  convertProviders(realm, seed);
  const ids = new UserIds({
    clientIds: [...seed.clients.map(({ clientId }) => clientId), ...services.values()],
    userIds: realm.users.flatMap(({ id }) => toText(id) ?? []),
    userNames: realm.users.flatMap((fields) => readName(fields) ?? []),
  });
  const deps = { seed, ids, hash, logsInByEmail: toFlag(realm.fields.loginWithEmailAllowed, true) };
  for (const [at, fields] of realm.users.entries()) {
    const member = findService(fields, services) ?? (await convertMember(fields, at));
    if (member) addMember(fields, member, { groups, seed });
  }
  async function convertMember(fields: Fields, at: number): Promise<RealmMember | undefined> {
    // A service account that no client of the seed logs in for. It has a note of its own.
    if (toText(fields.serviceAccountClientId) !== undefined) return undefined;
    const user = await convertUser(fields, at, deps);
    if (user) seed.users.push(user);
    return user && { user: user.userId };
  }
  addUngrantedRoles(roles, groups, seed);
  reportDefaults(realm, seed, groups);
  reportUnknownProviders(realm, seed);
  reportMappers(realm, seed.report);
  reportOthers(realm, seed);
  return seed.finish();
}

function findService(fields: Fields, services: ReadonlyMap<string, string>): RealmMember | undefined {
  const name = toText(fields.username);
  // A user can have the name of a client.
  const named = name?.startsWith('service-account-') ? name : undefined;
  const service = services.get(toText(fields.serviceAccountClientId) ?? named ?? '');
  return service === undefined ? undefined : { service };
}

interface MemberDeps {
  readonly groups: RealmGroups;
  readonly seed: ConvertedSeed;
}

function addMember(fields: Fields, member: RealmMember, { groups, seed }: MemberDeps): void {
  for (const role of listRoleReferences(readGrants(fields))) groups.addToRole(role, member);
  for (const path of toTexts(fields.groups))
    if (!groups.addToGroup(path, member))
      seed.report.lose('memberships', `${toText(fields.username)} in ${path}`, 'the group is not in the file');
}

/** Roles exist here as those of groups: a role that no member has becomes a group without members. */
function addUngrantedRoles(roles: RealmRoles, groups: RealmGroups, seed: ConvertedSeed): void {
  const granted = new Set(seed.groups.flatMap((group) => group.roles ?? []));
  for (const role of roles.defined) groups.addRoleUnless(role, granted);
}

/** Those of new users: in an export, each user has its own. */
function reportDefaults({ defaultRoles, defaultGroups }: Realm, seed: ConvertedSeed, groups: RealmGroups): void {
  for (const role of defaultRoles) {
    const group = groups.addRole(role);
    if (group !== undefined)
      seed.report.leaveOut(
        'default roles',
        displayName(role),
        `is not given to new users: add them to the group ${group}`,
      );
  }
  for (const path of defaultGroups)
    seed.report.leaveOut('default groups', path, 'new users are not added to it: add them when they are created');
}

/** Members of a realm that people could miss. Flows and scopes have no place here. */
function reportOthers({ name, users, fields }: Realm, { report }: ConvertedSeed): void {
  const organizations = toObjects(fields.organizations).length;
  if (organizations > 0) report.leaveOut('organizations', `${organizations} entries`, 'are not converted');
  // Their grants and second factors, beside what their federation stores.
  for (const user of toObjects(fields.federatedUsers))
    report.lose('federated users', toText(user.id) ?? toText(user.username) ?? '', 'is in a user federation');
  reportUnreadableFlags(fields, ['enabled', 'loginWithEmailAllowed'], name, report);
  if (!toFlag(fields.enabled, true))
    report.change('realms', name, 'is disabled: here its users and clients log in, until you lock or delete them');
  if (!isFields(fields.roles) && users.some((user) => listRoleReferences(readGrants(user)).length > 0))
    report.change(
      'realms',
      name,
      'no file defines its roles: if it has a file besides those of users, name that, too, for what roles contain',
    );
  const components = isFields(fields.components) ? fields.components : {};
  const federations = [
    ...toObjects(components['org.keycloak.storage.UserStorageProvider']),
    ...toObjects(fields.userFederationProviders),
  ];
  for (const federation of federations)
    report.lose(
      'user federations',
      toText(federation.name) ?? toText(federation.displayName) ?? '',
      'its users log in with passwords that the file does not contain',
    );
}
