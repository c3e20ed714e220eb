/**
 * The export of a realm (RealmRepresentation of the Admin REST API of Keycloak): in one file, in one file for each hundred
 * users beside that of the realm, or in a list of realms.
 */
import { ConversionError } from '../converted-seed.ts';
import type { ImportReport } from '../report.ts';
import { upgradeRealm } from './deprecated.ts';
import { type Fields, isAbsent, isFields, toObjects, toText, toTexts, toTextsByName } from './fields.ts';
import { mergeParts } from './merge-parts.ts';
import { reportShapes } from './shapes.ts';

/** Roles of the realm, and of clients by their ids. */
export interface Grants {
  readonly realm: readonly string[];
  readonly client: ReadonlyMap<string, readonly string[]>;
}

export interface Role {
  readonly name: string;
  readonly parts: Grants;
}

export interface Realm {
  readonly name: string;
  readonly users: readonly Fields[];
  readonly groups: readonly Fields[];
  readonly clients: readonly Fields[];
  readonly identityProviders: readonly Fields[];
  readonly realmRoles: readonly Role[];
  readonly clientRoles: ReadonlyMap<string, readonly Role[]>;
  /** Of new users. Until Keycloak 12, clients had some, too. */
  readonly defaultRoles: readonly { readonly client?: string; readonly name: string }[];
  readonly defaultGroups: readonly string[];
  /** All members of the realm. */
  readonly fields: Fields;
}

/** A parsed file, and its name. */
export interface RealmFile {
  readonly file: string;
  readonly document: unknown;
  /** Members that its text repeats: Keycloak reads the last of them. */
  readonly repeated?: readonly string[];
}

/** Members of which the parts of an export have some entries each. */
const lists = ['users', 'groups', 'clients', 'identityProviders'] as const;
const formerLists = ['applications', 'oauthClients'] as const;

/**
 * @param name of the realm to read, if the files contain several
 * @throws ConversionError for a file that is no such export, for several realms without a name, or for users alone
 */
export function readRealm(files: readonly RealmFile[], report: ImportReport, name?: string): Realm {
  const parts = files.flatMap(({ file, document }) =>
    (Array.isArray(document) ? document : [document]).map((part) => ({ file, fields: assertRealm(part, file) })),
  );
  const names = [...new Set(parts.map(({ fields }) => String(fields.realm)))];
  if (names.length === 0) throw new ConversionError(`${files.map(({ file }) => file).join(', ')} contains no realm`);
  const own = names.length > 1 ? names.filter((one) => one !== 'master') : names;
  const selected = name ?? (own.length === 1 ? own[0] : undefined);
  if (selected === undefined)
    throw new ConversionError(`there are several realms, ${names.join(', ')}: select one with --realm`);
  if (!names.includes(selected))
    throw new ConversionError(`there is no realm ${selected}; there are ${names.join(', ')}`);
  for (const other of names)
    if (other !== selected) report.leaveOut('realms', other, 'is not converted: select it with --realm');
  const selectedFiles = parts.filter(({ fields }) => fields.realm === selected);
  const selectedParts = selectedFiles.map(({ fields }) => fields);
  if (selectedParts.every(hasOnlyUsers) && selectedParts.some(hasGrants))
    throw new ConversionError(
      `the files contain users of the realm ${selected}, and not its roles and groups: name the file of the realm, too, such as ${selected}-realm.json`,
    );
  for (const { fields, file } of selectedFiles) reportShapes(fields, file, report);
  return buildRealm(selected, mergeParts(selectedParts.map(upgradeRealm), selected, report));
}

const userMembers: ReadonlySet<string> = new Set(['realm', 'users', 'federatedUsers']);
const grantMembers = ['realmRoles', 'clientRoles', 'groups'];

/** Whether a part is one of those that `kc.sh export` writes beside the file of a realm. */
function hasOnlyUsers(part: Fields): boolean {
  return Object.keys(part).every((member) => userMembers.has(member));
}

function hasGrants({ users, federatedUsers }: Fields): boolean {
  return [...toObjects(users), ...toObjects(federatedUsers)].some((user) =>
    grantMembers.some((member) => !isAbsent(user[member])),
  );
}

function assertRealm(value: unknown, file: string): Fields {
  const fail = (what: string): never => {
    throw new ConversionError(`${file} is not the export of a realm: ${what}`);
  };
  if (!isFields(value)) return fail('it is no object');
  // The resource KeycloakRealmImport of the operator for Kubernetes.
  if (isFields(value.spec) && isFields(value.spec.realm)) return assertRealm(value.spec.realm, file);
  if (isAbsent(value.realm))
    return fail(
      'it has no realm. Name what `kc.sh export` or the console writes; `iam import auth0` reads users of Auth0',
    );
  if (typeof value.realm !== 'string') return fail('realm must be text');
  for (const list of [...lists, ...formerLists])
    if (value[list] !== undefined && value[list] !== null && !Array.isArray(value[list]))
      return fail(`${list} must be a list`);
  return value;
}

function buildRealm(name: string, fields: Fields): Realm {
  const roles = isFields(fields.roles) ? fields.roles : {};
  const ofClients = isFields(roles.client) ? roles.client : {};
  const defaultRole = isFields(fields.defaultRole) ? toText(fields.defaultRole.name) : undefined;
  const clients = toObjects(fields.clients);
  return {
    name,
    users: toObjects(fields.users),
    groups: toObjects(fields.groups),
    clients,
    identityProviders: toObjects(fields.identityProviders),
    realmRoles: readRoles(roles.realm),
    clientRoles: new Map(Object.entries(ofClients).map(([client, list]) => [client, readRoles(list)])),
    defaultRoles:
      defaultRole === undefined
        ? [...toTexts(fields.defaultRoles).map((role) => ({ name: role })), ...clients.flatMap(readDefaults)]
        : [{ name: defaultRole }],
    defaultGroups: toTexts(fields.defaultGroups),
    fields,
  };
}

function readDefaults({ clientId, defaultRoles }: Fields): { client: string; name: string }[] {
  return toTexts(defaultRoles).map((name) => ({ client: toText(clientId) ?? '', name }));
}

function readRoles(value: unknown): Role[] {
  return toObjects(value).flatMap(({ name, composites }) => {
    const text = toText(name);
    const { realm, client } = isFields(composites) ? composites : {};
    return text === undefined ? [] : [{ name: text, parts: { realm: toTexts(realm), client: toTextsByName(client) } }];
  });
}

/** The roles of a user or group. Keycloak trims their names. */
export function readGrants({ realmRoles, clientRoles }: Fields): Grants {
  const trim = (names: readonly string[]) => names.map((name) => name.trim()).filter(Boolean);
  const ofClients = [...toTextsByName(clientRoles)].map(([client, names]) => [client, trim(names)] as const);
  return { realm: trim(toTexts(realmRoles)), client: new Map(ofClients) };
}
