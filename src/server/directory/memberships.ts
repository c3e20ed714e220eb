/** Members of groups: users, businesses, users of a business, and services. */
import { apiError, type ErrorCode } from '../../contract/errors.ts';
import type { Page } from '../../contract/operation.ts';
import { forEachYielding } from '../lib/event-loop-turns.ts';
import { toPage } from '../store/pages.ts';
import type { Reader, Transaction } from '../store/store.ts';
import { type Business, type Client, type Membership, memberListKey, membershipKey } from '../store/tables.ts';
import { type LengthLimit, withAdministratorCheck } from './administrators.ts';
import { assertEach } from './assert-each.ts';

/** The members of one kind in one group; with kind businessUser, those of one business. */
export type MemberList = Pick<Membership, 'groupId' | 'kind' | 'businessId'>;

/** A page of member ids in order. The cursor is an id and remains valid if that member is removed. */
export async function readMemberPage(
  reader: Pick<Reader, 'memberships'>,
  list: MemberList,
  { after, limit }: { readonly after?: string | undefined; readonly limit: number },
): Promise<Page<string>> {
  const rows = await reader.memberships.find('memberList', memberListKey(list), {
    after: after === undefined ? undefined : membershipKey({ ...list, memberId: after }),
    limit: limit + 1,
  });
  return toPage(
    rows.map(({ memberId }) => memberId),
    limit,
    (memberId) => memberId,
  );
}

/** Adds members to a group. An existing member remains; a delegated one becomes regular unless the new one is delegated. */
export async function addMembers(
  tx: Transaction,
  list: MemberList & Pick<Membership, 'delegated'>,
  memberIds: Iterable<string>,
): Promise<void> {
  const memberships = [...memberIds].map((memberId) => ({ ...list, memberId }));
  // Together: a transaction reads nothing twice.
  await tx.memberships.getMany(memberships.map(membershipKey));
  await forEachYielding(memberships, (membership) => addMember(tx, membership));
}

export async function addMember(tx: Transaction, membership: Membership): Promise<void> {
  const existing = await tx.memberships.get(membershipKey(membership));
  if (!existing) await tx.memberships.insert(membership);
  else if (existing.delegated && !membership.delegated) await tx.memberships.replace(membership);
}

/** Removes a member from a group. @throws IamError MEMBERSHIP_NOT_FOUND, LAST_ADMINISTRATOR. */
export async function removeMember(tx: Transaction, limit: LengthLimit, membership: Membership): Promise<void> {
  await withAdministratorCheck(tx, limit, async () => {
    if (!(await tx.memberships.delete(membershipKey(membership)))) throw apiError('MEMBERSHIP_NOT_FOUND');
  });
}

/** Rejects a list with unknown ids and reports each of them. @throws IamError with `code`. */
function assertAllKnown(
  ids: Iterable<string>,
  knownIds: Iterable<string | undefined>,
  code: ErrorCode,
  message: (id: string) => string,
): Promise<void> {
  const known = new Set(knownIds);
  return assertEach(ids, (id) => (known.has(id) ? undefined : { code, message: message(id) }));
}

/** @throws IamError USER_UNKNOWN. */
export async function assertUsersExist(reader: Pick<Reader, 'users'>, userIds: Iterable<string>): Promise<void> {
  const users = await reader.users.getMany([...userIds]);
  const known = users.map(({ userId }) => userId);
  await assertAllKnown(userIds, known, 'USER_UNKNOWN', (id) => `User ${id} not found.`);
}

/**
 * Users of other businesses are reported as unknown: an administrator of one business learns nothing about the users of
 * others.
 * @throws IamError USER_NOT_OF_BUSINESS.
 */
export async function assertUsersOfBusiness(
  reader: Pick<Reader, 'users'>,
  businessId: string,
  userIds: Iterable<string>,
): Promise<void> {
  const users = await reader.users.getMany([...userIds]);
  const known = users.filter((user) => user.businessId === businessId).map(({ userId }) => userId);
  await assertAllKnown(userIds, known, 'USER_NOT_OF_BUSINESS', (id) => `Business ${businessId} has no user ${id}.`);
}

/** @throws IamError BUSINESS_UNKNOWN. */
export async function assertBusinessesExist(
  reader: Pick<Reader, 'businesses'>,
  businessIds: Iterable<string>,
): Promise<void> {
  const businesses = await reader.businesses.getMany([...businessIds]);
  const known = businesses.map(({ businessId }) => businessId);
  await assertAllKnown(businessIds, known, 'BUSINESS_UNKNOWN', (id) => `Business ${id} not found.`);
}

/** @throws IamError SERVICE_UNKNOWN. */
export async function assertServicesExist(
  reader: Pick<Reader, 'clients'>,
  serviceIds: Iterable<string>,
): Promise<void> {
  const clients = await reader.clients.findMany('serviceAccountId', [...serviceIds]);
  const known = clients.map(({ serviceAccountId }) => serviceAccountId);
  await assertAllKnown(serviceIds, known, 'SERVICE_UNKNOWN', (id) => `Service ${id} not found.`);
}

/** The client that acts as this service account. */
export function findService(reader: Pick<Reader, 'clients'>, serviceId: string): Promise<Client | undefined> {
  return reader.clients.getBy('serviceAccountId', serviceId);
}

/** @throws IamError BUSINESS_NOT_FOUND. */
export async function requireBusiness(reader: Pick<Reader, 'businesses'>, businessId: string): Promise<Business> {
  const business = await reader.businesses.get(businessId);
  if (!business) throw apiError('BUSINESS_NOT_FOUND');
  return business;
}
