import * as z from 'zod';
import { CustomerId, UserCustomerInput } from '../../../contract/schemas/customer.ts';
import { exampleText } from '../../../contract/schemas/primitives.ts';
import { addCustomer } from '../../directory/customers.ts';
import { assertUsersExist } from '../../directory/memberships.ts';
import { defineOperation } from '../define.ts';

export default defineOperation({
  id: 'customers.create-user',
  title: 'Create a user customer',
  description: 'Makes an existing user a customer. The customer id is the next number.',
  method: 'POST',
  path: '/customers/user',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and (ADMIN or IAM_ADMIN_MAINTENANCE)',
  audit: { kind: 'administration', targets: { body: ['userId'], response: ['userId'] } },
  status: [201, 400, 401, 403, 412, 422, 500],
  request: { body: UserCustomerInput },
  response: {
    status: 201,
    body: z.strictObject({ customerId: CustomerId, userId: exampleText('alice') }),
  },
  errors: ['USER_UNKNOWN', 'CUSTOMER_TAKEN', 'DOCUMENT_TAKEN'],
  creates: 'customer',
  command: 'customers create-user',
  cliExamples: [{ title: 'With a name', command: 'alice --document 12345 --name "Ann Example"' }],

  async handle({ body }, { store, clock }) {
    const createdAt = clock.now().toISOString();
    return store.transaction(async (tx) => {
      await assertUsersExist(tx, [body.userId]);
      return { customerId: await addCustomer(tx, { ...body, createdAt }), userId: body.userId };
    });
  },
});
