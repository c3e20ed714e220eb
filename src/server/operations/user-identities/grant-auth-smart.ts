import * as z from 'zod';
import { apiError } from '../../../contract/errors.ts';
import { ChallengeId } from '../../../contract/schemas/otp.ts';
import { Token } from '../../../contract/schemas/token.ts';
import { readCallerContent, revalidateUserCaller, rotateCallerRefreshToken } from '../../sessions/revalidate-caller.ts';
import { consumeOneTimeToken } from '../../tokens/one-time-tokens.ts';
import { defineOperation } from '../define.ts';

export default defineOperation({
  id: 'user-identities.grant-auth-smart',
  title: 'Obtain AUTH-SMART',
  description:
    'Accepts the challengeId of validate-token, once and in the session that received it, and grants AUTH-SMART to the session. If the session has a refresh token, the response contains a new one.',
  method: 'POST',
  path: '/user-identities/me/grant-auth-smart',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and USER',
  audit: { kind: 'authentication', targets: {} },
  status: [200, 400, 401, 403, 412, 500],
  request: { body: z.strictObject({ challengeId: ChallengeId }).meta({ id: 'SmartProof' }) },
  response: { status: 200, body: Token, secret: true },
  errors: ['USER_MISSING', 'CODE_INVALID', 'TOKEN_TOO_LONG'],

  async handle({ body }, context) {
    const { caller } = context;
    const content = await context.store.transaction(async (tx) => {
      const { user, session: before } = await revalidateUserCaller(tx, caller, context.clock);
      const token = await consumeOneTimeToken(tx, 'auth-smart', body.challengeId, context.clock);
      // The error rolls the transaction back, so an attempt from another session does not consume the token.
      if (token?.sessionId !== before.sessionId || token.userId !== before.userId) throw apiError('CODE_INVALID');
      const session = { ...before, smart: true };
      await tx.sessions.replace(session);
      const refreshToken = await rotateCallerRefreshToken(tx, caller, session, context);
      return readCallerContent(context, caller, { user, session, refreshToken });
    });
    return context.issuer.issue(content);
  },
});
