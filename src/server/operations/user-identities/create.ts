import { z } from 'zod';
import { fault } from '../../../contract/errors.ts';
import { Email, Id, Mobile, NewId, Token, UserName } from '../../../contract/schemas.ts';
import { startSession } from '../../identity/sessions.ts';
import { claimSubject } from '../../identity/subjects.ts';
import { requireBusinessFor, requireFreeLogins } from '../../identity/user-identities.ts';
import type { User } from '../../store/tables.ts';
import { defineOperation } from '../define.ts';

export default defineOperation({
  id: 'user-identities.create',
  title: 'Create Identity',
  description:
    'Makes a user. Without a code the contacts stay unverified and the token of the answer carries no level: it identifies nobody yet.',
  method: 'POST',
  path: '/user-identities',
  auth: 'client-id',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY',
  status: ['200e', 201, 400, 401, 412, 500],
  request: {
    query: {
      clientId: Id.optional().describe('The calling client, where no header names it'),
      'remember-me': z.boolean().optional().describe('Gives a refresh token and shorter access tokens'),
    },
    body: z
      .strictObject({
        userId: NewId.optional(),
        userEmail: Email,
        userName: UserName,
        businessId: Id.optional().describe('Business that the user is of'),
        lead: z.boolean().optional().describe('Not a user yet: does not get the role USER'),
        userMobile: Mobile.optional(),
        token: z
          .string()
          .max(100, 'must not be longer than 100 characters')
          .optional()
          .describe('Code that proves the contact'),
      })
      .meta({ id: 'UserInput' }),
  },
  response: { status: 201, body: Token, secret: true },
  errors: ['ID_TAKEN', 'LOGIN_NAME_TAKEN', 'CODE_INVALID', 'BUSINESS_NOT_ALLOWED', 'BUSINESS_UNKNOWN'],
  command: 'users create',
  examples: [
    { title: 'A user who proves the e-mail later', command: '--user-name alice --user-email alice@example.com' },
  ],

  async handle({ query, body }, { caller, ids, ...context }) {
    const { token, lead = false, ...given } = body;
    // No operation sends codes for a contact that nobody has yet, so none can be right.
    if (token !== undefined) throw fault('CODE_INVALID');
    const user: User = {
      ...given,
      userId: given.userId ?? ids.newId(),
      lead,
      emailVerified: false,
      mobileVerified: false,
      locked: false,
      identities: [],
      createdAt: context.clock.now().toISOString(),
    };
    const remember = query['remember-me'] ?? false;
    const start = {
      clientId: caller.client.clientId,
      userId: user.userId,
      level: 'NONE',
      remember,
      renewable: remember,
    } as const;
    const { session, refreshToken } = await context.store.transaction(async (tx) => {
      if (user.businessId !== undefined) await requireBusinessFor(tx, user.businessId, caller);
      await claimSubject(tx, { subject: user.userId, kind: 'user', ownerId: user.userId });
      await requireFreeLogins(tx, user);
      await tx.users.insert(user);
      return startSession(tx, start, context);
    });
    return context.issuer.forUser(user, session, caller.client, { refreshToken });
  },
});
