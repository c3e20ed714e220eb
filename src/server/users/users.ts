/** Shared by the operations on users. */

import { describeEmailProblem, describeOtherAtSign, normalizeEmail } from '../../contract/email/email-address.ts';
import { apiError, fieldError } from '../../contract/errors.ts';
import { describeInvisible } from '../../contract/visible-names.ts';
import { foldIdentifier, listFoldedSpellings } from '../../lib/fold-identifier.ts';
import { assertBusinessesExist } from '../directory/memberships.ts';
import { normalizeNewName } from '../directory/new-names.ts';
import { businessOf, isAdministrator } from '../directory/object-access.ts';
import { isClientItself, type Principal } from '../directory/principal.ts';
import { isLikeSubjectId, reserveSubjectId } from '../directory/subject-ids.ts';
import type { Clock } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import { hashSecret } from '../lib/secrets.ts';
import type { Reader, Transaction } from '../store/store.ts';
import {
  hasEmailForm,
  hasLinkForm,
  loginNames,
  type Membership,
  membershipKey,
  memberValue,
  type User,
} from '../store/tables.ts';

/** @throws IamError USER_NOT_FOUND. */
export async function requireUser(reader: Pick<Reader, 'users'>, userId: string): Promise<User> {
  const user = await reader.users.get(userId);
  if (!user) throw apiError('USER_NOT_FOUND');
  return user;
}

type OptionalField = 'userId' | 'userEmail' | 'userMobile' | 'businessId';

export type NewUser = Pick<User, 'userName' | 'lead'> & {
  readonly [Field in OptionalField]?: User[Field] | undefined;
};

/** A new user with unverified contacts. */
export function buildUser(
  { userId, ...fields }: NewUser,
  { ids, clock }: { readonly ids: Ids; readonly clock: Clock },
): User {
  return {
    ...fields,
    userId: userId ?? ids.newId(),
    emailVerified: false,
    mobileVerified: false,
    locked: false,
    identities: [],
    createdAt: clock.now().toISOString(),
  };
}

/** Inserts a new user. @throws IamError ID_TAKEN, LOGIN_NAME_TAKEN. */
export async function insertUser(tx: Transaction, user: User): Promise<void> {
  await reserveSubjectId(tx, { subject: user.userId, kind: 'user', ownerId: user.userId });
  for (const name of loginNames(user)) {
    if (await tx.users.isTaken('login', name)) throw createLoginNameTakenError(name);
    // The insert itself finds no duplicate of these.
    for (const key of listFoldedSpellings(name))
      if (key !== name && (await tx.users.getBy('login', key))) throw createLoginNameTakenError(name);
  }
  await assertVisibleLoginsAvailable(tx, user);
  await assertNamesAreNoIds(tx, user);
  await tx.users.insert(user);
}

/**
 * Validates a requested user name: the form of a link is reserved for federated accounts, and an e-mail address must be
 * the userEmail of the same request. Otherwise another person could register the name under which a user logs in.
 * @throws IamError USER_NAME_RESERVED.
 */
export function assertUserNameForm(userName: string, userEmail: string | null | undefined): void {
  if (hasLinkForm(userName)) throw fieldError('USER_NAME_RESERVED', 'userName', 'userName must not contain a colon.');
  if (!isUserNameForm(userName, userEmail))
    throw fieldError(
      'USER_NAME_RESERVED',
      'userName',
      'userName has the form of an e-mail address but differs from userEmail.',
    );
}

/**
 * Returns the user name to store: one that is an e-mail address has its domain as A-labels. A name that a write does not
 * change stays as it is. @throws IamError NAME_NOT_VISIBLE, USER_NAME_RESERVED
 */
export function normalizeNewUserName(name: string, current?: string): string {
  if (name === current) return name;
  const normalized = normalizeNewName('userName', normalizeEmail(name), current);
  const problem = normalized === current ? undefined : describeOtherAtSign(normalized);
  if (problem !== undefined) throw fieldError('USER_NAME_RESERVED', 'userName', `userName ${problem}.`);
  return normalized;
}

/** Returns the login identifier to store: an e-mail address has its domain as A-labels, every other one is as sent. */
export function normalizeIdentity(identity: string): string {
  return hasEmailForm(identity) && !hasLinkForm(identity) ? normalizeEmail(identity) : identity;
}

/**
 * What is wrong with a new login identifier, with the predicate of a sentence: the rules are those of user names. A link
 * is compared with what the provider sends, which can be any text.
 */
export function findIdentityProblem(identity: string): IdentityProblem | undefined {
  if (hasLinkForm(identity)) return undefined;
  const normalized = normalizeIdentity(identity).normalize('NFC');
  const invisible = describeInvisible(normalized);
  if (invisible !== undefined) return { code: 'NAME_NOT_VISIBLE', text: invisible };
  const text = hasEmailForm(normalized) ? describeEmailProblem(normalized) : describeOtherAtSign(normalized);
  return text === undefined ? undefined : { code: 'FIELD_VALUE', text };
}

interface IdentityProblem {
  readonly code: 'NAME_NOT_VISIBLE' | 'FIELD_VALUE';
  readonly text: string;
}

/** Whether a user name is one that a request may set together with this address. */
export function isUserNameForm(userName: string, userEmail: string | null | undefined): boolean {
  if (hasLinkForm(userName)) return false;
  return !hasEmailForm(userName) || foldIdentifier(userEmail ?? '') === foldIdentifier(userName);
}

