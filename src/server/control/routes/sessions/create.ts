import * as z from 'zod';
import { reference } from '../../../../contract/entities.ts';
import { apiError, fieldError } from '../../../../contract/errors.ts';
import { Id, optionalText } from '../../../../contract/schemas/primitives.ts';
import { Token } from '../../../../contract/schemas/token.ts';
import { signInLevels } from '../../../../contract/testing/sign-in-levels.ts';
import { requireActiveClient, startSessionWithoutPassword } from '../../../auth/sign-in.ts';
import { hasTestFeatures } from '../../../config/settings.ts';
import type { ControlContext } from '../../../request-context.ts';
import { readClientContent } from '../../../tokens/content.ts';
import { defineRoute } from '../../define.ts';
import { assertOneUser, hasUser, userChoice, userChoices } from './user-choice.ts';

export default defineRoute({
  capability: 'maintain',
  id: 'control.create-session',
  title: 'Sign a user or a client in without a password',
  description:
    'A test feature: starts a session of a user at an authentication level and returns its tokens. Specify at most one of userName and userId. The tokens are those of a login and expire like them; there is a refresh token if the client may renew tokens. A locked user is rejected. With clientId alone, issues an access token of that client, without a session and without its secret; a server with remote access never does.',
  method: 'POST',
  path: '/sessions',
  audit: { kind: 'administration', targets: { response: ['userId', 'sessionId'] } },
  request: {
    body: z.strictObject({
      ...userChoice,
      clientId: Id.optional().meta({
        description:
          'Client to sign in through; default: the application client of the server. Without a user, the client itself',
        examples: ['billing-service'],
        ...reference('client', ['id']),
      }),
      level: z.enum(signInLevels).default('AUTH-BASIC').describe('Authentication level'),
      remember: z
        .boolean()
        .default(false)
        .describe('Whether to start a remembered session, with short-lived access tokens'),
    }),
  },
  response: {
    status: 201,
    body: Token.extend({
      userId: optionalText('alice', 'Absent for a client'),
      sessionId: optionalText('64b0c0ffee00000000000003', 'Absent for a client'),
    }).meta({ id: 'SessionToken', description: 'Tokens of a new session, or the token of a client.' }),
  },
  errors: [
    'TEST_FEATURES_OFF',
    'FIELD_MISSING',
    'FIELD_VALUE',
    'USER_NOT_FOUND',
    'USER_LOCKED',
    'CLIENT_NOT_FOUND',
    'TOKEN_TOO_LONG',
  ],
  openapiExamples: { body: { userName: 'alice@example.com', level: 'AUTH-MFA' } },

  async handle({ body }, context) {
    if (!hasTestFeatures(context.settings)) throw apiError('TEST_FEATURES_OFF');
    assertOneUser(body);
    if (!hasUser(body)) return issueClientToken(body.clientId, context);
    const content = await startSessionWithoutPassword(body, context);
    const token = await context.issuer.issue(content);
    return { ...token, userId: content.user.userId, sessionId: content.session.sessionId };
  },
});

/** A client token carries all authorities of the client, so only callers on this machine obtain one. */
async function issueClientToken(clientId: string | undefined, { store, settings, issuer }: ControlContext) {
  if (clientId === undefined)
    throw fieldError(
      'FIELD_MISSING',
      [...userChoices, 'clientId'],
      'One of userName, userId and clientId is required.',
    );
  if (settings.allowRemote)
    throw apiError('TEST_FEATURES_OFF', 'A server with remote access issues client tokens for a secret only.');
  return issuer.issue(await readClientContent({ store, issuer }, await requireActiveClient(store, clientId)));
}
