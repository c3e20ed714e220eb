/** POST /_iam/sessions */
import * as z from 'zod';
import { apiError, fieldError } from '../../../../contract/errors.ts';
import { Id, singleLine } from '../../../../contract/schemas/primitives.ts';
import { Token } from '../../../../contract/schemas/token.ts';
import { type SignInRequest, signInLevels, startSessionWithoutPassword } from '../../../auth/sign-in.ts';
import { hasTestFeatures } from '../../../config/settings.ts';
import { defineRoute } from '../../define.ts';

export default defineRoute({
  capability: 'maintain',
  id: 'control.create-session',
  title: 'Sign a user in without a password',
  description:
    'A test feature: starts a session of a user at an authentication level and returns its tokens. Specify exactly one of userName and userId. The tokens are those of a login and expire like them; there is a refresh token if the client may renew tokens. A locked user is rejected.',
  method: 'POST',
  path: '/sessions',
  audit: { kind: 'administration', targets: { response: ['userId', 'sessionId'] } },
  status: [201, 400, 401, 403, 404, 412, 422, 500],
  request: {
    body: z.strictObject({
      userName: singleLine(320, 'A login name of the user')
        .optional()
        .meta({ examples: ['alice@example.com'] }),
      userId: Id.optional().meta({ description: 'Id of the user', examples: ['alice'] }),
      clientId: Id.optional().meta({
        description: 'Client to sign in through; default: the application client of the server',
        examples: ['billing-service'],
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
      userId: z.string().meta({ examples: ['alice'] }),
      sessionId: z.string().meta({ examples: ['64b0c0ffee00000000000003'] }),
    }).meta({ id: 'SessionToken', description: 'Tokens of a new session.' }),
  },
  errors: ['TEST_FEATURES_OFF', 'FIELD_MISSING', 'FIELD_VALUE', 'USER_NOT_FOUND', 'USER_LOCKED', 'CLIENT_NOT_FOUND'],
  openapiExamples: { body: { userName: 'alice@example.com', level: 'AUTH-MFA' } },

  async handle({ body }, context) {
    if (!hasTestFeatures(context.settings)) throw apiError('TEST_FEATURES_OFF');
    assertOneUser(body);
    const { user, session, client, refreshToken } = await startSessionWithoutPassword(body, context);
    const token = await context.issuer.issueForUser(user, session, client, { refreshToken });
    return { ...token, userId: user.userId, sessionId: session.sessionId };
  },
});

const choices = ['userName', 'userId'];

/** @throws IamError FIELD_MISSING, FIELD_VALUE. */
function assertOneUser({ userName, userId }: Pick<SignInRequest, 'userName' | 'userId'>): void {
  if (userName !== undefined && userId !== undefined)
    throw fieldError('FIELD_VALUE', choices, 'Specify only one of userName and userId.');
  if (userName === undefined && userId === undefined)
    throw fieldError('FIELD_MISSING', choices, 'One of userName and userId is required.');
}
