import * as z from 'zod';
import { BusinessId } from '../../../../contract/schemas/business.ts';
import { Email, Mobile } from '../../../../contract/schemas/contact.ts';
import { exampleText, NewId } from '../../../../contract/schemas/primitives.ts';
import { NewPassword, UserName } from '../../../../contract/schemas/user.ts';
import { assertBusinessesExist } from '../../../directory/memberships.ts';
import { assertPasswordPolicy, passwordErrorCodes } from '../../../users/password-policy.ts';
import {
  assertUserNameForm,
  buildUser,
  insertUser,
  normalizeNewUserName,
  withVerifiedName,
} from '../../../users/users.ts';
import { defineRoute } from '../../define.ts';

const NewUserInput = z.strictObject({
  userId: NewId.optional().meta({ description: 'Default: generated', examples: ['alice'] }),
  userName: UserName,
  userEmail: Email.optional(),
  userMobile: Mobile.optional(),
  businessId: BusinessId.optional().describe('Business that the user belongs to'),
  lead: z.boolean().default(false).describe('A lead, who does not have the role USER'),
  password: NewPassword.optional(),
  verified: z
    .boolean()
    .default(false)
    .describe('Whether the contacts count as verified, so that the user can log in with the e-mail address'),
});

export default defineRoute({
  capability: 'maintain',
  id: 'control.create-user',
  title: 'Create a user',
  description:
    'Creates a user as an administrator: with a password if one is given, without a code, a session or a token. The rules for names and passwords are those of the interface.',
  method: 'POST',
  path: '/users',
  audit: { kind: 'administration', targets: { response: ['userId'] } },
  request: { body: NewUserInput },
  response: {
    status: 201,
    body: z.strictObject({ userId: exampleText('alice') }),
  },
  errors: [
    'NAME_NOT_VISIBLE',
    'USER_NAME_RESERVED',
    'ID_TAKEN',
    'LOGIN_NAME_TAKEN',
    'BUSINESS_UNKNOWN',
    ...passwordErrorCodes,
    'TOO_BUSY',
  ],
  openapiExamples: { body: { userName: 'alice', userEmail: 'alice@example.com', verified: true } },

  async handle({ body: { verified, password, ...sent } }, { store, ids, clock, passwords, hashFlow }) {
    const fields = { ...sent, userName: normalizeNewUserName(sent.userName) };
    assertUserNameForm(fields.userName, fields.userEmail);
    if (password !== undefined) await assertPasswordPolicy(password, fields);
    const passwordHash = password === undefined ? undefined : await passwords.hash(password, hashFlow);
    const user = {
      ...withVerifiedName(buildUser(fields, { ids, clock })),
      ...(passwordHash === undefined ? {} : { passwordHash }),
      emailVerified: verified && fields.userEmail !== undefined,
      mobileVerified: verified && fields.userMobile !== undefined,
    };
    await store.transaction(async (tx) => {
      if (user.businessId !== undefined) await assertBusinessesExist(tx, [user.businessId]);
      await insertUser(tx, user);
    });
    return { userId: user.userId };
  },
});
