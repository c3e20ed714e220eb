/**
 * Guards every write of an operation through which a user, a business, a service or a group can gain an administrative
 * role: it requires AUTH-MFA of the caller (step-up authentication, RFC 9470). The roles before and after the write are
 * compared, so that a write through which no one gains a role needs no second factor.
 */
import { isDeepStrictEqual } from 'node:util';
import { isAdministrativeRole } from '../../contract/roles.ts';
import { overrideTable, type TableOverrides } from '../store/overrides.ts';
import type { TableWriter, Transaction } from '../store/store.ts';
import type { Client, Group, Membership, User } from '../store/tables.ts';
import { listGroupIdsOfMember, resolveEffectiveRoles } from './group-roles.ts';
import { mfaMissingError } from './object-access.ts';
import { hasMfa, type Principal } from './principal.ts';
import { resolveBusinessRoles, resolveClientAuthorities } from './service-roles.ts';
import { isAdministrative, resolveGroupRolesOfUser } from './user-roles.ts';

type Roles = ReadonlySet<string>;

const noRoles: Roles = new Set();

interface Deps {
  readonly tx: Transaction;
  /** Undefined for a request that needs none, such as a sign-up. */
  readonly caller: Principal | undefined;
}

interface Change<Row> {
  readonly before: Row | undefined;
  readonly after: Row;
}

/** The guards of all tables but users, whose guard calls `assertUserGainsNothing`. */
export function guardRoleGains(deps: Deps) {
  return {
    memberships: (memberships) => guardMemberships(memberships, deps),
    groups: (groups) => guardGroups(groups, deps),
    clients: (clients) => guardClients(clients, deps),
  } satisfies TableOverrides;
}

/** Checks a user that is new or changes: its business can give it roles. @throws IamError MFA_MISSING. */
export async function assertUserGainsNothing({ tx, caller }: Deps, change: Change<User>): Promise<void> {
  const { before, after } = change;
  if ((before && before.businessId === after.businessId) || hasMfa(caller)) return;
  const resolveRoles = (user: User) => resolveGroupRolesOfUser(tx, user);
  await assertGainsNothing(caller, change, { name: `user ${after.userId}`, resolveRoles });
}

interface Holder<Row> {
  readonly name: string;
  resolveRoles(row: Row): Promise<Roles>;
}

/** Checks before the write that the roles of the row include no administrative one that is new. @throws IamError MFA_MISSING. */
async function assertGainsNothing<Row>(
  caller: Principal | undefined,
  { before, after }: Change<Row>,
  { name, resolveRoles }: Holder<Row>,
): Promise<void> {
  const roles = await resolveRoles(after);
  if (!isAdministrative(roles)) return;
  assertNoneGained(caller, name, { before: before ? await resolveRoles(before) : noRoles, after: roles });
}

/** @throws IamError MFA_MISSING. */
function assertNoneGained(
  caller: Principal | undefined,
  holder: string,
  { before, after }: { readonly before: Roles; readonly after: Roles },
): void {
  const gained = [...after].filter((role) => isAdministrativeRole(role) && !before.has(role)).sort();
  if (gained.length === 0) return;
  const roles = gained.join(', ');
  const text = `A write by which anyone gains ADMIN or an IAM_ADMIN role requires AUTH-MFA of the caller. The ${holder} would gain ${roles}.`;
  throw mfaMissingError(caller, `The request gives ${roles} to the ${holder}, which requires AUTH-MFA.`).withReason({
    text,
  });
}

function guardGroups(groups: TableWriter<'groups'>, { caller }: Deps): TableWriter<'groups'> {
  const resolveRoles = async ({ roles, dependencies }: Group) =>
    new Set([...roles, ...(await resolveEffectiveRoles({ groups }, dependencies))]);
  const assertAllowed = async (change: Change<Group>) => {
    if (!addsRoles(change)) return;
    await assertGainsNothing(caller, change, { name: `group ${change.after.groupName}`, resolveRoles });
  };
  return overrideTable(groups, {
    async insert(group) {
      if (!hasMfa(caller)) await assertAllowed({ before: undefined, after: group });
      await groups.insert(group);
    },
    async replace(group) {
      if (!hasMfa(caller)) await assertAllowed({ before: await groups.get(group.groupId), after: group });
      await groups.replace(group);
    },
  });
}

