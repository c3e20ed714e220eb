/** Reads which administrative roles groups have, own ones and those of dependencies, and which businesses have by groups. */
import { ClientError } from '../../../client/errors.ts';
import { entityOf } from '../../../contract/entities.ts';
import { isAdministrativeRole, stripRolePrefix } from '../../../contract/roles.ts';
import type { Context } from '../../context.ts';
import { nameKey } from '../../output/name-columns.ts';
import { type ControlFilters, callOptionalControlPlane } from '../control-plane.ts';
import { readEntityPage } from '../entity-rows.ts';
import { getOperation } from '../find-operation.ts';
import { collectEntries } from '../pagination.ts';
import { isLookupRejected } from '../resolve-names.ts';
import { send } from '../send.ts';

export interface AdministrativeGroup {
  readonly name: string;
  readonly roles: ReadonlySet<string>;
  /** The number of direct members; undefined if it is not known. */
  readonly members?: number;
  readonly hasDependents?: boolean;
}

/** Reads by ids or names. */
export interface RoleReader {
  /** Undefined for a group that is unknown. */
  read(group: string): Promise<AdministrativeGroup | undefined>;
  /** The administrative roles that a business gives to its users. */
  readBusiness(business: string): Promise<ReadonlySet<string>>;
}

/** For more groups than these, the list of all groups is read instead. */
const maxReads = 20;

/** Reads each group once. What the caller may not read has no administrative roles. */
export class GroupRoleReader implements RoleReader {
  readonly #context: Context;
  readonly #isPreview: boolean;
  readonly #read = new Map<string, Promise<AdministrativeGroup | undefined>>();
  #listed: ReturnType<typeof listAdministrativeGroups> | undefined;

  /** @param isPreview it needs no server: a group that cannot be read has no administrative roles */
  constructor(context: Context, isPreview: boolean) {
    this.#context = context;
    this.#isPreview = isPreview;
  }

  /** Reads a group by its id or name; undefined if it is unknown. */
  read(group: string): Promise<AdministrativeGroup | undefined> {
    const found = this.#read.get(group) ?? this.#readOnce(group).catch((error) => this.#ignore(error));
    this.#read.set(group, found);
    return found;
  }

  async #readOnce(group: string): Promise<AdministrativeGroup | undefined> {
    const node = this.#read.size > maxReads ? undefined : await this.#readNode(group);
    if (node && node.roleCount === node.roles.length && node.inheritedRoleCount === node.inheritedRoles.length)
      return {
        name: node.groupName,
        roles: toAdministrative([...node.roles, ...node.inheritedRoles]),
        members: Object.values(node.members).reduce((sum, count) => sum + count, 0),
        hasDependents: node.dependentCount > 0,
      };
    this.#listed ??= listAdministrativeGroups(this.#context);
    return (await this.#listed).get(group.normalize('NFC'));
  }

  /** The group with its inherited roles; undefined if the server has no such route, or the caller may not use it. */
  async #readNode(group: string): Promise<GraphNode | undefined> {
    const body = await this.#readRoute('/_iam/groups/graph', { root: group, limit: 1 });
    const { nodes } = (body ?? {}) as { readonly nodes?: readonly GraphNode[] };
    return Array.isArray(nodes) ? nodes[0] : undefined;
  }

  /** The roles that a business gives to its users; none if it is unknown. */
  async readBusiness(businessId: string): Promise<ReadonlySet<string>> {
    const roles = await this.#readRolesOfBusiness(businessId).catch((error) => this.#ignore(error));
    return toAdministrative(roles ?? []);
  }

  async #readRolesOfBusiness(businessId: string): Promise<readonly string[]> {
    const body = await this.#readRoute(`/_iam/businesses/${encodeURIComponent(businessId)}`);
    const { effectiveRoles, effectiveRoleCount } = (body ?? {}) as BusinessRoles;
    if (Array.isArray(effectiveRoles) && effectiveRoles.length === effectiveRoleCount) return effectiveRoles;
    const operation = getOperation(this.#context.manifest, 'business-accesses.list-business-roles');
    const response = await send(this.#context, operation, { params: { businessId } });
    return (response.body as readonly { readonly role: string }[]).map(({ role }) => role);
  }

  async #readRoute(path: string, query: ControlFilters = {}): Promise<unknown> {
    const response = await callOptionalControlPlane(this.#context, 'GET', path, { query }).catch((error: unknown) => {
      if (isLookupRejected(error) && !isNotFound(error)) return undefined;
      throw error;
    });
    return response?.body;
  }

  #ignore(error: unknown): undefined {
    if (this.#context.io.signal.aborted || !(this.#isPreview || isLookupRejected(error))) throw error;
    return undefined;
  }
}

