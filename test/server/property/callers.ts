/** The callers that send bad input, and the data in the store. */
import { basicAuthorization } from '../../../src/client/index.ts';
import { knownRoles } from '../../../src/contract/roles.ts';
import { adminClient, type TestServer } from '../../harness.ts';
import { type Credentials, callerId } from './bad-input.ts';

/** One object of each kind, so that some requests reference an existing one. */
export async function seedEntities({ admin, makeClient }: TestServer): Promise<void> {
  const { clientId } = await makeClient({ serviceAccountId: 'billing' });
  await admin.apiKey.create({ body: { appId: 'billing', clientId } });
  await admin.groups.create({
    body: { groupName: 'ops', roles: ['DEPLOY'], dependencies: [{ groupName: 'business-users' }] },
  });
}

/** A caller that every operation admits, so that a request is rejected for its input only. */
export async function createCallerCredentials({ as, makeClient }: TestServer): Promise<Credentials> {
  const authorities = knownRoles.filter((role) => !role.startsWith('CLI-') && role !== 'BUSINESS');
  const pair = await makeClient({ clientId: callerId, authorities, scope: ['account_lock', 'account_unlock'] });
  const { accessToken } = await as(pair).clientIdentities.login();
  return { authorization: basicAuthorization(pair), bearer: `Bearer ${accessToken}` };
}

/** A server whose control plane authenticates its callers. */
export const remote = { host: '0.0.0.0', 'allow-remote': true };

/** A caller that may use every route of the control plane, also after a reset. */
export function administratorCredentials(): Credentials {
  const authorization = basicAuthorization(adminClient);
  return { authorization, bearer: authorization };
}