/** Whether the group itself gets an administrative role or a dependency. Only then are dependencies followed. */
function addsRoles({ before, after }: Change<Group>): boolean {
  return (
    after.roles.some((role) => isAdministrativeRole(role) && !before?.roles.includes(role)) ||
    after.dependencies.some((groupId) => !before?.dependencies.includes(groupId))
  );
}

function guardClients(clients: TableWriter<'clients'>, { tx, caller }: Deps): TableWriter<'clients'> {
  const resolveRoles = (client: Client) => resolveClientAuthorities(tx, client);
  const assertAllowed = async (change: Change<Client>) => {
    const { before, after } = change;
    if (before && isDeepStrictEqual(pickRoleFields(before), pickRoleFields(after))) return;
    if (!hasMfa(caller)) await assertGainsNothing(caller, change, { name: `client ${after.clientId}`, resolveRoles });
  };
  return overrideTable(clients, {
    async insert(client) {
      await assertAllowed({ before: undefined, after: client });
      await clients.insert(client);
    },
    async replace(client) {
      await assertAllowed({ before: await clients.get(client.clientId), after: client });
      await clients.replace(client);
    },
  });
}

/** The fields that the authorities of a client depend on. */
function pickRoleFields({ authorities, serviceAccountId, userId, businessId, ownerClientId }: Client) {
  return { authorities, serviceAccountId, userId, businessId, ownerClientId };
}

function guardMemberships(memberships: TableWriter<'memberships'>, { tx, caller }: Deps): TableWriter<'memberships'> {
  /** By group id: a request can add many members. No operation adds members to a group that it changes. */
  const administrativeGroups = new Map<string, boolean>();
  const isAdministrativeGroup = async (groupId: string) => {
    const known = administrativeGroups.get(groupId) ?? isAdministrative(await resolveEffectiveRoles(tx, [groupId]));
    administrativeGroups.set(groupId, known);
    return known;
  };
  const guard = async (membership: Membership, write: () => Promise<void>) => {
    if (hasMfa(caller) || !(await isAdministrativeGroup(membership.groupId))) return write();
    const holders = listHolders(tx, membership);
    const roles = await Promise.all(holders.map(({ resolveRoles }) => resolveRoles()));
    await write();
    for (const [at, { name, resolveRoles }] of holders.entries())
      assertNoneGained(caller, name, { before: roles[at] ?? noRoles, after: await resolveRoles() });
  };
  return overrideTable(memberships, {
    insert: (membership) => guard(membership, () => memberships.insert(membership)),
    replace: (membership) => guard(membership, () => memberships.replace(membership)),
  });
}

/** Those that can gain roles through a membership. A membership on behalf of a business gives roles to its services, too. */
function listHolders(tx: Transaction, membership: Membership): Holder<void>[] {
  const { kind, memberId, businessId = '' } = membership;
  const member = { name: `${kind === 'businessUser' ? 'user' : kind} ${memberId}` };
  const resolveUser = async () => {
    const user = await tx.users.get(memberId);
    return user ? resolveGroupRolesOfUser(tx, user) : noRoles;
  };
  switch (kind) {
    case 'user':
      return [{ ...member, resolveRoles: resolveUser }];
    case 'businessUser':
      return [
        { ...member, resolveRoles: resolveUser },
        { name: `business ${businessId}`, resolveRoles: () => resolveBusinessRoles(tx, businessId) },
      ];
    case 'business': {
      const resolveRoles = async () => resolveEffectiveRoles(tx, await listGroupIdsOfMember(tx, { kind, memberId }));
      return [{ ...member, resolveRoles }];
    }
    case 'service': {
      const resolveRoles = async () => {
        const client = await tx.clients.getBy('serviceAccountId', memberId);
        return client ? resolveClientAuthorities(tx, client) : noRoles;
      };
      return [{ ...member, resolveRoles }];
    }
  }
}
