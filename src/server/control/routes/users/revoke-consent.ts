import { reference } from '../../../../contract/entities.ts';
import { apiError } from '../../../../contract/errors.ts';
import { Id } from '../../../../contract/schemas/primitives.ts';
import { withoutConsent } from '../../../sessions/consents.ts';
import { endSession } from '../../../sessions/end-sessions.ts';
import { revokeOneTimeTokens } from '../../../tokens/one-time-tokens.ts';
import { requireUser } from '../../../users/users.ts';
import { defineRoute } from '../../define.ts';

export default defineRoute({
  capability: 'maintain',
  id: 'control.revoke-consent',
  title: 'Revoke the consent of a user',
  description:
    'Deletes what a user let a third-party client do after a login with a browser, and ends the sessions of the user at that client. The next login asks again.',
  method: 'DELETE',
  path: '/users/{id}/consents/{clientId}',
  audit: { kind: 'administration', targets: { path: ['id', 'clientId'] } },
  request: {
    params: {
      id: Id.meta({ examples: ['alice'], ...reference('user', ['id']) }),
      clientId: Id.meta({ examples: ['billing-service'], ...reference('client', ['id']) }),
    },
  },
  response: { status: 204 },
  errors: ['USER_NOT_FOUND', 'CLIENT_NOT_FOUND'],

  async handle({ params: { id, clientId } }, { store }) {
    await store.transaction(async (tx) => {
      const user = await requireUser(tx, id);
      const changed = withoutConsent(user, clientId);
      const ofClient = (await tx.sessions.find('userId', id)).filter((session) => session.clientId === clientId);
      // Of a consent that newer ones replaced, only sessions are left.
      if (changed === user && !ofClient.some(({ openid }) => openid?.isLimited))
        throw apiError('CLIENT_NOT_FOUND', `Consent not found: user ${id} has not allowed client ${clientId}.`);
      if (changed !== user) await tx.users.replace(changed);
      await revokeOneTimeTokens(tx, id, clientId);
      for (const session of ofClient) if (!session.browser) await endSession(tx, session);
    });
  },
});
