/** The roles of a realm and of its clients. A composite role grants the roles that it contains, too. */
import { findComponents } from '../../../lib/topological-order.ts';
import type { ImportReport } from '../report.ts';
import type { Grants, Realm, Role } from './realm.ts';
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
  'admin-permissions',
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

/** A composite role, or several that contain each other and so grant the same. */
export interface CompositeRole {
  readonly members: readonly RoleReference[];
  /** The converted names of these, and of those that they contain and that are not composite. */
  readonly roles: readonly string[];
  /** The others that they contain. */
  readonly parts: readonly CompositeRole[];
}

/** What roles grant. */
export interface ConvertedRoles {
  readonly roles: readonly string[];
  readonly composites: readonly CompositeRole[];
}

export class RealmRoles {
  readonly #realm: string;
  readonly #names: RoleNames;
  readonly #report: ImportReport;
  readonly #composites = new Map<string, CompositeRole>();
  readonly #reported = new Set<string>();
  readonly #defined: readonly RoleReference[];

  constructor({ name, realmRoles, clientRoles }: Realm, names: RoleNames, report: ImportReport) {
    this.#realm = name;
    this.#names = names;
    this.#report = report;
    this.#defined = [
      ...realmRoles.map((role) => ({ name: role.name })),
      ...[...clientRoles].flatMap(([client, roles]) => roles.map((role) => ({ client, name: role.name }))),
    ].filter(({ client }: RoleReference) => client === undefined || !isKeycloakClient(client, name));
    // A role that can keep its name does so, whatever others become.
    for (const role of this.#defined) if (names.canKeep(displayName(role))) this.#nameOf(role);
    this.#readComposites([
      ...realmRoles,
      ...[...clientRoles].flatMap(([client, roles]) => roles.map((role) => ({ ...role, client }))),
    ]);
  }

  /** The roles of the realm and of its clients, without those of Keycloak itself. */
  get defined(): readonly RoleReference[] {
    return this.#defined;
  }

  /** What these roles grant, without those of Keycloak itself. */
  convert(references: readonly RoleReference[]): ConvertedRoles {
    const roles = new Set<string>();
    const composites = new Set<CompositeRole>();
    for (const reference of references) {
      const composite = this.#composites.get(roleKey(reference));
      const name = composite ? undefined : this.#nameOf(reference);
      if (name !== undefined) roles.add(name);
      if (composite && grantsSomething(composite)) composites.add(composite);
    }
    return { roles: [...roles].sort(), composites: [...composites] };
  }

  #readComposites(roles: readonly (Role & RoleReference)[]): void {
    const contents = new Map<string, readonly RoleReference[]>();
    const references = new Map<string, RoleReference>();
    for (const { parts, ...reference } of roles) {
      const contained = listRoleReferences(parts);
      // Those that administer Keycloak contain others of their kind.
      if (contained.length === 0 || isAdministrativeClient(reference.client ?? '', this.#realm)) continue;
      contents.set(roleKey(reference), contained);
      references.set(roleKey(reference), reference);
    }
    const nodes = [...contents].map(([key, contained]) => ({ key, targets: contained.map(roleKey) }));
    for (const keys of findComponents(nodes)) {
      const members = keys.flatMap((key) => references.get(key) ?? []);
      const own = new Set(keys);
      const contained = keys.flatMap((key) => contents.get(key) ?? []).filter((part) => !own.has(roleKey(part)));
      const { roles: others, composites: parts } = this.convert(contained);
      const names = [...others, ...members.flatMap((member) => this.#nameOf(member) ?? [])];
      const composite = { members, roles: [...new Set(names)].sort(), parts };
      for (const key of keys) this.#composites.set(key, composite);
    }
  }

  #nameOf(reference: RoleReference): string | undefined {
    const { client, name } = reference;
    if (client === undefined) return isOwnRole(name) || isDefaultRole(name) ? undefined : this.#convertName(reference);
    if (isAdministrativeClient(client, this.#realm)) this.#reportAdministrative(reference);
    if (isKeycloakClient(client, this.#realm)) return undefined;
    if (name !== 'uma_protection') return this.#convertName(reference);
    this.#reportOnce(reference, (role) =>
      this.#report.leaveOut('roles', role, 'manages resources of authorization services, which are not converted'),
    );
    return undefined;
  }

  #convertName(reference: RoleReference): string | undefined {
    return this.#names.convert(roleKey(reference), displayName(reference));
  }

  #reportAdministrative(reference: RoleReference): void {
    this.#reportOnce(reference, (role) =>
      this.#report.lose(
        'roles',
        role,
        'administers Keycloak. The groups iam-administrators and iam-auditors administer this service',
      ),
    );
  }

  #reportOnce(reference: RoleReference, report: (role: string) => void): void {
    const role = displayName(reference);
    if (!this.#reported.has(role)) report(role);
    this.#reported.add(role);
  }
}

function grantsSomething({ roles, parts }: CompositeRole): boolean {
  return roles.length + parts.length > 0;
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
