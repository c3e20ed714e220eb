import { describe, expect, test } from 'vitest';
import type { TestServer } from '../../../harness.ts';
import { expectRejection, startWithMembers } from '../user-accesses/member-fixtures.ts';
import { userToken } from '../user-token.ts';

const id = 'customers.create-business';
const body = { businessName: 'Acme', document: '12345' };

const create = (server: TestServer, more: object = {}) => server.admin.call(id, { body: { ...body, ...more } });

test('creates a business and its customer', async () => {
  await using server = await startWithMembers();
  const units = { organizationId: 'o', businessUnitId: 'u' };
  const response = await create(server, { businessId: 'acme', ...units });
  expect(response).toMatchObject({ status: 201, body: { customerId: expect.any(Number), businessId: 'acme' } });
  const { store } = server.appContext;
  expect(await store.businesses.get('acme')).toMatchObject({ ...body, ...units });
  expect(await store.customers.getBy('businessId', 'acme')).toMatchObject({
    ...(response.body as object),
    document: '12345',
  });
});

test('generates the id of the business if the body contains none, and numbers customers in sequence', async () => {
  await using server = await startWithMembers();
  const ids = [];
  for (const document of ['1', '2', '3']) {
    const { customerId, businessId } = (await create(server, { document })).body as Record<string, never>;
    expect(businessId).toMatch(/^[0-9a-f]{24}$/);
    ids.push(customerId);
  }
  expect(ids).toEqual([1, 2, 3]);
});

test('never reuses a number, even after its customer is removed', async () => {
  await using server = await startWithMembers();
  const { store } = server.appContext;
  const user = { userId: 'p1', document: '1' };
  const first = await server.admin.customers.createUser({ body: user });
  await server.admin.userIdentities.remove({ params: { id: 'p1' } });
  expect(await store.customers.count()).toBe(0);
  const next = await server.admin.customers.createUser({ body: { ...user, userId: 'p2' } });
  expect(next.customerId).toBeGreaterThan(first.customerId);
});

test('adds the customer number to new tokens of users of the business', async () => {
  await using server = await startWithMembers();
  const { customerId } = (await create(server, { businessId: 'acme' })).body as { customerId: number };
  const token = await userToken(server, { businessId: 'acme' });
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  expect(claims).toMatchObject({ business_id: 'acme', customer_id: customerId });
});

describe('corporateGroupId', () => {
  test('adds the business to the corporate group', async () => {
    await using server = await startWithMembers();
    const { corporateGroupId } = await server.admin.corporateGroups.create({
      body: { corporateGroupName: 'holding', businesses: [{ businessId: 'a' }] },
    });
    await create(server, { businessId: 'acme', corporateGroupId });
    const { businesses } = await server.admin.corporateGroups.get({ params: { corporateGroupId } });
    expect(businesses).toEqual([{ businessId: 'a' }, { businessId: 'acme' }]);
  });
});

describe('uniqueness:', () => {
  test('rejects the id of an existing business, including one from the seed', async () => {
    await using server = await startWithMembers();
    await create(server, { businessId: 'acme' });
    for (const businessId of ['acme', 'a']) {
      const request = () => create(server, { businessId, document: 'other' });
      await expectRejection(server, request, { status: 412, code: 'ID_TAKEN' });
    }
  });

  test('rejects the id of a removed business', async () => {
    await using server = await startWithMembers();
    await create(server, { businessId: 'acme' });
    await server.appContext.store.transaction((tx) => tx.businesses.delete('acme'));
    const request = () => create(server, { businessId: 'acme', document: 'other' });
    await expectRejection(server, request, { status: 412, code: 'ID_TAKEN' });
  });

  test('rejects a document of another business; a user may have the same document', async () => {
    await using server = await startWithMembers();
    await server.admin.customers.createUser({ body: { userId: 'p1', document: '12345' } });
    await create(server);
    await expectRejection(server, () => create(server), { status: 412, code: 'DOCUMENT_TAKEN' });
  });

  test('compares documents case-sensitively', async () => {
    await using server = await startWithMembers();
    for (const name of ['x', 'X', 'constructor', '__proto__', 'hasOwnProperty'])
      expect(await create(server, { businessId: name, document: name })).toMatchObject({ body: { businessId: name } });
  });

  test('accepts one of many concurrent requests with the same document or id, and assigns consecutive numbers', async () => {
    await using server = await startWithMembers();
    const requests = Array.from({ length: 100 }, (_, at) => create(server, { document: at < 50 ? 'same' : `d${at}` }));
    const outcomes = await Promise.allSettled(requests);
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(49);
    const ids = (await server.appContext.store.customers.list()).map(({ customerId }) => customerId);
    expect(ids).toEqual(Array.from({ length: 51 }, (_, at) => at + 1));
    const sameId = Array.from({ length: 100 }, (_, at) => create(server, { businessId: 'acme', document: `e${at}` }));
    const winners = (await Promise.allSettled(sameId)).filter(({ status }) => status === 'fulfilled');
    expect(winners).toHaveLength(1);
  });
});
