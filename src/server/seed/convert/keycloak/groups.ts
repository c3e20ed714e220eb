/** The groups of a realm. A group below another one inherits its roles: it depends on it. */
import { builtInGroupNames } from '../../../../contract/roles.ts';
import { GroupName } from '../../../../contract/schemas/group.ts';
import { toVisibleName } from '../../../../contract/visible-names.ts';
import type { SeedGroup } from '../../schema.ts';
import type { ConvertedSeed } from '../converted-seed.ts';
import { isPlaceholder, placeholderReason } from '../placeholders.ts';
import { UniqueNames } from '../unique-names.ts';
import { type Fields, toObjects, toText } from './fields.ts';
import { type Realm, readGrants } from './realm.ts';
import {
  type CompositeRole,
  displayName,
  listRoleReferences,
  type RealmRoles,
  type RoleReference,
  roleKey,
} from './roles.ts';

/** Groups deeper than this are left out: a file can contain any number of levels. */
const maxDepth = 20;
const maxNameLength = 100;

/** Has one of the two. */
export interface RealmMember {
  readonly user?: string | undefined;
  readonly service?: string | undefined;
}

export class RealmGroups {
  readonly #seed: ConvertedSeed;
  readonly #roles: RealmRoles;
  readonly #names = new UniqueNames(maxNameLength, toVisibleName);
  readonly #byPath = new Map<string, SeedGroup>();
  /** By names in place of the path that the file has, as Keycloak looks for them. */
  readonly #byNames = new Map<string, SeedGroup>();
  readonly #byRole = new Map<string | CompositeRole, SeedGroup>();
  /** Groups that have yet to depend on those of composite roles. */
  readonly #open: { readonly group: SeedGroup; readonly composites: readonly CompositeRole[] }[] = [];

  constructor({ groups }: Realm, roles: RealmRoles, seed: ConvertedSeed) {
    this.#roles = roles;
    this.#seed = seed;
    this.#names.reserve(builtInGroupNames);
    for (const group of groups) this.#convert(group, []);
    // Groups of the realm have their names before those of roles.
    this.#addDependencies();
  }

  #convert(fields: Fields, parents: readonly { readonly name: string; readonly groupName: string }[]): void {
    const name = toText(fields.name);
    if (name === undefined) return;
    const names = [...parents.map((parent) => parent.name), name];
    const path = `/${names.join('/')}`;
    if (names.length > maxDepth) {
      this.#seed.report.lose('groups', path, `is below ${maxDepth} others`);
      return;
    }
    const groupName = this.#names.allocate(toGroupName(names));
    if (isPlaceholder(name)) this.#seed.report.change('groups', path, `is ${groupName}: it ${placeholderReason}`);
    else if (groupName !== name) this.#seed.report.change('groups', path, `is ${groupName}`);
    const { roles, composites } = this.#roles.convert(listRoleReferences(readGrants(fields)));
    const group: SeedGroup = { groupName, roles: [...roles], users: [], services: [] };
    const parent = parents.at(-1);
    if (parent) group.dependencies = [{ groupName: parent.groupName }];
    this.#seed.groups.push(group);
    this.#open.push({ group, composites });
    // With slashes in names escaped, since Keycloak 23: unescaped, it can be that of another group.
    this.#byPath.set(toText(fields.path) ?? path, group);
    if (!this.#byNames.has(path)) this.#byNames.set(path, group);
    for (const child of toObjects(fields.subGroups)) this.#convert(child, [...parents, { name, groupName }]);
  }

  addToGroup(path: string, member: RealmMember): boolean {
    // Keycloak ignores one slash at each end.
    const whole = `/${path.replace(/^\/|\/$/g, '')}`;
    const group = this.#byPath.get(path) ?? this.#byPath.get(whole) ?? this.#byNames.get(whole);
    if (group) addMember(group, member);
    return group !== undefined;
  }

  /** Users get roles by groups only: those who were granted a role become a group with it, and with what it contains. */
  addToRole(role: RoleReference, member: RealmMember): void {
    const group = this.#groupOfRole(role);
    if (group) addMember(group, member);
  }

  /** Adds a group without members for a role that no group has. */
  addRoleUnless(role: RoleReference, granted: ReadonlySet<string>): void {
    const { roles, composites } = this.#roles.convert([role]);
    const names = [...roles, ...composites.flatMap((one) => (this.#byRole.has(one) ? [] : one.roles))];
    if (names.some((name) => !granted.has(name))) this.#groupOfRole(role);
  }

  /** @returns the name of the group of the role; undefined for one that grants nothing here */
  addRole(role: RoleReference): string | undefined {
    return this.#groupOfRole(role)?.groupName;
  }

  #groupOfRole(role: RoleReference): SeedGroup | undefined {
    const { roles, composites } = this.#roles.convert([role]);
    const [composite] = composites;
    if (composite) {
      const group = this.#groupOfComposite(composite, role);
      this.#addDependencies();
      return group;
    }
    return roles.length === 0
      ? undefined
      : (this.#byRole.get(roleKey(role)) ?? this.#addGroup(roleKey(role), role, roles));
  }

  #groupOfComposite(composite: CompositeRole, role: RoleReference): SeedGroup {
    const known = this.#byRole.get(composite);
    if (known) return known;
    const group = this.#addGroup(composite, role, composite.roles);
    for (const other of composite.members)
      if (roleKey(other) !== roleKey(role))
        this.#seed.report.change(
          'roles',
          displayName(other),
          `contains ${displayName(role)}, which contains it: both are the group ${group.groupName}`,
        );
    this.#open.push({ group, composites: composite.parts });
    return group;
  }

  /** Not by recursion: chains of roles can be long. */
  #addDependencies(): void {
    for (let next = this.#open.pop(); next; next = this.#open.pop()) {
      const dependencies = next.composites.flatMap((composite) => {
        const [first] = composite.members;
        return first ? [{ groupName: this.#groupOfComposite(composite, first).groupName }] : [];
      });
      if (dependencies.length > 0) next.group.dependencies = [...(next.group.dependencies ?? []), ...dependencies];
    }
  }

  #addGroup(key: string | CompositeRole, role: RoleReference, roles: readonly string[]): SeedGroup {
    const groupName = this.#names.allocate(toGroupName([`role ${displayName(role)}`]));
    const group: SeedGroup = { groupName, roles: [...roles], users: [], services: [] };
    this.#byRole.set(key, group);
    this.#seed.groups.push(group);
    return group;
  }
}

function toGroupName(path: readonly string[]): string {
  const visible = toVisibleName(path.map((name) => name.replaceAll('/', '-')).join('.'));
  // Those of control characters, too.
  const text = visible.replace(/\p{Control}|\p{Surrogate}|[\u2028\u2029]/gu, '').trim();
  const short = [...text].slice(0, maxNameLength).join('');
  return GroupName.safeParse(short).success ? short : `group ${short}`.trim();
}

function addMember(group: SeedGroup, { user, service }: RealmMember): void {
  if (user !== undefined) group.users?.push(user);
  if (service !== undefined) group.services?.push(service);
}
