import { expect, test } from 'vitest';
import type { TestServer } from '../../../harness.ts';
import { expectRejection, startWithMembers } from '../user-accesses/member-fixtures.ts';

const id = 'customers.create-user';
const body = { userId: 'p1', document: '12345' };

const create = (server: TestServer, more: object = {}) => server.admin.call(id, { body: { ...body, ...more } });

test('creates a customer for a user', async () => {
  await using server = await startWithMembers();
  const response = await create(server, { name: 'Ann Example' });
  expect(response).toMatchObject({ status: 201, body: { customerId: 1, userId: 'p1' } });
  expect(await server.appContext.store.customers.getBy('userId', 'p1')).toMatchObject({ ...body, name: 'Ann Example' });
});

test('shares its number sequence with businesses', async () => {
  await using server = await startWithMembers();
  await server.admin.customers.createBusiness({ body: { businessName: 'Acme', document: '12345' } });
  expect(await create(server)).toMatchObject({ body: { customerId: 2 } });
});

test('accepts user ids that are properties of Object.prototype', async () => {
  await using server = await startWithMembers();
  for (const userId of ['constructor', '__proto__'])
    expect(await create(server, { userId, document: userId })).toMatchObject({ body: { userId } });
});

test('rejects a user who is already a customer, and the document of another user', async () => {
  await using server = await startWithMembers();
  await create(server);
  await expectRejection(server, () => create(server, { document: '2' }), { status: 412, code: 'CUSTOMER_TAKEN' });
  await expectRejection(server, () => create(server, { userId: 'p2' }), { status: 412, code: 'DOCUMENT_TAKEN' });
});

test('accepts one of a hundred concurrent requests for the same user or document', async () => {
  await using server = await startWithMembers();
  const winners = async (requests: readonly Promise<unknown>[]) =>
    (await Promise.allSettled(requests)).filter(({ status }) => status === 'fulfilled').length;
  expect(await winners(Array.from({ length: 100 }, (_, at) => create(server, { document: `d${at}` })))).toBe(1);
  const users = ['p2', 'p3', 'a1', 'a2', 'b1'];
  const requests = Array.from({ length: 100 }, (_, at) => create(server, { userId: users[at % 5], document: 'same' }));
  expect(await winners(requests)).toBe(1);
});
