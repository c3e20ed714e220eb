import * as z from 'zod';
import { reference } from '../../../../contract/entities.ts';
import { apiError } from '../../../../contract/errors.ts';
import { exampleText, Id } from '../../../../contract/schemas/primitives.ts';
import { sensitive } from '../../../../contract/sensitive.ts';
import { digestApiKey, generateApiKey, requireGrantableClient } from '../../../directory/api-keys.ts';
import { isOwnerActive } from '../../../directory/clients.ts';
import { replaceSecret } from '../../../directory/replaced-secrets.ts';
import { notifyRotation } from '../../../users/account-notices.ts';
import { findCaller } from '../../client-access.ts';
import { defineRoute } from '../../define.ts';
import { previousEndsAt, RotationInput, readRotation } from '../../secret-rotation.ts';

export default defineRoute({
  capability: 'apiKeys',
  id: 'control.api-key-rotate',
  title: 'Rotate an API key',
  description:
    'Replaces the value of the key by a new one, which is returned only once; id, application and client stay. With an overlap, the replaced value stays valid beside it; without one it is rejected at once. Tokens that were obtained with it stay valid until they expire, as when a key is deleted. An overlap also ends when the user that owns the client is locked or gets another password. At most two values are valid: a rotation within an overlap says which of them it keeps. As on creation, the client must not have rights that the caller lacks.',
  method: 'POST',
  path: '/api-keys/{id}/rotate',
  audit: { kind: 'administration', targets: { path: ['id'], body: ['overlap', 'keep'] } },
  request: {
    params: { id: Id.meta({ examples: ['64b0c0ffee00000000000004'], ...reference('apiKey', ['id']) }) },
    body: RotationInput,
  },
  response: {
    status: 200,
    body: z.strictObject({
      apiKeyId: exampleText('64b0c0ffee00000000000004'),
      apiKey: sensitive(z.string(), 'secret').meta({ examples: ['bG9uZy1yYW5kb20tdmFsdWUtb2YtMzItYnl0ZXMtISE='] }),
      previousKeyEndsAt: previousEndsAt('key'),
    }),
    secret: true,
  },
  errors: [
    'API_KEY_NOT_FOUND',
    'CLIENT_NOT_FOUND',
    'GRANT_EXCEEDED',
    'FIELD_MISSING',
    'OVERLAP_ACTIVE',
    'OWNER_INACTIVE',
  ],
  openapiExamples: { body: { overlap: '24h' } },

  async handle({ params, body }, context) {
    const rotation = readRotation(body);
    const apiKey = generateApiKey(context.random);
    const now = context.clock.now();
    const caller = findCaller(context);
    const rotated = await context.store.transaction(async (tx) => {
      const row = await tx.apiKeys.get(params.id);
      if (!row) throw apiError('API_KEY_NOT_FOUND');
      if (caller) await requireGrantableClient(tx, row.clientId, context);
      const client = await tx.clients.get(row.clientId);
      if (!client) throw apiError('CLIENT_NOT_FOUND');
      if (rotation.overlap > 0 && !(await isOwnerActive(tx, client))) throw apiError('OWNER_INACTIVE');
      const { apiKeyId, keyHash: hash, hint } = row;
      const previousKey = replaceSecret({ hash, hint }, row.previousKey, rotation, now);
      await tx.apiKeys.replace({ ...row, ...digestApiKey(apiKey), previousKey, rotatedAt: now.toISOString() });
      await notifyRotation(tx, caller?.user, `The API key ${apiKeyId} of the client ${row.clientId}`, context);
      const { endsAt } = previousKey;
      return { apiKeyId, apiKey, ...(endsAt === undefined ? {} : { previousKeyEndsAt: endsAt }) };
    });
    if (caller?.user) context.outbox.wake();
    return rotated;
  },
});
