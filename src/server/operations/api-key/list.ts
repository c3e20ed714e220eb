import { ApiKeySchema } from '../../../contract/schemas/api-key.ts';
import { applicationId, ClientId } from '../../../contract/schemas/client.ts';
import { PageQuery } from '../../../contract/schemas/primitives.ts';
import { toApiKeyView } from '../../directory/api-keys.ts';
import { readFilteredPage } from '../../store/pages.ts';
import type { Range, Reader } from '../../store/store.ts';
import type { ApiKey } from '../../store/tables.ts';
import { defineOperation } from '../define.ts';

export default defineOperation({
  id: 'api-key.list',
  title: 'List API keys',
  description:
    'Returns API keys ordered by id, without the keys themselves. hint contains the last characters of each key. Filters match exactly and are combined with AND.',
  method: 'GET',
  path: '/api-key',
  auth: 'caller',
  roles: 'CLI-1STPARTY and CLI-AUTH-IDENTIFIED and ADMIN',
  audit: { kind: 'read', targets: {} },
  status: [200, 206, 400, 401, 403, 500],
  request: {
    query: {
      ...PageQuery,
      clientId: ClientId.optional().describe('Only keys of this client'),
      appId: applicationId('Only keys of this application').optional(),
    },
  },
  response: { page: ApiKeySchema },
  errors: [],
  command: 'api-key list',
  cliExamples: [{ title: 'The keys of one client', command: '--client-id billing-service' }],

  async handle({ query }, { store, range, authentication }) {
    const { clientId } = query;
    const appId = query.appId === undefined ? undefined : await resolveApplication(store, query.appId);
    const page = await readFilteredPage(
      range,
      (part) => listCandidates(store, { clientId, appId }, part),
      (row) => row.apiKeyId,
      (row) => (clientId === undefined || row.clientId === clientId) && (appId === undefined || row.appId === appId),
    );
    return { ...page, items: page.items.map((row) => toApiKeyView(row, authentication.apiKeyUses)) };
  },
});

/** The application as sent if a key has it, else in NFC. */
async function resolveApplication(store: Reader, appId: string): Promise<string> {
  const normalized = appId.normalize('NFC');
  if (normalized === appId || (await store.apiKeys.find('appId', appId, { limit: 1 })).length > 0) return appId;
  return normalized;
}

async function listCandidates(
  store: Reader,
  { clientId, appId }: { clientId?: string | undefined; appId?: string | undefined },
  part: Range,
): Promise<readonly ApiKey[]> {
  if (clientId !== undefined) return store.apiKeys.find('clientId', clientId, part);
  if (appId !== undefined) return store.apiKeys.find('appId', appId, part);
  return store.apiKeys.list(part);
}
