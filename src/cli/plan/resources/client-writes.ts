/** Writes clients and API keys. A new secret is stored before the next step. */
import { type Execution, type StepWriter, unwrapResult } from '../execution.ts';

const writeClient: StepWriter<'client'> = async (execution, { change }) => {
  const { deps, clientIds, storeSecret, record } = execution;
  const { action, name, id = '', body } = change;
  if (action === 'update') return void unwrapResult(await deps.call('client-identities.migrate', { body }));
  if (action === 'delete') {
    unwrapResult(await deps.call('client-identities.remove', { params: { serviceAccountId: id } }), 'CLIENT_NOT_FOUND');
    return record('gone', { kind: 'client', id, name });
  }
  const created = unwrapResult(await deps.call('client-identities.create', { body }));
  const [clientId, clientSecret] = [String(created?.clientId), String(created?.clientSecret)];
  clientIds.set(name, clientId);
  await storeSecret({ kind: 'client', serviceAccountId: name, clientId, clientSecret });
  await record('made', { kind: 'client', id: clientId, name });
};

const writeApiKey: StepWriter<'apiKey'> = async (execution, { change }) => {
  const { deps, storeSecret, record } = execution;
  const { action, name, id = '', appId } = change;
  if (action === 'delete') {
    unwrapResult(await deps.call('api-key.remove', { params: { apiKeyId: id } }), 'API_KEY_NOT_FOUND');
    return record('gone', { kind: 'apiKey', id, name });
  }
  const clientId = resolveClientId(execution, change);
  if (action === 'update')
    return void unwrapResult(
      await deps.call('api-key.update', { params: { apiKeyId: id }, body: { appId, clientId } }),
    );
  const created = unwrapResult(await deps.call('api-key.create', { body: { appId, clientId } }));
  const [apiKeyId, apiKey] = [String(created?.apiKeyId), String(created?.apiKey)];
  await storeSecret({ kind: 'apiKey', apiKeyId, appId, clientId, apiKey });
  await record('made', { kind: 'apiKey', id: apiKeyId, name });
};

export const clientWriters = { client: writeClient, apiKey: writeApiKey };

/** Resolves the client of a key, including clients created by earlier steps. */
function resolveClientId(
  { clientIds }: Execution,
  { clientId, serviceAccountId = '' }: { clientId?: string | undefined; serviceAccountId?: string | undefined },
): string {
  return clientId ?? clientIds.get(serviceAccountId) ?? serviceAccountId;
}
