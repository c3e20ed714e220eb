import * as z from 'zod';
import { apiError } from '../../../contract/errors.ts';
import { ChallengeId } from '../../../contract/factor-schemas.ts';
import { Token } from '../../../contract/schemas.ts';
import { consumeOneTimeToken } from '../../identity/one-time-tokens.ts';
import { issueCallerToken, revalidateUserCaller, rotateCallerRefreshToken } from '../../identity/revalidate-caller.ts';
import { defineOperation } from '../define.ts';

export default defineOperation({
  id: 'user-identities.grant-auth-smart',
  title: 'Grant Auth Smart Role',
  description:
    'Takes the challengeId of validate-token, once and in the session that it was given to: the session has AUTH-SMART from then on. Where the session has a refresh token, the answer brings a new one in its place.',
  method: 'POST',
  path: '/user-identities/me/grant-auth-smart',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and USER',
  audit: { kind: 'authentication', targets: {} },
  status: [200, 400, 401, 403, 412, 500],
  request: { body: z.strictObject({ challengeId: ChallengeId }).meta({ id: 'SmartProof' }) },
  response: { status: 200, body: Token, secret: true },
  errors: ['USER_MISSING', 'CODE_INVALID'],

  async handle({ body }, { caller, ...context }) {
    const granted = await context.store.transaction(async (tx) => {
      const { session: before } = await revalidateUserCaller(tx, caller, context.clock);
      const ticket = await consumeOneTimeToken(tx, 'auth-smart', body.challengeId, context.clock);
      // A refusal keeps nothing, so who presents what is somebody else's does not use it up.
      if (ticket?.sessionId !== before.sessionId || ticket.userId !== before.userId) throw apiError('CODE_INVALID');
      const session = { ...before, smart: true };
      await tx.sessions.replace(session);
      return { session, refreshToken: await rotateCallerRefreshToken(tx, caller, session, context) };
    });
    return issueCallerToken(context, caller, granted);
  },
});
