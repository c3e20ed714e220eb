import * as z from 'zod';
import { apiError } from '../../../contract/errors.ts';
import { ClientCredentials, clientFields } from '../../../contract/schemas/client.ts';
import {
  addClient,
  assertMayGrantScope,
  type ClientOwner,
  createClientRow,
  resolveOwner,
} from '../../directory/clients.ts';
import type { Transaction } from '../../store/store.ts';
import { defineOperation } from '../define.ts';

/** Limits what callers without administrative roles can store. */
const maxClients = 20;

export default defineOperation({
  id: 'my-client-identities.create',
  title: 'Create a client of the caller',
  description:
    'Creates a third-party client that belongs to the business of the caller, otherwise to its user, otherwise to the calling client. The secret is returned only once. The scope is at most that of the caller; a user of a client with a secret can give only what the application client of the server has, too. An owner can have at most 20 clients.',
  method: 'POST',
  path: '/my-client-identities',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and ((PERSON and not BUSINESS) or BUSINESSOWNER or BUSINESSADMIN)',
  needsWholeToken: true,
  audit: {
    kind: 'administration',
    targets: { body: ['appId', 'serviceAccountId', 'businessUnitId', 'organizationId'], response: ['clientId'] },
  },
  status: ['200e', 201, 400, 401, 412, 500],
  request: { body: z.strictObject(clientFields).meta({ id: 'MyClientInput' }) },
  response: { status: 201, body: ClientCredentials, secret: true },
  errors: [
    'NAME_NOT_VISIBLE',
    'SCOPE_EXCEEDED',
    'TOO_MANY_CLIENTS',
    'ID_NOT_CHOSEN',
    'ID_TAKEN',
    'TOKEN_LIMIT_EXCEEDED',
  ],
  creates: 'client',
  command: 'my-clients create',
  cliExamples: [{ title: 'A client with one scope', command: '--app-id reports --scope READ' }],

  async handle({ body }, context) {
    const { caller, store } = context;
    await assertMayGrantScope(store, body.scope ?? [], caller);
    const owner = resolveOwner(caller);
    const { client, clientSecret } = createClientRow({ ...body, [owner.field]: owner.id }, '3RDPARTY', context);
    await store.transaction(async (tx) => {
      await assertClientLimit(tx, owner);
      await addClient(tx, client);
    });
    return { clientId: client.clientId, clientSecret };
  },
});

async function assertClientLimit(tx: Transaction, { field, id }: ClientOwner): Promise<void> {
  const clients = await tx.clients.find(field, id, { limit: maxClients });
  if (clients.length >= maxClients) throw apiError('TOO_MANY_CLIENTS');
}
