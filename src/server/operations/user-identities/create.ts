import * as z from 'zod';
import { defines } from '../../../contract/entities.ts';
import { BusinessId, ClientId } from '../../../contract/reference-schemas.ts';
import { Email, Mobile, NewId, Token, UserName } from '../../../contract/schemas.ts';
import { sensitive } from '../../../contract/sensitive.ts';
import { type Contact, emailContact, mobileContact } from '../../identity/contacts.ts';
import { consumeFirstMatchingOtp, type OtpCheck, subjectOfContact } from '../../identity/otp.ts';
import { createUnknownSource, type OtpSource } from '../../identity/otp-source.ts';
import type { Principal } from '../../identity/principal.ts';
import { startSession } from '../../identity/sessions.ts';
import { reserveSubjectId } from '../../identity/subject-ids.ts';
import {
  assertLoginNamesAvailable,
  assertMayAssignBusiness,
  assertUserNameForm,
  withVerifiedName,
} from '../../identity/user-identities.ts';
import type { Transaction } from '../../store/store.ts';
import type { Otp, User } from '../../store/tables.ts';
import { defineOperation } from '../define.ts';

export default defineOperation({
  id: 'user-identities.create',
  title: 'Create Identity',
  description:
    'Creates a user. token is the code that identification sent to one of the contacts: that contact is verified, and the token of the response has AUTH-IDENTIFIED. Without a code the contacts stay unverified and the token carries no level. A code is used up only where the user is created. A userName in the form of an e-mail address must be the userEmail, and is a login name once the address is proven, or if an administrator calls; one with a colon is refused.',
  method: 'POST',
  path: '/user-identities',
  auth: 'client-id',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY',
  audit: { kind: 'authentication', targets: {} },
  status: ['200e', 201, 400, 401, 412, 500],
  request: {
    query: {
      clientId: ClientId.optional().describe('The calling client, where no header names it'),
      'remember-me': z.boolean().optional().describe('Gives a refresh token and shorter access tokens'),
    },
    body: z
      .strictObject({
        userId: NewId.optional().meta(defines('user', 'id')),
        userEmail: Email,
        userName: UserName,
        businessId: BusinessId.optional().describe('Business that the user is of'),
        lead: z.boolean().optional().describe('Not a user yet: does not get the role USER'),
        userMobile: Mobile.optional(),
        token: sensitive(z.string().max(100, 'must not be longer than 100 characters'), 'secret')
          .optional()
          .describe('Code that proves the contact'),
      })
      .meta({ id: 'UserInput' }),
  },
  response: { status: 201, body: Token, secret: true },
  identifies: ['userEmail', 'userMobile'],
  errors: [
    'USER_NAME_RESERVED',
    'ID_TAKEN',
    'LOGIN_NAME_TAKEN',
    'CODE_INVALID',
    'CODE_FAILURES',
    'BUSINESS_NOT_ALLOWED',
    'BUSINESS_UNKNOWN',
    'MFA_MISSING',
  ],
  creates: 'user',
  command: 'users create',
  cliExamples: [
    { title: 'A user who proves the e-mail later', command: '--user-name alice --user-email alice@example.com' },
  ],

  async handle({ query, body }, { caller, ids, ...context }) {
    const { token, lead = false, ...fields } = body;
    assertUserNameForm(fields.userName, fields.userEmail);
    const draft: User = {
      ...fields,
      userId: fields.userId ?? ids.newId(),
      lead,
      emailVerified: false,
      mobileVerified: false,
      locked: false,
      identities: [],
      createdAt: context.clock.now().toISOString(),
    };
    const user = mayAssertName(caller) ? withVerifiedName(draft) : draft;
    const remember = query['remember-me'] ?? false;
    const start = { clientId: caller.client.clientId, userId: user.userId, remember, renewable: remember } as const;
    const make = async (tx: Transaction, created: User, level: 'NONE' | 'AUTH-IDENTIFIED') => {
      await insertUser(tx, created, caller);
      return { made: created, ...(await startSession(tx, { ...start, level }, context)) };
    };
    const {
      made: created,
      session,
      refreshToken,
    } = token === undefined
      ? await context.store.transaction((tx) => make(tx, user, 'NONE'))
      : await consumeFirstMatchingOtp(
          buildCodeChecks(user, token, createUnknownSource(context)),
          { ...context, ids },
          (tx, code) => make(tx, withVerifiedContact(code, user), 'AUTH-IDENTIFIED'),
        );
    return context.issuer.issueForUser(created, session, caller.client, { refreshToken });
  },
});

/** The word of an administrator counts as proof of a name; a user that is one only after a password counts from there. */
function mayAssertName({ roles }: Principal): boolean {
  return roles.has('AUTH-BASIC') && (roles.has('ADMIN') || roles.has('IAM_ADMIN_MAINTENANCE'));
}

/** The code may have been sent to either contact. */
function buildCodeChecks(
  { userEmail = '', userMobile }: User,
  code: string,
  source: OtpSource,
): [OtpCheck, ...OtpCheck[]] {
  const check = (contact: Contact) =>
    ({ purpose: 'sign-up', subject: subjectOfContact(contact), code, source }) as const;
  const email = check(emailContact(userEmail));
  return userMobile === undefined ? [email] : [email, check(mobileContact(userMobile))];
}

/** The user with the one contact proven that the code was sent to. */
function withVerifiedContact({ subject }: Otp, user: User): User {
  const isEmail = subject === subjectOfContact(emailContact(user.userEmail ?? ''));
  return { ...user, emailVerified: isEmail, mobileVerified: !isEmail };
}

async function insertUser(tx: Transaction, user: User, caller: Principal): Promise<void> {
  if (user.businessId !== undefined) await assertMayAssignBusiness(tx, user.businessId, caller);
  await reserveSubjectId(tx, { subject: user.userId, kind: 'user', ownerId: user.userId });
  await assertLoginNamesAvailable(tx, user);
  await tx.users.insert(user);
}
