import * as z from 'zod';
import { definition } from '../../../contract/entities.ts';
import { BusinessId } from '../../../contract/schemas/business.ts';
import { ClientId } from '../../../contract/schemas/client.ts';
import { Email, Mobile } from '../../../contract/schemas/contact.ts';
import { NewId, textUpTo } from '../../../contract/schemas/primitives.ts';
import { Token } from '../../../contract/schemas/token.ts';
import { UserName } from '../../../contract/schemas/user.ts';
import { sensitive } from '../../../contract/sensitive.ts';
import { consumeSignUpCode, draftUser } from '../../auth/sign-up.ts';
import { isAuthenticatedAdministrator } from '../../directory/chosen-ids.ts';
import type { Principal } from '../../directory/principal.ts';
import { startSession } from '../../sessions/sessions.ts';
import type { Transaction } from '../../store/store.ts';
import type { User } from '../../store/tables.ts';
import { readUserContent } from '../../tokens/content.ts';
import { assertMayAssignBusiness, insertUser, withVerifiedName } from '../../users/users.ts';
import { defineOperation } from '../define.ts';

export default defineOperation({
  id: 'user-identities.create',
  title: 'Create a user',
  description:
    'Creates a user. token is the code that identification sent to one of the contacts: that contact is verified, and the issued token has AUTH-IDENTIFIED. Without a code, the contacts stay unverified and the token has no authentication level. The code is consumed only if the user is created. A userName in the form of an e-mail address must equal userEmail; it becomes a login name when the address is verified, or immediately if an administrator sends the request. A userName with a colon is rejected.',
  method: 'POST',
  path: '/user-identities',
  auth: 'client-id',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY',
  audit: { kind: 'authentication', targets: {} },
  status: ['200e', 201, 400, 401, 412, 500],
  request: {
    query: {
      clientId: ClientId.optional().describe('Id of the calling client, if no header contains it'),
      'remember-me': z.boolean().optional().describe('Issue a refresh token and access tokens with a shorter lifetime'),
    },
    body: z
      .strictObject({
        userId: NewId.optional().meta({ ...definition('user', 'id'), examples: ['alice'] }),
        userEmail: Email,
        userName: UserName,
        businessId: BusinessId.optional().describe('Business that the user belongs to'),
        lead: z.boolean().optional().describe('A lead, who does not have the role USER'),
        userMobile: Mobile.optional(),
        token: sensitive(textUpTo(100), 'secret')
          .optional()
          .meta({ description: 'Code that verifies the contact', examples: ['493817'] }),
      })
      .meta({ id: 'UserInput' }),
  },
  response: { status: 201, body: Token, secret: true },
  identifies: ['userEmail', 'userMobile'],
  errors: [
    'NAME_NOT_VISIBLE',
    'USER_NAME_RESERVED',
    'ID_NOT_CHOSEN',
    'ID_TAKEN',
    'LOGIN_NAME_TAKEN',
    'CODE_INVALID',
    'CODE_FAILURES',
    'BUSINESS_NOT_ALLOWED',
    'BUSINESS_UNKNOWN',
    'MFA_MISSING',
    'TOKEN_TOO_LONG',
    'TOKEN_LIMIT_EXCEEDED',
  ],
  creates: 'user',
  command: 'users create',
  cliExamples: [
    { title: 'A user with an unverified e-mail address', command: '--user-name alice --user-email alice@example.com' },
    {
      title: 'As an administrator, with a password and without an e-mail address',
      command: '--user-name erin --without-code --password-stdin < password.txt',
    },
  ],

  async handle({ query, body }, context) {
    const { caller } = context;
    const { token, lead = false, ...sent } = body;
    const draft = draftUser({ ...sent, lead }, context);
    const user: User = isAuthenticatedAdministrator(caller)
      ? withVerifiedName(draft)
      : { ...draft, selfRegistered: true };
    const remember = query['remember-me'] ?? false;
    const start = { client: caller.client, userId: user.userId, remember, renewable: remember } as const;
    const createInTransaction = async (tx: Transaction, created: User, level: 'NONE' | 'AUTH-IDENTIFIED') => {
      await insertUserOf(tx, created, caller);
      const started = await startSession(tx, { ...start, level }, context);
      return readUserContent(context, { ...started, user: created, client: caller.client });
    };
    const content =
      token === undefined
        ? await context.store.transaction((tx) => createInTransaction(tx, user, 'NONE'))
        : await consumeSignUpCode(context, user, token, (tx, verified) =>
            createInTransaction(tx, verified, 'AUTH-IDENTIFIED'),
          );
    return context.issuer.issue(content);
  },
});

async function insertUserOf(tx: Transaction, user: User, caller: Principal): Promise<void> {
  if (user.businessId !== undefined) await assertMayAssignBusiness(tx, user.businessId, caller);
  await insertUser(tx, user);
}
