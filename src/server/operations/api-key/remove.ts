import { apiError } from '../../../contract/errors.ts';
import { ApiKeyId } from '../../../contract/schemas/api-key.ts';
import { Empty } from '../../../contract/schemas/primitives.ts';
import { defineOperation } from '../define.ts';

export default defineOperation({
  id: 'api-key.remove',
  title: 'Delete an API key',
  description: 'Deletes an API key. The server rejects the key from the next request on.',
  method: 'DELETE',
  path: '/api-key/{apiKeyId}',
  auth: 'caller',
  roles: 'CLI-1STPARTY and CLI-AUTH-IDENTIFIED and ADMIN',
  audit: { kind: 'administration', targets: { path: ['apiKeyId'] } },
  status: [200, 401, 403, 404, 500],
  request: { params: { apiKeyId: ApiKeyId } },
  response: { status: 200, body: Empty },
  errors: ['API_KEY_NOT_FOUND'],
  command: 'api-key delete',
  cliExamples: [{ title: 'Without confirmation', command: 'billing --yes' }],

  async handle({ params }, { store }) {
    await store.transaction(async (tx) => {
      if (!(await tx.apiKeys.delete(params.apiKeyId))) throw apiError('API_KEY_NOT_FOUND');
    });
    return {};
  },
});