/** The fields that an update of a user writes, and what it verifies: its ETag is of them. */
export function toUpdatableUser({ userId, userName, userEmail, userMobile, businessId, lead, ...user }: User): object {
  const { emailVerified, mobileVerified } = user;
  return { userId, userName, userEmail, userMobile, businessId, lead, emailVerified, mobileVerified };
}

/** The user with a new password. */
export function withPassword({ replacedHash: _replacedHash, ...user }: User, passwordHash: string): User {
  return { ...user, passwordHash };
}

/** The user with another hash of the same password. */
export function withNewHash(user: User, passwordHash: string): User {
  const replacedHash = user.replacedHash ?? (user.passwordHash && hashSecret(user.passwordHash));
  return { ...user, passwordHash, ...(replacedHash === undefined ? {} : { replacedHash }) };
}

/** Whether the password of a user is still the one that this hash is of. */
export function hasPasswordOfHash(user: User, passwordHash: string): boolean {
  return user.passwordHash === passwordHash || user.replacedHash === hashSecret(passwordHash);
}

/** The user with a name that an administrator or a seed sets, no longer one that it chose itself. */
export function withGivenName({ selfRegistered: _selfRegistered, ...user }: User): User {
  return withVerifiedName(user);
}

/** Marks an e-mail user name as verified. It remains so when the e-mail address changes. */
export function withVerifiedName({ userNameProven: _userNameProven, ...user }: User): User {
  return hasEmailForm(user.userName) ? { ...user, userNameProven: true } : user;
}

/** Rejects new login names that look like one of another user. @throws IamError LOGIN_NAME_TAKEN. */
export async function assertVisibleLoginsAvailable(tx: Transaction, user: User, before?: User): Promise<void> {
  const known = before === undefined ? [] : loginNames(before);
  for (const name of loginNames(user)) {
    if (known.includes(name)) continue;
    const alike = await tx.users.find('visibleLogin', name, { limit: 2 });
    if (alike.some(({ userId }) => userId !== user.userId)) throw createLoginNameTakenError(name);
  }
}

/** Rejects new login names that are or were ids of others. Seeds are not bound by it. @throws IamError LOGIN_NAME_TAKEN. */
async function assertNamesAreNoIds(tx: Transaction, user: User, before?: User): Promise<void> {
  const own = [foldIdentifier(user.userId), ...(before ? loginNames(before) : [])];
  // Addresses and links are verified, and ids of their form are no login names.
  const names = loginNames(user).filter((name) => !own.includes(name) && !hasEmailForm(name) && !hasLinkForm(name));
  for (const name of names)
    if (await isLikeSubjectId(tx, name, user))
      throw apiError('LOGIN_NAME_TAKEN', `${JSON.stringify(name)} is, was or looks like an id. Choose another name.`);
}

/** Checks that every login name of this user is free or already its own. @throws IamError LOGIN_NAME_TAKEN. */
export async function assertLoginNamesAvailable(tx: Transaction, user: User, before: User): Promise<void> {
  await assertVisibleLoginsAvailable(tx, user, before);
  await assertNamesAreNoIds(tx, user, before);
  for (const name of loginNames(user)) {
    const existing = await findUserByLogin(tx, name);
    if (existing && existing.userId !== user.userId) throw createLoginNameTakenError(name);
  }
}

function createLoginNameTakenError(name: string) {
  return apiError('LOGIN_NAME_TAKEN', `The login name ${JSON.stringify(name)} is already in use by another user.`);
}

/**
 * Users may be assigned to a business by an authenticated first-party client, an administrator, or the owner or
 * administrator of that business. @throws IamError BUSINESS_NOT_ALLOWED, BUSINESS_UNKNOWN.
 */
export async function assertMayAssignBusiness(
  reader: Pick<Reader, 'businesses'>,
  businessId: string,
  caller: Principal,
): Promise<void> {
  const { roles } = caller;
  const own = businessOf(caller) === businessId && (roles.has('BUSINESSOWNER') || roles.has('BUSINESSADMIN'));
  const allowed =
    (roles.has('CLI-1STPARTY') && roles.has('CLI-AUTH-BASIC')) ||
    roles.has('ADMIN') ||
    roles.has('IAM_ADMIN_MAINTENANCE') ||
    own;
  if (!allowed) throw apiError('BUSINESS_NOT_ALLOWED');
  await assertBusinessesExist(reader, [businessId]);
}

/** Authenticated clients read every user; a user reads itself, and others only as an administrator. */
export function isUserReadable(userId: string, caller: Principal): boolean {
  return isClientItself(caller) || caller.user?.userId === userId || isAdministrator(caller);
}

/** @throws IamError USER_NOT_FOUND */
export function assertUserReadable(userId: string, caller: Principal): void {
  if (!isUserReadable(userId, caller)) throw apiError('USER_NOT_FOUND');
}

/** Removes the memberships that a user has as a user of its former business. */
export async function removeBusinessMemberships(tx: Transaction, user: User): Promise<void> {
  if (user.businessId === undefined) return;
  const member = { kind: 'businessUser', memberId: user.userId, businessId: user.businessId } as const;
  await removeMemberships(tx, member);
}

export async function removeMemberships(
  tx: Transaction,
  member: Pick<Membership, 'kind' | 'memberId' | 'businessId'>,
): Promise<void> {
  for (const membership of await tx.memberships.find('member', memberValue(member)))
    await tx.memberships.delete(membershipKey(membership));
}

/** The user with this login name: userId, userName, verified e-mail or an additional identifier. */
export async function findUserByLogin(reader: Pick<Reader, 'users'>, name: string): Promise<User | undefined> {
  for (const key of listFoldedSpellings(name)) {
    const user = await reader.users.getBy('login', key);
    if (user) return user;
  }
  return undefined;
}
