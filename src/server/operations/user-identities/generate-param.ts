import * as z from 'zod';
import { ClientId } from '../../../contract/schemas/client.ts';
import { lifetimeText } from '../../../contract/schemas/primitives.ts';
import { sensitive } from '../../../contract/sensitive.ts';
import { findNarrowedScope, requireTargetClient } from '../../auth/target-client.ts';
import { hasWholeToken } from '../../directory/principal.ts';
import { revalidateUserCaller } from '../../sessions/revalidate-caller.ts';
import { issueOneTimeToken, oneTimeTokenLifetimes } from '../../tokens/one-time-tokens.ts';
import { defineOperation } from '../define.ts';

const Body = z
  .strictObject({
    targetClientId: ClientId.optional().meta({
      description: 'Only client that may exchange the value',
      examples: ['portal'],
    }),
  })
  .meta({ id: 'GenerateParamInput' });

const Param = z
  .strictObject({
    param: sensitive(z.string(), 'one-time').meta({
      description: 'Opaque value, valid for one use',
      examples: ['cGFyYW1ldGVy'],
    }),
    expiresIn: lifetimeText('Lifetime in seconds, as a string of digits', oneTimeTokenLifetimes.param),
  })
  .meta({ id: 'Param' });

export default defineOperation({
  id: 'user-identities.generate-param',
  title: 'Generate a value for logging in another client',
  description:
    'Issues a value that represents the signed-in user. authenticate-by-param exchanges it, once within 60 seconds, for a session of the same level with another first-party client. Ending the session revokes the value.',
  method: 'POST',
  path: '/user-identities/me/generate-param',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and USER',
  audit: { kind: 'administration', targets: { body: ['targetClientId'] } },
  status: [201, 400, 401, 403, 404, 500],
  request: { body: Body },
  response: { status: 201, body: Param, secret: true },
  errors: ['USER_MISSING', 'CLIENT_NOT_FOUND', 'TARGET_NOT_ALLOWED'],

  async handle({ body: { targetClientId } }, context) {
    const { store, caller } = context;
    const { value, expiresIn } = await store.transaction(async (tx) => {
      const { user, session } = await revalidateUserCaller(tx, caller, context.clock);
      if (targetClientId !== undefined) await requireTargetClient(tx, targetClientId);
      const scope = findNarrowedScope(caller, session);
      const token = {
        kind: 'param',
        clientId: caller.client.clientId,
        userId: user.userId,
        sessionId: session.sessionId,
        ...(targetClientId === undefined ? {} : { targetClientId }),
        ...(scope === undefined ? {} : { scope }),
        ...(caller.resources === undefined ? {} : { resources: caller.resources }),
        ...(hasWholeToken(caller) ? {} : { reduced: true as const }),
      } as const;
      return issueOneTimeToken(tx, token, context);
    });
    return { param: value, expiresIn };
  },
});
