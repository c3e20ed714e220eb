import { apiError } from '../../../contract/errors.ts';
import { ApiKeyId } from '../../../contract/schemas/api-key.ts';
import { Empty } from '../../../contract/schemas/primitives.ts';
import {
  assertApiKeyAvailable,
  digestApiKey,
  requireGrantableClient,
  toUpdatableApiKey,
} from '../../directory/api-keys.ts';
import { normalizeNewName } from '../../directory/new-names.ts';
import { withoutOverlap } from '../../directory/replaced-secrets.ts';
import { defineOperation } from '../define.ts';
import { ApiKeyInput } from './create.ts';

export default defineOperation({
  id: 'api-key.update',
  title: 'Update an API key',
  description:
    'Assigns the key to an application and a client, and replaces the key value if one is sent. As on creation, the client must not have rights that the caller lacks.',
  method: 'PUT',
  path: '/api-key/{apiKeyId}',
  auth: 'caller',
  roles: 'CLI-1STPARTY and CLI-AUTH-IDENTIFIED and ADMIN',
  audit: { kind: 'administration', targets: { path: ['apiKeyId'], body: ['appId', 'clientId'] } },
  status: [200, 400, 401, 403, 404, 412, 500],
  request: { params: { apiKeyId: ApiKeyId }, body: ApiKeyInput },
  response: { status: 200, body: Empty },
  errors: [
    ...(['NAME_NOT_VISIBLE', 'API_KEY_NOT_FOUND', 'CHANGED_MEANWHILE', 'CLIENT_NOT_FOUND', 'GRANT_EXCEEDED'] as const),
    'API_KEY_TAKEN',
  ],
  command: 'api-key update',
  cliExamples: [{ title: 'Assign a key to another application', command: 'billing --app-id accounts' }],

  async handle({ params, body }, context) {
    const { store, assertStoredMatch } = context;
    const replaced = body.apiKey === undefined ? undefined : digestApiKey(body.apiKey);
    await store.transaction(async (tx) => {
      const row = await tx.apiKeys.get(params.apiKeyId);
      const client = await tx.clients.get(body.clientId);
      const appId = normalizeNewName('appId', body.appId, row?.appId, client?.appId);
      if (!row) throw apiError('API_KEY_NOT_FOUND');
      assertStoredMatch(toUpdatableApiKey(row));
      await requireGrantableClient(tx, body.clientId, context);
      if (replaced) await assertApiKeyAvailable(tx, replaced.keyHash, row.apiKeyId);
      const changed = { ...row, ...replaced, appId, clientId: body.clientId };
      // The holder of the previous value must not become another client, nor outlive the value that replaced it.
      const keepsHolder = changed.clientId === row.clientId && changed.keyHash === row.keyHash;
      await tx.apiKeys.replace(keepsHolder ? changed : withoutOverlap(changed));
    });
    return {};
  },
});
