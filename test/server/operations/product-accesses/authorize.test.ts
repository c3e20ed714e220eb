import { describe, expect, test } from 'vitest';
import type { IamClient } from '../../../../src/client/index.ts';
import { epochSeconds } from '../../../../src/server/lib/clock.ts';
import { hashSecret } from '../../../../src/server/lib/secrets.ts';
import { appClientId, startServer } from '../../../harness.ts';
import { sharedServer } from '../access.ts';
import { asUser } from '../user-token.ts';
import { opaqueTokens, reports, startWithProducts } from './products.ts';

const productId = 'reports-basic';

function authorize(caller: IamClient, body: object, remember?: boolean) {
  return caller.productAccesses.authorize({ body, query: { 'remember-me': remember } });
}

describe('issues a token', () => {
  test.each<[boolean | undefined, string]>([
    [undefined, '3600'],
    [false, '3600'],
    [true, '600'],
  ])('with remember-me %s for %s seconds', async (remember, expiresIn) => {
    await using server = await startWithProducts();
    const response = await authorize(await asUser(server, { userId: 'u1' }), { productId }, remember);
    expect(response).toEqual({ opaqueToken: expect.any(String), expiresIn });
    expect(Buffer.from(response.opaqueToken, 'base64url')).toHaveLength(32);
    expect(await opaqueTokens(server)).toEqual([
      {
        tokenHash: hashSecret(response.opaqueToken),
        userId: 'u1',
        clientId: appClientId,
        productId,
        expiresAt: epochSeconds(server.clock) + Number(expiresIn),
      },
    ]);
  });

  test.each<object>([
    { productId },
    reports,
    { productId, ...reports },
    { productId, sku: 'basic' },
    { productId, billingType: 'SUBSCRIPTION' },
    { ...reports, orderId: 'o1', isExternalOrder: true, showCaseId: 's1', skuPriceHashCode: 'h1' },
  ])('for %j', async (body) => {
    await using server = await startWithProducts();
    await expect(authorize(await asUser(server), body)).resolves.toBeDefined();
    expect(await opaqueTokens(server)).toMatchObject([{ productId }]);
  });

  test('to a client on its own behalf, bound to that client', async () => {
    await using server = await startWithProducts();
    const client = await server.makeClient({ authorities: ['AUTH-BASIC', 'ADMIN'] });
    await authorize(server.as({ basic: client }), { productId });
    const [row] = await opaqueTokens(server);
    expect(row).toMatchObject({ clientId: client.clientId });
    expect(row).not.toHaveProperty('userId');
  });

  test.each(['BUSINESSOWNER', 'BUSINESSADMIN', 'ADMIN', undefined])('to a user of a business: %s', async (role) => {
    await using server = await startWithProducts();
    const caller = await asUser(server, { businessId: 'b1', roles: role === undefined ? [] : [role] });
    await expect(authorize(caller, { productId })).resolves.toBeDefined();
  });
});

describe('rejects without issuing a token:', () => {
  const shared = sharedServer(startWithProducts);

  test.each<[object, object]>([
    [{}, { status: 400, code: 'FIELD_MISSING' }],
    [
      { productId, sku: 'plus' },
      { status: 404, code: 'PRODUCT_NOT_FOUND' },
    ],
    [
      { productId, billingType: 'PREPAID' },
      { status: 403, code: 'BILLING_TYPE_NOT_SOLD' },
    ],
    [
      { productId, billingType: 'EXPEND' },
      { status: 501, code: 'BILLING_TYPE_UNSUPPORTED' },
    ],
  ])('%j', async (body, failure) => {
    const server = shared();
    const caller = await asUser(server);
    const before = await server.dump();
    await expect(authorize(caller, body)).rejects.toMatchObject(failure);
    expect(await server.dump()).toEqual(before);
  });

  test('requests while the product system is unavailable', async () => {
    await using server = await startServer({ flags: { 'products-url': 'http://127.0.0.1:1' } });
    await expect(authorize(await asUser(server), { productId })).rejects.toMatchObject({
      status: 503,
      code: 'PRODUCT_SYSTEM_UNAVAILABLE',
    });
  });
});

test('issues no token if the user is locked during the request to the product system', async () => {
  await using server = await startWithProducts();
  const caller = await asUser(server, { userId: 'u1' });
  const { find } = server.appContext.productSystem;
  const delayed: typeof find = async (...args) => {
    await server.admin.userIdentities.lock({ body: { userId: 'u1' } });
    return find(...args);
  };
  Object.assign(server.appContext, { productSystem: { find: delayed } });
  await expect(authorize(caller, { productId })).rejects.toMatchObject({ status: 401, code: 'TOKEN_INVALID' });
  expect(await opaqueTokens(server)).toEqual([]);
});
