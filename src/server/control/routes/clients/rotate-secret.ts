import * as z from 'zod';
import { reference } from '../../../../contract/entities.ts';
import { apiError } from '../../../../contract/errors.ts';
import { exampleText, Id } from '../../../../contract/schemas/primitives.ts';
import { sensitive } from '../../../../contract/sensitive.ts';
import { isOwnerActive } from '../../../directory/clients.ts';
import { assertMayObtainCredentials } from '../../../directory/login-approval.ts';
import { replaceSecret } from '../../../directory/replaced-secrets.ts';
import { generateSecret } from '../../../lib/random.ts';
import { hashSecret } from '../../../lib/secrets.ts';
import { endOwnSessionsOfClient } from '../../../sessions/end-sessions.ts';
import { notifyRotation } from '../../../users/account-notices.ts';
import { findCaller, requireManagedClient } from '../../client-access.ts';
import { defineRoute } from '../../define.ts';
import { previousEndsAt, RotationInput, readRotation } from '../../secret-rotation.ts';

export default defineRoute({
  capability: 'clients',
  id: 'control.client-rotate-secret',
  title: 'Rotate the secret of a client',
  description:
    'Replaces the secret by a new one, which is returned only once. With an overlap, the replaced secret stays valid beside it and tokens are not affected. Without one, the replaced secret is rejected at once, and so are the access tokens and sessions that the client obtained for itself; those of users stay. An overlap also ends when the user that owns the client is locked or gets another password. At most two secrets are valid: a rotation within an overlap says which of them it keeps. Administrators need every authority and scope of the client; IAM_ADMIN_MAINTENANCE counts as every scope. With remote access or behind a proxy, they need IAM_ADMIN_MAINTENANCE and AUTH-MFA for a client that takes part in browser logins. Owners can rotate the secrets of their own third-party clients, if these have no authority and no scope that the owner lacks.',
  method: 'POST',
  path: '/clients/{id}/rotate-secret',
  audit: { kind: 'administration', targets: { path: ['id'], body: ['overlap', 'keep'] } },
  request: {
    params: { id: Id.meta({ examples: ['billing-service'], ...reference('client', ['id']) }) },
    body: RotationInput,
  },
  response: {
    status: 200,
    body: z.strictObject({
      clientId: exampleText('billing-service'),
      clientSecret: sensitive(z.string(), 'secret').meta({
        description: 'Returned only once',
        examples: ['only-for-this-machine'],
      }),
      previousSecretEndsAt: previousEndsAt('secret'),
    }),
    secret: true,
  },
  errors: [
    ...([
      'CLIENT_NOT_FOUND',
      'TOKEN_NARROWED',
      'GRANT_EXCEEDED',
      'FIELD_MISSING',
      'OVERLAP_ACTIVE',
      'OWNER_INACTIVE',
    ] as const),
    ...(['CLIENT_WITHOUT_SECRET', 'SECRET_CONFIGURED'] as const),
  ],
  openapiExamples: { body: { overlap: '24h' } },

  async handle({ params, body }, context) {
    const rotation = readRotation(body);
    const clientSecret = generateSecret(context.random);
    const now = context.clock.now();
    const caller = findCaller(context);
    const rotated = await context.store.transaction(async (tx) => {
      const client = await requireManagedClient(tx, params.id, caller);
      if (caller) assertMayObtainCredentials(client, context);
      const { clientId, secretHash, tokenGeneration = 0 } = client;
      if (secretHash === undefined) throw apiError('CLIENT_WITHOUT_SECRET');
      if (client.bootstrap === 'admin' && context.settings.adminClientSecret !== undefined)
        throw apiError('SECRET_CONFIGURED');
      const endsAtOnce = rotation.overlap === 0;
      if (!endsAtOnce && !(await isOwnerActive(tx, client))) throw apiError('OWNER_INACTIVE');
      const previousSecret = replaceSecret({ hash: secretHash }, client.previousSecret, rotation, now);
      await tx.clients.replace({
        ...client,
        secretHash: hashSecret(clientSecret),
        previousSecret,
        secretRotatedAt: now.toISOString(),
        ...(endsAtOnce ? { tokenGeneration: tokenGeneration + 1 } : {}),
      });
      if (endsAtOnce) await endOwnSessionsOfClient(tx, clientId);
      await notifyRotation(tx, caller?.user, `The secret of the client ${clientId}`, context);
      const { endsAt } = previousSecret;
      return { clientId, clientSecret, ...(endsAt === undefined ? {} : { previousSecretEndsAt: endsAt }) };
    });
    if (caller?.user) context.outbox.wake();
    return rotated;
  },
});
