/** The roles of a realm and of its clients. A composite role grants the roles that it contains, too. */
import type { ImportReport } from '../report.ts';
import type { Grants, Realm } from './realm.ts';
import type { RoleNames } from './role-names.ts';

/** A role of the realm, or of a client. */
export interface RoleReference {
  readonly client?: string;
  readonly name: string;
}

/** Of Keycloak itself. */
const ownClients: ReadonlySet<string> = new Set([
  'account',
  'account-console',
  'admin-cli',
  'broker',
  'realm-management',
  'security-admin-console',
]);

export function isKeycloakClient(clientId: string, realm: string): boolean {
  return ownClients.has(clientId) || isAdministrativeClient(clientId, realm);
}

/** Whether the roles of a client administer Keycloak. The realm `master` has such a client for each realm. */
function isAdministrativeClient(clientId: string, realm: string): boolean {
  return (
    clientId === 'realm-management' ||
    // The former `master` keeps its clients under a new name.
    clientId === `${realm}-realm` ||
    (realm === 'master' && /-realm$/.test(clientId))
  );
}

const isOwnRole = (name: string) => /^(offline_access|uma_authorization)$/.test(name);
/** The role with the default roles. It has no meaning besides them. */
const isDefaultRole = (name: string) => /^default-roles-/.test(name);

export class RealmRoles {
  readonly #realm: string;
  readonly #names: RoleNames;
  readonly #report: ImportReport;
  readonly #parts = new Map<string, readonly RoleReference[]>();
  readonly #granted = new Map<string, readonly string[]>();
  readonly #administrative = new Set<string>();
  readonly #defined: readonly RoleReference[];

  constructor({ name, realmRoles, clientRoles }: Realm, names: RoleNames, report: ImportReport) {
    this.#realm = name;
    this.#names = names;
    this.#report = report;
    for (const role of realmRoles) this.#parts.set(roleKey(role), listRoleReferences(role.parts));
    for (const [client, roles] of clientRoles)
      for (const role of roles) this.#parts.set(roleKey({ client, name: role.name }), listRoleReferences(role.parts));
    this.#defined = [
      ...realmRoles.map((role) => ({ name: role.name })),
      ...[...clientRoles].flatMap(([client, roles]) => roles.map((role) => ({ client, name: role.name }))),
    ].filter(({ client }: RoleReference) => client === undefined || !isKeycloakClient(client, name));
    // A role that can keep its name does so, whatever others become.
    for (const role of this.#defined) if (names.canKeep(displayName(role))) this.#nameOf(role);
  }

  /** The roles of the realm and of its clients, without those of Keycloak itself. */
  get defined(): readonly RoleReference[] {
    return this.#defined;
  }

  /** The converted names of these roles and of all that they contain, without those of Keycloak itself. */
  convert(references: readonly RoleReference[]): string[] {
    return [...new Set(references.flatMap((reference) => this.#convertOne(reference)))].sort();
  }

  #convertOne(reference: RoleReference): readonly string[] {
    const key = roleKey(reference);
    const known = this.#granted.get(key);
    if (known) return known;
    const contained = new Map([[key, reference]]);
    // A map also visits what is added meanwhile, each key once, so cycles end.
    // Those that administer Keycloak contain others of their kind.
    for (const one of contained.values())
      if (one.client === undefined || !isAdministrativeClient(one.client, this.#realm))
        for (const part of this.#parts.get(roleKey(one)) ?? []) contained.set(roleKey(part), part);
    const names = [...contained.values()].flatMap((one) => this.#nameOf(one) ?? []);
    this.#granted.set(key, names);
    return names;
  }

  #nameOf(reference: RoleReference): string | undefined {
    const { client, name } = reference;
    if (client === undefined) return isOwnRole(name) || isDefaultRole(name) ? undefined : this.#convertName(reference);
    if (isAdministrativeClient(client, this.#realm)) this.#reportAdministrative(reference);
    // Keycloak adds uma_protection to each client with authorization services.
    return isKeycloakClient(client, this.#realm) || name === 'uma_protection'
      ? undefined
      : this.#convertName(reference);
  }

  #convertName(reference: RoleReference): string | undefined {
    return this.#names.convert(roleKey(reference), displayName(reference));
  }

  #reportAdministrative(reference: RoleReference): void {
    const name = displayName(reference);
    if (this.#administrative.has(name)) return;
    this.#administrative.add(name);
    this.#report.lose(
      'roles',
      name,
      'administers Keycloak. The groups iam-administrators and iam-auditors administer this service',
    );
  }
}

export function listRoleReferences({ realm, client }: Grants): RoleReference[] {
  const ofClients = [...client].flatMap(([id, names]) => names.map((name) => ({ client: id, name })));
  return [...realm.map((name) => ({ name })), ...ofClients];
}

/** The client comes first, as in the settings of Keycloak. */
export function displayName({ client, name }: RoleReference): string {
  return client === undefined ? name : `${client}.${name}`;
}

export function roleKey({ client, name }: RoleReference): string {
  return JSON.stringify([client ?? null, name]);
}
