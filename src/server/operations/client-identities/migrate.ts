import * as z from 'zod';
import { apiError, fieldError } from '../../../contract/errors.ts';
import { ClientId } from '../../../contract/schemas/client.ts';
import { exampleInt, listUpTo, singleLine } from '../../../contract/schemas/primitives.ts';
import { assertEach } from '../../directory/assert-each.ts';
import { forEachYielding } from '../../lib/event-loop-turns.ts';
import type { Transaction } from '../../store/store.ts';
import type { Client } from '../../store/tables.ts';
import { defineOperation } from '../define.ts';

const maxClients = 10_000;

const Unit = z
  .strictObject({
    organizationId: singleLine(64, 'Organization').meta({ examples: ['example-org'] }),
    businessUnitId: singleLine(64, 'Business unit').meta({ examples: ['retail'] }),
  })
  .meta({ id: 'BusinessUnit', description: 'A unit of an organization.' });

const Source = z
  .strictObject({
    organizationId: singleLine(64, 'Organization of the clients to move').meta({ examples: ['example-org'] }),
    businessUnitId: singleLine(64, 'Only clients of this business unit')
      .optional()
      .meta({ examples: ['retail'] }),
  })
  .meta({ id: 'BusinessUnitSource', description: 'A unit of an organization, or a whole organization.' });

const Body = z
  .strictObject({
    clientIds: listUpTo(maxClients, ClientId).optional().describe('Clients to move; an alternative to source'),
    source: Source.optional(),
    target: Unit,
  })
  .meta({ id: 'ClientMigration' });

export default defineOperation({
  id: 'client-identities.migrate',
  title: 'Move clients to another business unit',
  description:
    'Moves the listed clients, or all clients of the source, to the target. If one client does not exist, none is moved. matched is the number of selected clients; migrated is the number of clients that were not in the target before.',
  method: 'PUT',
  path: '/client-identities/organizational-structure',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-MFA and ADMIN',
  audit: { kind: 'administration', targets: { body: ['clientIds'] } },
  status: [200, 400, 401, 403, 404, 422, 500],
  request: { body: Body },
  response: {
    status: 200,
    body: z.strictObject({ matched: exampleInt(3), migrated: exampleInt(3) }),
  },
  errors: ['SELECTION_AMBIGUOUS', 'CLIENT_NOT_FOUND'],
  command: 'clients migrate',
  cliExamples: [
    {
      title: 'Two clients',
      command: '--client-id c1,c2 --target.organization-id acme --target.business-unit-id b',
    },
  ],
  openapiExamples: {
    body: { clientIds: ['billing-service'], target: { organizationId: 'example-org', businessUnitId: 'retail' } },
  },

  async handle({ body }, { store }) {
    assertOneSelection(body);
    const { organizationId, businessUnitId } = body.target;
    return store.transaction(async (tx) => {
      const clients = await findSelected(tx, body);
      const outside = clients.filter(
        (client) => client.organizationId !== organizationId || client.businessUnitId !== businessUnitId,
      );
      await forEachYielding(outside, (client) => tx.clients.replace({ ...client, organizationId, businessUnitId }));
      return { matched: clients.length, migrated: outside.length };
    });
  },
});

function assertOneSelection({ clientIds, source }: z.output<typeof Body>): void {
  if (clientIds === undefined && source === undefined)
    throw fieldError('FIELD_MISSING', ['clientIds', 'source'], 'Either clientIds or source is required.');
  if (clientIds !== undefined && source !== undefined) throw apiError('SELECTION_AMBIGUOUS');
}

async function findSelected(tx: Transaction, { clientIds, source }: z.output<typeof Body>): Promise<readonly Client[]> {
  if (source === undefined) return findByIds(tx, new Set(clientIds));
  const clients = await tx.clients.find('organizationId', source.organizationId);
  return clients.filter(
    ({ businessUnitId }) => source.businessUnitId === undefined || businessUnitId === source.businessUnitId,
  );
}

async function findByIds(tx: Transaction, clientIds: ReadonlySet<string>): Promise<readonly Client[]> {
  const clients = await tx.clients.getMany([...clientIds]);
  if (clients.length === clientIds.size) return clients;
  const found = new Set(clients.map(({ clientId }) => clientId));
  await assertEach(clientIds, (clientId) =>
    found.has(clientId) ? undefined : { code: 'CLIENT_NOT_FOUND', message: `Client ${clientId} not found.` },
  );
  return clients;
}
