/**
 * Converts the export of a Keycloak realm (RealmRepresentation of its Admin REST API) into a seed: users, groups with their
 * roles, and clients.
 */
import * as z from 'zod';
import { formatPath } from '../../../contract/errors.ts';
import { isVerifiable } from '../../users/hashes/kinds.ts';
import type { SeedGroup, SeedUser } from '../schema.ts';
import { ConversionError, ConvertedSeed, type ImportResult } from './converted-seed.ts';
import { type RoleCase, RoleNames } from './roles.ts';

const names = z.array(z.string()).default([]);
const namesByClient = z.record(z.string(), z.array(z.string())).default({});

const Role = z.object({
  name: z.string(),
  composites: z.object({ realm: names, client: namesByClient }).prefault({}).optional(),
});

const Credential = z.object({
  type: z.string(),
  credentialData: z.string().optional(),
  secretData: z.string().optional(),
});

const User = z.object({
  id: z.string().optional(),
  username: z.string(),
  email: z.string().optional(),
  emailVerified: z.boolean().default(false),
  enabled: z.boolean().default(true),
  serviceAccountClientId: z.string().optional(),
  credentials: z.array(Credential).default([]),
  federatedIdentities: z.array(z.unknown()).default([]),
  realmRoles: names,
  clientRoles: namesByClient,
  groups: names,
});

const Group = z.object({
  name: z.string(),
  realmRoles: names,
  clientRoles: namesByClient,
  get subGroups() {
    return z.array(Group).default([]);
  },
});
type Group = z.output<typeof Group>;

const Client = z.object({
  clientId: z.string(),
  enabled: z.boolean().default(true),
  protocol: z.string().default('openid-connect'),
  publicClient: z.boolean().default(false),
  secret: z.string().optional(),
  serviceAccountsEnabled: z.boolean().default(false),
  redirectUris: names,
});

/** Members that are not listed here are counted in the report if they have entries. */
const Realm = z.looseObject({
  realm: z.string(),
  users: z.array(User).default([]),
  groups: z.array(Group).default([]),
  clients: z.array(Client).default([]),
  roles: z
    .object({ realm: z.array(Role).default([]), client: z.record(z.string(), z.array(Role)).default({}) })
    .prefault({}),
});
type Realm = z.output<typeof Realm>;

/** Of Keycloak itself. */
const ownClients: ReadonlySet<string> = new Set([
  'account',
  'account-console',
  'admin-cli',
  'broker',
  'realm-management',
  'security-admin-console',
]);
const isOwnRole = (name: string) => /^(default-roles-.*|offline_access|uma_authorization)$/.test(name);

/** Groups deeper than this are left out: a file can contain any number of levels. */
const maxDepth = 20;

/** @throws ConversionError if it is not an export of a realm */
export async function convertRealm(
  document: object,
  file: string,
  { roleCase = 'keep' }: { readonly roleCase?: RoleCase | undefined } = {},
): Promise<ImportResult> {
  const { data: realm, error } = Realm.safeParse(document);
  if (realm === undefined) {
    const [issue] = error.issues;
    throw new ConversionError(
      `${file} is not the export of a realm: ${formatPath(issue?.path ?? [])} ${issue?.message}`,
    );
  }
  const seed = new ConvertedSeed();
  const roles = new RealmRoles(realm, new RoleNames(seed, roleCase));
  const groupsByPath = convertGroups(realm, roles, seed);
  const groupsByRole = new Map<string, SeedGroup>();
  const addToRoles = (granted: readonly string[], member: Member) => {
    for (const role of granted) addMember(findRoleGroup(role, groupsByRole, seed), member);
  };
  const services = convertClients(realm, seed);
  for (const user of realm.users) {
    const member = convertMember(user, services, seed);
    // A service account whose client was left out.
    if (member === undefined) continue;
    addToRoles(roles.resolve(user), member);
    for (const path of user.groups) {
      const group = groupsByPath.get(path);
      if (group) addMember(group, member);
      else seed.leaveOut('membership', `${user.username} in ${path}`, 'the group is not in the file');
    }
  }
  reportOthers(realm, seed);
  return seed.finish();
}

