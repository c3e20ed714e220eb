/** Making, moving and removing clients and API keys. A new secret is kept before anything else is done. */
import { type Execution, expected, type Writer } from './executor.ts';

const writeClient: Writer<'client'> = async (execution, { change }) => {
  const { tools, clientIds, keepSecret, remember } = execution;
  const { action, name, id = '', body } = change;
  if (action === 'update') return void expected(await tools.call('client-identities.migrate', { body }));
  if (action === 'delete') {
    expected(await tools.call('client-identities.remove', { params: { serviceAccountId: id } }), 'CLIENT_NOT_FOUND');
    return remember('gone', { kind: 'client', id, name });
  }
  const made = expected(await tools.call('client-identities.create', { body }));
  const [clientId, clientSecret] = [String(made?.clientId), String(made?.clientSecret)];
  clientIds.set(name, clientId);
  await keepSecret({ kind: 'client', serviceAccountId: name, clientId, clientSecret });
  await remember('made', { kind: 'client', id: clientId, name });
};

const writeApiKey: Writer<'apiKey'> = async (execution, { change }) => {
  const { tools, keepSecret, remember } = execution;
  const { action, name, id = '', appId } = change;
  if (action === 'delete') {
    expected(await tools.call('api-key.remove', { params: { apiKeyId: id } }), 'API_KEY_NOT_FOUND');
    return remember('gone', { kind: 'apiKey', id, name });
  }
  const clientId = ownerOf(execution, change);
  if (action === 'update')
    return void expected(await tools.call('api-key.update', { params: { apiKeyId: id }, body: { appId, clientId } }));
  const made = expected(await tools.call('api-key.create', { body: { appId, clientId } }));
  const [apiKeyId, apiKey] = [String(made?.apiKeyId), String(made?.apiKey)];
  await keepSecret({ kind: 'apiKey', apiKeyId, appId, clientId, apiKey });
  await remember('made', { kind: 'apiKey', id: apiKeyId, name });
};

export const clientSteps = { client: writeClient, apiKey: writeApiKey };

/** The client of a key; one that is named by its service account may have been made a moment ago. */
function ownerOf(
  { clientIds }: Execution,
  { clientId, serviceAccountId = '' }: { clientId?: string | undefined; serviceAccountId?: string | undefined },
): string {
  return clientId ?? clientIds.get(serviceAccountId) ?? serviceAccountId;
}
