import * as z from 'zod';
import { ApiKeyValue } from '../../../contract/schemas/api-key.ts';
import { applicationId, ClientId } from '../../../contract/schemas/client.ts';
import { exampleText } from '../../../contract/schemas/primitives.ts';
import { sensitive } from '../../../contract/sensitive.ts';
import {
  assertApiKeyAvailable,
  digestApiKey,
  generateApiKey,
  requireGrantableClient,
} from '../../directory/api-keys.ts';
import { normalizeNewName } from '../../directory/new-names.ts';
import { defineOperation } from '../define.ts';

export const ApiKeyInput = z
  .strictObject({
    appId: applicationId('Application that uses the key'),
    clientId: ClientId.describe('Client whose rights the key has'),
    apiKey: ApiKeyValue.optional(),
  })
  .meta({ id: 'ApiKeyInput' });

export default defineOperation({
  id: 'api-key.create',
  title: 'Create an API key',
  description:
    'Creates a key with the rights of its client: roles, scope and CLI-AUTH-BASIC. The client must not have rights that the caller lacks. For this check, IAM_ADMIN_MAINTENANCE counts as every role that a group can grant, and ADMIN with AUTH-MFA counts as CLI-AUTH-BASIC. With remote access or behind a proxy, a key of a client that takes part in browser logins requires IAM_ADMIN_MAINTENANCE and AUTH-MFA, except for the owner of a third-party client. The key is returned only once; the server stores its hash.',
  method: 'POST',
  path: '/api-key',
  auth: 'caller',
  roles: 'CLI-1STPARTY and CLI-AUTH-IDENTIFIED and ADMIN',
  audit: { kind: 'administration', targets: { body: ['appId', 'clientId'], response: ['apiKeyId'] } },
  status: [201, 400, 401, 403, 404, 412, 500],
  request: { body: ApiKeyInput },
  response: {
    status: 201,
    body: z.strictObject({
      apiKeyId: exampleText('64b0c0ffee00000000000004'),
      apiKey: sensitive(z.string(), 'secret').meta({ examples: ['bG9uZy1yYW5kb20tdmFsdWUtb2YtMzItYnl0ZXMtISE='] }),
    }),
    secret: true,
  },
  errors: ['NAME_NOT_VISIBLE', 'CLIENT_NOT_FOUND', 'GRANT_EXCEEDED', 'API_KEY_TAKEN'],
  creates: 'apiKey',
  command: 'api-key create',
  cliExamples: [{ title: 'A key for a client', command: '--app-id billing --client-id billing-service' }],

  async handle({ body }, context) {
    const { store, ids, clock, random } = context;
    const apiKey = body.apiKey ?? generateApiKey(random);
    const apiKeyId = ids.newId();
    const digest = digestApiKey(apiKey);
    return store.transaction(async (tx) => {
      const client = await tx.clients.get(body.clientId);
      const appId = normalizeNewName('appId', body.appId, client?.appId);
      await requireGrantableClient(tx, body.clientId, context);
      await assertApiKeyAvailable(tx, digest.keyHash, apiKeyId);
      await tx.apiKeys.insert({
        apiKeyId,
        appId,
        clientId: body.clientId,
        ...digest,
        createdAt: clock.now().toISOString(),
      });
      return { apiKeyId, apiKey };
    });
  },
});