function isNotFound(error: unknown): boolean {
  return error instanceof ClientError && error.status === 404;
}

/** The part of a node of the group graph that is read. Long lists of roles are cut. */
interface GraphNode {
  readonly groupName: string;
  readonly roles: readonly string[];
  readonly roleCount: number;
  readonly inheritedRoles: readonly string[];
  readonly inheritedRoleCount: number;
  readonly dependentCount: number;
  readonly members: Readonly<Record<string, number>>;
}

/** Long lists of roles are cut. */
interface BusinessRoles {
  readonly effectiveRoles?: readonly string[];
  readonly effectiveRoleCount?: number;
}

interface GroupRow {
  readonly groupId: string;
  readonly groupName: string;
  readonly roles?: readonly string[];
  readonly dependencies?: readonly { readonly groupName: string }[];
}

function isGroup(row: unknown): row is GroupRow {
  return typeof row === 'object' && row !== null && 'groupName' in row;
}

function toAdministrative(roles: readonly string[]): Set<string> {
  return new Set(roles.filter(isAdministrativeRole).map(stripRolePrefix));
}

/** The roles that these groups give to the businesses in them, by ids and names. None if the caller may not list them. */
export async function listBusinessesIn(
  context: Context,
  groups: Iterable<AdministrativeGroup>,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const { signal } = context.io;
  const source = { operation: 'business-accesses.list-businesses' };
  const rolesById = new Map<string, ReadonlySet<string>>();
  for (const { name, roles } of new Set(groups)) {
    const read = collectEntries(
      (query) => readEntityPage(context, { source, params: [name], query, signal }),
      Infinity,
    );
    const found = await read.catch((error: unknown): readonly unknown[] => {
      if (isLookupRejected(error)) return [];
      throw error;
    });
    for (const { businessId } of found as readonly { readonly businessId: string }[])
      rolesById.set(businessId, new Set([...(rolesById.get(businessId) ?? []), ...roles]));
  }
  const names = rolesById.size === 0 ? undefined : await context.findNames([...rolesById.keys()]);
  return new Map(
    [...rolesById].flatMap(([id, roles]) =>
      [id, names?.get(nameKey('business', id)) ?? id].map((key) => [key, roles] as const),
    ),
  );
}

/** All groups with administrative roles, by their names and ids. None if the caller may not list groups. */
export async function listAdministrativeGroups(context: Context): Promise<ReadonlyMap<string, AdministrativeGroup>> {
  const { signal } = context.io;
  const source = entityOf('group').list;
  const read = collectEntries((query) => readEntityPage(context, { source, params: [], query, signal }), Infinity);
  const found: readonly unknown[] = await read.catch((error: unknown): readonly unknown[] => {
    if (isLookupRejected(error)) return [];
    throw error;
  });
  const groups = found.filter(isGroup);
  const dependents = new Map<string, string[]>();
  for (const { groupName, dependencies = [] } of groups)
    for (const { groupName: below } of dependencies)
      dependents.set(below, [...(dependents.get(below) ?? []), groupName]);
  const own = new Map(groups.map(({ groupName, roles = [] }) => [groupName, toAdministrative(roles)]));
  const effective = new Map<string, Set<string>>();
  for (const role of new Set([...own.values()].flatMap((roles) => [...roles]))) {
    const names = new Set([...own].filter(([, roles]) => roles.has(role)).map(([name]) => name));
    // The iteration includes names that are added during it.
    for (const name of names) {
      effective.set(name, (effective.get(name) ?? new Set()).add(role));
      for (const above of dependents.get(name) ?? []) names.add(above);
    }
  }
  return new Map(
    groups.flatMap(({ groupId, groupName }) => {
      const roles = effective.get(groupName);
      if (!roles) return [];
      const group = { name: groupName, roles, hasDependents: dependents.has(groupName) };
      return [groupId, groupName.normalize('NFC')].map((key) => [key, group] as const);
    }),
  );
}
