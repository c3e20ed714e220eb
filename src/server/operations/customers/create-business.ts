import * as z from 'zod';
import { apiError } from '../../../contract/errors.ts';
import { BusinessCustomerInput, CustomerId } from '../../../contract/schemas/customer.ts';
import { exampleText } from '../../../contract/schemas/primitives.ts';
import { joinCorporateGroup } from '../../directory/corporate-groups.ts';
import { addCustomer, createDocumentTakenError } from '../../directory/customers.ts';
import type { Transaction } from '../../store/store.ts';
import type { Business } from '../../store/tables.ts';
import { defineOperation } from '../define.ts';

export default defineOperation({
  id: 'customers.create-business',
  title: 'Create a business customer',
  description:
    'Creates a business and its customer record. The customer id is the next number. The business can join a corporate group in the same request.',
  method: 'POST',
  path: '/customers/business',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and (ADMIN or IAM_ADMIN_MAINTENANCE)',
  audit: {
    kind: 'administration',
    targets: {
      body: ['businessId', 'businessName', 'corporateGroupId', 'organizationId', 'businessUnitId'],
      response: ['businessId'],
    },
  },
  status: [201, 400, 401, 403, 412, 422, 500],
  request: { body: BusinessCustomerInput },
  response: {
    status: 201,
    body: z.strictObject({ customerId: CustomerId, businessId: exampleText('example-shop') }),
  },
  errors: ['ID_TAKEN', 'DOCUMENT_TAKEN', 'CORPORATE_GROUP_UNKNOWN'],
  creates: 'customer',
  command: 'customers create-business',
  cliExamples: [
    { title: 'A business with a chosen id', command: '--business-id acme --business-name Acme --document 12345' },
  ],

  async handle({ body }, { store, ids, clock }) {
    const { corporateGroupId, ...fields } = body;
    const createdAt = clock.now().toISOString();
    const business = { ...fields, businessId: body.businessId ?? ids.newId(), createdAt };
    const { businessId, document } = business;
    return store.transaction(async (tx) => {
      await assertNewBusiness(tx, business);
      await tx.businesses.insert(business);
      const customerId = await addCustomer(tx, { businessId, document, createdAt });
      if (corporateGroupId !== undefined) await joinCorporateGroup(tx, corporateGroupId, businessId);
      return { customerId, businessId };
    });
  },
});

/** The customer record of a deleted business also reserves its id. */
async function assertNewBusiness(tx: Transaction, { businessId, document }: Business): Promise<void> {
  const holders = [tx.businesses.get(businessId), tx.customers.getBy('businessId', businessId)];
  const isTaken = (await Promise.all(holders)).some((holder) => holder !== undefined);
  if (isTaken) throw apiError('ID_TAKEN', `The business id ${businessId} is or was in use.`);
  if (document !== undefined && (await tx.businesses.getBy('document', document)))
    throw createDocumentTakenError(document);
}
