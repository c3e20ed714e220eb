import * as z from 'zod';
import { BusinessId, UserId } from '../../../contract/reference-schemas.ts';
import { Email, Mobile, UserName } from '../../../contract/schemas.ts';
import { lostContacts } from '../../identity/account-notices.ts';
import { keepingAnAdministrator } from '../../identity/administrators.ts';
import { subjectOfUser, voidCodes } from '../../identity/otp.ts';
import { requireProofFor } from '../../identity/rules.ts';
import {
  leaveBusiness,
  requireBusinessFor,
  requireFreeLogins,
  requireUser,
  requireUserNameForm,
  withProvenName,
} from '../../identity/user-identities.ts';
import type { Transaction } from '../../store/store.ts';
import { isUserNameProven, type User } from '../../store/tables.ts';
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
  title: 'Updates specific identity attributes',
  description:
    'Changes the fields that are sent; null clears one. Contacts set here count as verified, and the contact before is told of the change. A userName in the form of an e-mail address must be the userEmail of the same request; one with a colon is refused.',
  method: 'PATCH',
  path: '/user-identities/{id}',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and IAM_ADMIN_MAINTENANCE',
  audit: { kind: 'administration', targets: { path: ['id'], body: ['userName', 'businessId'] } },
  status: [204, 400, 401, 403, 404, 412, 422, 500],
  request: { params: { id: UserId }, body: Body },
  response: { status: 204 },
  errors: [
    'USER_NAME_RESERVED',
    'USER_NOT_FOUND',
    'MFA_MISSING',
    'CHANGED_MEANWHILE',
    'LOGIN_NAME_TAKEN',
    'BUSINESS_NOT_ALLOWED',
    'BUSINESS_UNKNOWN',
    'LAST_ADMINISTRATOR',
  ],
  command: 'users update',
  examples: [{ title: 'Another e-mail', command: 'USER_ID --user-email alice@example.org' }],

  async handle({ params, body }, context) {
    if (body.userName !== undefined) requireUserNameForm(body.userName, body.userEmail);
    await context.store.transaction(async (tx) => {
      const user = await requireUser(tx, params.id);
      context.requireMatch(UserView, viewOfUser(user));
      const names = [body.userEmail, body.userMobile, body.userName];
      if (names.some((value) => value !== undefined)) await requireProofFor(tx, user, context.caller);
      if (typeof body.businessId === 'string') await requireBusinessFor(tx, body.businessId, context.caller);
      const changed = changedBy(user, body);
      await requireFreeLogins(tx, changed);
      if (changed.businessId !== user.businessId) await keepingAnAdministrator(tx, () => move(tx, user, changed));
      else await tx.users.replace(changed);
      // A code that is on its way there is good for nobody any more.
      if (lostContacts(user, changed).length > 0) await voidCodes(tx, subjectOfUser(user.userId));
    });
    return undefined;
  },
});

/** The user with what was sent; a field that was sent as null is gone. */
function changedBy(user: User, { userEmail, userMobile, ...rest }: z.output<typeof Body>): User {
  const sent = {
    ...rest,
    ...(userEmail === undefined ? {} : { userEmail, emailVerified: userEmail !== null }),
    ...(userMobile === undefined ? {} : { userMobile, mobileVerified: userMobile !== null }),
  };
  const entries = Object.entries({ ...user, ...sent }).filter(([, value]) => value !== null && value !== undefined);
  const changed = Object.fromEntries(entries) as User;
  return rest.userName !== undefined || isUserNameProven(user) ? withProvenName(changed) : changed;
}

async function move(tx: Transaction, user: User, changed: User): Promise<void> {
  // Before the memberships end, which tell whether the user is an administrator.
  await tx.users.replace(changed);
  await leaveBusiness(tx, user);
}
