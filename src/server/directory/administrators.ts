/** Guarantees that at least one user who can sign in has IAM_ADMIN_MAINTENANCE. */
import { apiError } from '../../contract/errors.ts';
import type { Reader, Transaction } from '../store/store.ts';
import { type Group, loginNames, type Membership, membershipKey, type User } from '../store/tables.ts';

export const administratorRole = 'IAM_ADMIN_MAINTENANCE';

/** Whether a user has a login name and a password, and is not locked. */
export function canSignIn(user: User): boolean {
  return !user.locked && user.passwordHash !== undefined && loginNames(user).length > 0;
}

/** Whether the token of a user would be short enough to be issued: see `LengthLimit`. */
type UserCheck = (user: User) => Promise<boolean>;

/** Part of the issuer of tokens. */
export interface LengthLimit {
  /** Whether the token of this user fits, with the roles that the reader finds. */
  fitsUser(reader: Reader, user: User): Promise<boolean>;
}

/** Memberships that are checked together. */
const membershipsPerRead = 50;

/** Whether at least one user who can sign in effectively has IAM_ADMIN_MAINTENANCE. Clients do not count. */
export async function hasAdministrator(reader: Reader, fits: UserCheck): Promise<boolean> {
  const granting = await reader.groups.findReaching('dependency', 'role', administratorRole);
  let groupIds = granting.map(({ groupId }) => groupId);
  let after: string | undefined;
  for (;;) {
    const memberships = await reader.memberships.findInOrder('group', groupIds, { after, limit: membershipsPerRead });
    if (await includesAdministrator(reader, memberships, fits)) return true;
    const last = memberships.at(-1);
    if (last === undefined || memberships.length < membershipsPerRead) return false;
    groupIds = groupIds.slice(groupIds.indexOf(last.groupId));
    after = membershipKey(last);
  }
}

async function includesAdministrator(
  reader: Reader,
  memberships: readonly Membership[],
  fits: UserCheck,
): Promise<boolean> {
  const members = memberships.filter(({ kind }) => kind === 'user' || kind === 'businessUser');
  const users = await reader.users.getMany([...new Set(members.map(({ memberId }) => memberId))]);
  const usersById = new Map(users.map((user) => [user.userId, user]));
  for (const membership of members) {
    const user = usersById.get(membership.memberId);
    if (user && grantsAdministrator(membership, user) && (await fits(user))) return true;
  }
  const businessIds = memberships.filter(({ kind }) => kind === 'business').map(({ memberId }) => memberId);
  for (const user of await reader.users.findMany('businessId', businessIds))
    if (canSignIn(user) && (await fits(user))) return true;
  return false;
}

function grantsAdministrator({ kind, businessId }: Membership, user: User): boolean {
  if (!canSignIn(user)) return false;
  return kind === 'user' || user.businessId === businessId;
}

/**
 * Runs a change and rejects it if it removes the last administrator. If there was no administrator before, the change
 * is accepted.
 * @throws IamError LAST_ADMINISTRATOR; the transaction is then rolled back.
 */
export async function withAdministratorCheck<Result>(
  tx: Transaction,
  limit: LengthLimit,
  change: () => Promise<Result>,
): Promise<Result> {
  const fits = (user: User) => limit.fitsUser(tx, user);
  const before = await hasAdministrator(tx, fits);
  const result = await change();
  if (before && !(await hasAdministrator(tx, fits))) throw apiError('LAST_ADMINISTRATOR');
  return result;
}

/**
 * Whether a change of a group can take IAM_ADMIN_MAINTENANCE from its members; `after` is undefined if the group is
 * removed. Otherwise the check is not needed, which reads every group that grants the role: on PostgreSQL such a read
 * conflicts with all concurrent changes of groups.
 */
export function canRemoveAdministrator(before: Group, after?: Group): boolean {
  if (before.roles.includes(administratorRole) && !after?.roles.includes(administratorRole)) return true;
  const remaining = new Set(after?.dependencies);
  return before.dependencies.some((groupId) => !remaining.has(groupId));
}

/** Replaces a group. @throws IamError LAST_ADMINISTRATOR */
export async function replaceGroup(
  tx: Transaction,
  limit: LengthLimit,
  { before, after }: { readonly before: Group; readonly after: Group },
): Promise<void> {
  const replace = () => tx.groups.replace(after);
  await (canRemoveAdministrator(before, after) ? withAdministratorCheck(tx, limit, replace) : replace());
}
