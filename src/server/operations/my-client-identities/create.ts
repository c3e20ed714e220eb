import * as z from 'zod';
import { clientFields } from '../../../contract/client-schemas.ts';
import { ClientCredentials } from '../../../contract/credential-schemas.ts';
import { apiError, detailedError } from '../../../contract/errors.ts';
import { addClient, type ClientOwner, createClientRow, resolveOwner } from '../../identity/clients.ts';
import type { Principal } from '../../identity/principal.ts';
import type { Transaction } from '../../store/store.ts';
import { defineOperation } from '../define.ts';

/** So that nobody fills the store with what he may make without asking. */
const maxClients = 20;

export default defineOperation({
  id: 'my-client-identities.create',
  title: 'Create Identity (my client identities)',
  description:
    "Makes a third-party client of the caller's own: of its business, else of its user, else of the calling client. Its secret is shown this once. One owner has at most 20 clients.",
  method: 'POST',
  path: '/my-client-identities',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and ((PERSON and not BUSINESS) or BUSINESSOWNER or BUSINESSADMIN)',
  audit: {
    kind: 'administration',
    targets: { body: ['appId', 'serviceAccountId', 'businessUnitId', 'organizationId'], response: ['clientId'] },
  },
  status: ['200e', 201, 400, 401, 412, 500],
  request: { body: z.strictObject(clientFields).meta({ id: 'MyClientInput' }) },
  response: { status: 201, body: ClientCredentials, secret: true },
  errors: ['SCOPE_EXCEEDED', 'TOO_MANY_CLIENTS', 'ID_TAKEN'],
  creates: 'client',
  command: 'my-clients create',
  cliExamples: [{ title: 'A client that may read', command: '--app-id reports --scope READ' }],

  async handle({ body }, context) {
    const { caller, store } = context;
    assertScopeHeld(body.scope ?? [], caller);
    const owner = resolveOwner(caller);
    const { client, clientSecret } = createClientRow({ ...body, [owner.field]: owner.id }, '3RDPARTY', context);
    await store.transaction(async (tx) => {
      await assertRoomFor(tx, owner);
      await addClient(tx, client);
    });
    return { clientId: client.clientId, clientSecret };
  },
});

/** Nobody passes on more scope than this very call has. */
function assertScopeHeld(scope: readonly string[], caller: Principal): void {
  const exceeding = scope.filter((name) => !caller.scope.has(name));
  if (exceeding.length === 0) return;
  const message = `The caller itself does not have the scope ${exceeding.join(', ')}.`;
  throw detailedError('SCOPE_EXCEEDED', { missingScopes: exceeding }, message);
}

async function assertRoomFor(tx: Transaction, { field, id }: ClientOwner): Promise<void> {
  const clients = await tx.clients.find(field, id, { limit: maxClients });
  if (clients.length >= maxClients) throw apiError('TOO_MANY_CLIENTS');
}