type Grants = Pick<z.output<typeof User>, 'realmRoles' | 'clientRoles'>;

/** The roles of the realm and its clients; composites are replaced by what they contain. */
class RealmRoles {
  readonly #parts = new Map<string, readonly string[]>();
  readonly #names: RoleNames;

  constructor({ roles }: Realm, names: RoleNames) {
    this.#names = names;
    const keysOf = ({ composites }: z.output<typeof Role>) =>
      composites ? this.#keysOf({ realmRoles: composites.realm, clientRoles: composites.client }) : [];
    for (const role of roles.realm) this.#parts.set(role.name, keysOf(role));
    for (const [client, own] of Object.entries(roles.client))
      for (const role of own) this.#parts.set(`${client}.${role.name}`, keysOf(role));
  }

  /** The converted names of these roles and of all that they contain; without those of Keycloak itself. */
  resolve(grants: Grants): readonly string[] {
    const keys = new Set(this.#keysOf(grants));
    // A set also visits what is added meanwhile, each key once, so cycles end.
    for (const key of keys) for (const part of this.#parts.get(key) ?? []) keys.add(part);
    const own = [...keys].filter((key) => !isOwnRole(key) && !ownClients.has(key.split('.')[0] ?? ''));
    return own.flatMap((key) => this.#names.convert(key) ?? []).sort();
  }

  #keysOf({ realmRoles, clientRoles }: Grants): string[] {
    const ofClients = Object.entries(clientRoles).flatMap(([client, own]) => own.map((name) => `${client}.${name}`));
    return [...realmRoles, ...ofClients];
  }
}

/** A group below another one inherits its roles: it depends on it. */
function convertGroups({ groups }: Realm, roles: RealmRoles, seed: ConvertedSeed): Map<string, SeedGroup> {
  const byPath = new Map<string, SeedGroup>();
  const convert = (group: Group, parents: readonly string[]) => {
    const path = [...parents, group.name];
    if (path.length > maxDepth) return seed.leaveOut('group', `/${path.join('/')}`, `is below ${maxDepth} others`);
    const groupName = path.join('.');
    if (parents.length > 0) seed.change('group', `/${path.join('/')}`, `is ${groupName}`);
    const converted: SeedGroup = { groupName, roles: [...roles.resolve(group)], users: [], services: [] };
    if (parents.length > 0) converted.dependencies = [{ groupName: parents.join('.') }];
    seed.groups.push(converted);
    byPath.set(`/${path.join('/')}`, converted);
    for (const child of group.subGroups) convert(child, path);
  };
  for (const group of groups) convert(group, []);
  return byPath;
}

/** Users get roles by groups only: a role that was granted to users becomes a group of them. */
function findRoleGroup(role: string, byRole: Map<string, SeedGroup>, seed: ConvertedSeed): SeedGroup {
  const known = byRole.get(role);
  if (known) return known;
  const group: SeedGroup = { groupName: `role ${role}`, roles: [role], users: [], services: [] };
  byRole.set(role, group);
  seed.groups.push(group);
  return group;
}

/** Has one of the two. */
interface Member {
  readonly user?: string;
  readonly service?: string;
}

/** Converts a user. The user of a service account is part of its client. */
function convertMember(
  user: z.output<typeof User>,
  services: ReadonlyMap<string, string>,
  seed: ConvertedSeed,
): Member | undefined {
  if (user.serviceAccountClientId !== undefined) {
    const service = services.get(user.serviceAccountClientId);
    return service === undefined ? undefined : { service };
  }
  const converted = convertUser(user, seed);
  seed.users.push(converted);
  return { user: converted.userId ?? user.username };
}

function addMember(group: SeedGroup, { user, service }: Member): void {
  if (user !== undefined) group.users?.push(user);
  if (service !== undefined) group.services?.push(service);
}

function convertUser(user: z.output<typeof User>, seed: ConvertedSeed): SeedUser {
  const { id, username, enabled, credentials, federatedIdentities } = user;
  const password = credentials.find(({ type }) => type === 'password');
  const passwordHash = password && toArgon2Hash(password);
  if (passwordHash === undefined)
    seed.change(
      'user',
      username,
      password ? 'must set a new password: its hash is not Argon2id, or too costly' : 'has no password',
    );
  for (const { type } of credentials)
    if (type !== 'password') seed.leaveOut('credential', `${type} of ${username}`, 'must be registered again');
  if (federatedIdentities.length > 0)
    seed.leaveOut('federated identities', username, 'links to identity providers are not converted');
  return {
    userId: id ?? username,
    userName: username,
    ...seed.takeEmail(username, user.email, user.emailVerified),
    ...(enabled ? {} : { locked: true }),
    ...(passwordHash === undefined ? {} : { passwordHash }),
  };
}

const Parameters = z.record(z.string(), z.array(z.string()));
const CredentialData = z.object({
  algorithm: z.literal('argon2'),
  hashIterations: z.int().min(1).max(100),
  additionalParameters: Parameters,
});
const SecretData = z.object({ value: z.base64(), salt: z.base64() });

/** The PHC string of an Argon2id hash (version 1.3), the default since Keycloak 25; undefined for other hashes. */
function toArgon2Hash({ credentialData = '', secretData = '' }: z.output<typeof Credential>): string | undefined {
  const data = parseJson(CredentialData, credentialData);
  const secret = parseJson(SecretData, secretData);
  if (!data || !secret) return undefined;
  const [type, version, memory, parallelism] = ['type', 'version', 'memory', 'parallelism'].map(
    (name) => data.additionalParameters[name]?.[0] ?? '',
  );
  const isUsable =
    type === 'id' && version === '1.3' && /^\d{1,7}$/.test(memory ?? '') && /^\d{1,2}$/.test(parallelism ?? '');
  if (!isUsable) return undefined;
  const encode = (base64: string) => base64.replaceAll('=', '');
  const hash = `$argon2id$v=19$m=${memory},t=${data.hashIterations},p=${parallelism}$${encode(secret.salt)}$${encode(secret.value)}`;
  return isVerifiable(hash) ? hash : undefined;
}

function parseJson<Schema extends z.ZodType>(schema: Schema, text: string): z.output<Schema> | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** @returns the ids of service accounts by client */
function convertClients({ clients }: Realm, seed: ConvertedSeed): Map<string, string> {
  const services = new Map<string, string>();
  for (const client of clients) {
    const { clientId, enabled, protocol, publicClient, secret, serviceAccountsEnabled, redirectUris } = client;
    if (ownClients.has(clientId)) continue;
    // Keycloak hides secrets in exports that are not complete. Without one the client would be public.
    const isKnown = secret !== undefined && !/^\*+$/.test(secret);
    if (protocol !== 'openid-connect') seed.leaveOut('client', clientId, `its protocol is ${protocol}`);
    else if (!enabled) seed.leaveOut('client', clientId, 'it is disabled');
    else if (!publicClient && !isKnown) seed.leaveOut('client', clientId, 'the file does not contain its secret');
    else {
      const [redirectURI, ...others] = redirectUris.filter((uri) => URL.canParse(uri) && !uri.includes('*'));
      if (others.length > 0 || redirectUris.length > (redirectURI === undefined ? 0 : 1))
        seed.leaveOut('redirect URIs', clientId, 'a client has one, without a wildcard');
      if (serviceAccountsEnabled) {
        services.set(clientId, `service-${clientId}`);
        seed.change('service account', clientId, `is service-${clientId}`);
      }
      seed.clients.push({
        clientId,
        ...(publicClient ? {} : { clientSecret: secret }),
        ...(serviceAccountsEnabled ? { serviceAccountId: `service-${clientId}` } : {}),
        ...(redirectURI === undefined ? {} : { redirectURI }),
      });
    }
  }
  return services;
}

const converted: ReadonlySet<string> = new Set(['users', 'groups', 'clients', 'roles']);

function reportOthers(realm: Realm, seed: ConvertedSeed): void {
  for (const [name, value] of Object.entries(realm))
    if (!converted.has(name) && Array.isArray(value) && value.length > 0)
      seed.leaveOut(name, `${value.length} entries`, 'are not converted');
}
