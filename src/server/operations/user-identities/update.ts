import * as z from 'zod';
import { BusinessId } from '../../../contract/schemas/business.ts';
import { Email, Mobile } from '../../../contract/schemas/contact.ts';
import { UserId, UserName } from '../../../contract/schemas/user.ts';
import { withAdministratorCheck } from '../../directory/administrators.ts';
import { assertMfaForAdministrator } from '../../directory/object-access.ts';
import { revokeOtps, subjectOfUser } from '../../mfa/otp.ts';
import type { Transaction } from '../../store/store.ts';
import { isUserNameVerified, type User } from '../../store/tables.ts';
import { findRemovedContacts } from '../../users/account-notices.ts';
import {
  assertLoginNamesAvailable,
  assertMayAssignBusiness,
  assertUserNameForm,
  isUserNameForm,
  normalizeNewUserName,
  removeBusinessMemberships,
  requireUser,
  toUpdatableUser,
  withGivenName,
  withVerifiedName,
} from '../../users/users.ts';
import { defineOperation } from '../define.ts';
import { UserView, viewOfUser } from './get.ts';

const Body = z
  .strictObject({
    userEmail: Email.nullable().optional(),
    userMobile: Mobile.nullable().optional(),
    userName: UserName.optional(),
    businessId: BusinessId.nullable().optional(),
    lead: z.boolean().optional(),
  })
  .meta({ id: 'UserChange' });

export default defineOperation({
  id: 'user-identities.update',
  title: 'Update a user',
  description:
    'Changes the fields that are sent; null clears a field. New contacts are verified, and a notice is sent to the old contact. A userName in the form of an e-mail address must equal userEmail in the same request. A userName with a colon is rejected.',
  method: 'PATCH',
  path: '/user-identities/{id}',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and IAM_ADMIN_MAINTENANCE',
  audit: { kind: 'administration', targets: { path: ['id'], body: ['userName', 'businessId'] } },
  status: [204, 400, 401, 403, 404, 412, 422, 500],
  request: { params: { id: UserId }, body: Body },
  response: { status: 204 },
  errors: [
    'NAME_NOT_VISIBLE',
    'USER_NAME_RESERVED',
    'USER_NOT_FOUND',
    'MFA_MISSING',
    'CHANGED_MEANWHILE',
    'LOGIN_NAME_TAKEN',
    'BUSINESS_NOT_ALLOWED',
    'BUSINESS_UNKNOWN',
    'LAST_ADMINISTRATOR',
    'TOKEN_LIMIT_EXCEEDED',
  ],
  command: 'users update',
  cliExamples: [{ title: 'Change the e-mail address', command: 'alice --user-email alice@example.org' }],

  async handle({ params, body }, context) {
    await context.store.transaction(async (tx) => {
      // First, as a body that is not valid is reported before a missing user.
      const userName = readUserName(body, await tx.users.get(params.id));
      const { userName: _sent, ...others } = body;
      const sent: z.output<typeof Body> = userName === undefined ? others : { ...others, userName };
      const user = await requireUser(tx, params.id);
      context.assertMatch(UserView, viewOfUser(user), toUpdatableUser(user));
      const names = [sent.userEmail, sent.userMobile, sent.userName];
      if (names.some((value) => value !== undefined)) await assertMfaForAdministrator(tx, user, context.caller);
      if (typeof body.businessId === 'string') await assertMayAssignBusiness(tx, body.businessId, context.caller);
      const changed = applyChange(user, sent);
      await assertLoginNamesAvailable(tx, changed, user);
      if (changed.businessId !== user.businessId)
        await withAdministratorCheck(tx, context.issuer, () => moveUser(tx, user, changed));
      else await tx.users.replace(changed);
      // Codes sent to a removed contact are no longer valid.
      if (findRemovedContacts(user, changed).length > 0) await revokeOtps(tx, subjectOfUser(user.userId));
    });
  },
});

/**
 * The user name to set. One that stays as it is is never rejected, and counts as verified by an administrator only with
 * its address.
 */
function readUserName({ userName, userEmail }: z.output<typeof Body>, user: User | undefined): string | undefined {
  if (userName === undefined) return undefined;
  const name = normalizeNewUserName(userName, user?.userName);
  if (name === user?.userName && !isUserNameForm(name, userEmail)) return undefined;
  assertUserNameForm(name, userEmail);
  return name;
}

/** Applies the sent fields; null removes a field. */
function applyChange(user: User, { userEmail, userMobile, ...rest }: z.output<typeof Body>): User {
  const sent = {
    ...rest,
    ...(userEmail === undefined ? {} : { userEmail, emailVerified: userEmail !== null }),
    ...(userMobile === undefined ? {} : { userMobile, mobileVerified: userMobile !== null }),
  };
  const entries = Object.entries({ ...user, ...sent }).filter(([, value]) => value !== null && value !== undefined);
  const changed = Object.fromEntries(entries) as User;
  if (rest.userName !== undefined) return withGivenName(changed);
  return isUserNameVerified(user) ? withVerifiedName(changed) : changed;
}

async function moveUser(tx: Transaction, user: User, changed: User): Promise<void> {
  // Before the memberships are removed, since they determine whether the user is an administrator.
  await tx.users.replace(changed);
  await removeBusinessMemberships(tx, user);
}
